package emulator

import (
	"context"
	"errors"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// required ends the test where the emulators are not installed: as a failure
// where they must be.
func required(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, ErrMissing) {
		return
	}
	if os.Getenv("CI") != "" && os.Getenv("MIRAMUNDO_EMULATORS") == "required" {
		t.Fatalf("CI requires the emulators: %v", err)
	}
	t.Skip("no emulators")
}

// TestStart starts both, stops them, and finds their ports free again.
func TestStart(t *testing.T) {
	if os.Getenv("FIRESTORE_EMULATOR_HOST") != "" {
		t.Skip("this test runs beside emulators already")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	e, err := Start(ctx, Options{Rules: "../../../firestore.rules"})
	required(t, err)
	if err != nil {
		t.Fatal(err)
	}
	for _, addr := range []string{e.Firestore, e.PubSub} {
		if !answers(ctx, addr) {
			t.Errorf("nothing answers at %s", addr)
		}
		if _, err := address(addr); err == nil {
			t.Errorf("address %s passes as free", addr)
		}
	}
	refused(ctx, t, e.Firestore)
	if needed, err := Needed(ctx, e.Firestore, "demo-none"); err != nil || len(needed) != 0 {
		t.Errorf("Needed of an unused project = %v, %v", needed, err)
	}
	for range 2 {
		if err := e.Stop(); err != nil {
			t.Errorf("Stop = %v", err)
		}
	}
	for _, addr := range []string{e.Firestore, e.PubSub} {
		if answers(ctx, addr) {
			t.Errorf("%s answers after Stop", addr)
		}
	}
}

// refused checks that a client without a token reads nothing.
func refused(ctx context.Context, t *testing.T, host string) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+"/v1/projects/demo-none/databases/(default)/documents/libraries/a", nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusForbidden {
		t.Errorf("a client without a token gets %s, want 403", res.Status)
	}
}

func TestStartRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	text := filepath.Join(t.TempDir(), "x.jar")
	if err := os.WriteFile(text, []byte("no jar"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		want    string
	}{
		"no jar":        {Options{FirestoreJar: "/none.jar"}, "not installed"},
		"no second jar": {Options{FirestoreJar: text, PubSubJar: "/none*.jar"}, "not installed"},
		"taken port":    {Options{FirestoreJar: text, PubSubJar: text, FirestoreAddr: l.Addr().String()}, l.Addr().String()},
		"open to all":   {Options{FirestoreJar: text, PubSubJar: text, FirestoreAddr: "0.0.0.0:0"}, "loopback"},
		"no address":    {Options{FirestoreJar: text, PubSubJar: text, PubSubAddr: "8080"}, "address"},
		"no rules":      {Options{FirestoreJar: text, PubSubJar: text, Rules: "/none.rules"}, "security rules"},
		"broken jar":    {Options{FirestoreJar: text, PubSubJar: text}, "it has ended"},
	} {
		e, err := Start(t.Context(), c.options)
		if err == nil || e != nil || !strings.Contains(err.Error(), c.want) {
			if errors.Is(err, ErrMissing) && strings.Contains(err.Error(), "no java") {
				t.Skip("no java")
			}
			t.Errorf("%s: Start = %v, want an error that says %q", name, err, c.want)
		}
	}
}

const report = `{"reports": [
	{"index": {"name": "projects/p/databases/(default)/collectionGroups/comments/indexes/_", "queryScope": "COLLECTION",
		"fields": [{"fieldPath": "channel", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}, {"fieldPath": "__name__", "order": "DESCENDING"}]},
	 "numQueries": "3"}]}`

func TestMissing(t *testing.T) {
	needed, err := usage([]byte(report))
	want := []Index{{"comments", "COLLECTION", []Field{
		{"channel", "ASCENDING", ""}, {"at", "DESCENDING", ""}, {"__name__", "DESCENDING", ""}}}}
	if diff := cmp.Diff(want, needed); diff != "" || err != nil {
		t.Fatalf("usage: %v (-want +got)\n%s", err, diff)
	}
	file := filepath.Join(t.TempDir(), "firestore.indexes.json")
	for body, missing := range map[string]bool{
		`{"indexes": []}`: true,
		`{"indexes": [{"collectionGroup": "comments", "queryScope": "COLLECTION", "fields": [
			{"fieldPath": "channel", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]}]}`: false,
		`{"indexes": [{"collectionGroup": "comments", "queryScope": "COLLECTION", "fields": [
			{"fieldPath": "channel", "order": "ASCENDING"}, {"fieldPath": "at", "order": "ASCENDING"}]}]}`: true,
		`{"indexes": [{"collectionGroup": "other", "queryScope": "COLLECTION", "fields": [
			{"fieldPath": "channel", "order": "ASCENDING"}, {"fieldPath": "at", "order": "DESCENDING"}]}]}`: true,
	} {
		if err := os.WriteFile(file, []byte(body), 0o600); err != nil {
			t.Fatal(err)
		}
		declared, err := Declared(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := Missing(needed, declared); errors.Is(err, ErrIndexes) != missing {
			t.Errorf("declared %s: Missing = %v, want missing: %t", body, err, missing)
		}
	}
}

func TestBadFiles(t *testing.T) {
	if _, err := usage([]byte("<html>")); err == nil {
		t.Error("a report that is no JSON passes")
	}
	if _, err := Declared(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a file that is not there passes")
	}
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Declared(file); err == nil {
		t.Error("a file that is no JSON passes")
	}
}

// TestHouse reads the repository's own declarations.
func TestHouse(t *testing.T) {
	if _, err := Declared("../../../firestore.indexes.json"); err != nil {
		t.Error(err)
	}
}
