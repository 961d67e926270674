package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/miramundo/datafolder"
)

// A running service is one that a test started.
type running struct {
	base, hop, legacy string
	vars              map[string]string
	stop              func() error // as SIGTERM does
}

// start starts a service on free ports of the loopback address, and returns when it is
// ready.
func start(t *testing.T, data string) *running {
	t.Helper()
	r := &running{base: "http://" + freeAddress(t), hop: "http://" + freeAddress(t), legacy: "http://" + freeAddress(t)}
	r.vars = map[string]string{"BASE_URL": r.base, "HOP_URL": r.hop, "LEGACY_URL": r.legacy, "DATA_DIR": data, "CATALOG": "sample"}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		vars := map[string]string{}
		for name, value := range r.vars {
			vars[name] = value
		}
		ended <- run(ctx, options{}, vars, in)
		in.Close()
	}()
	r.stop = func() error { cancel(); return <-ended }
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var record struct{ Message string }
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			t.Errorf("the log has the line %q, which is not JSON", lines.Text())
		}
		if record.Message == "ready" {
			go io.Copy(io.Discard, out)
			return r
		}
	}
	t.Fatalf("it ended before it was ready, with %v", <-ended)
	return nil
}

// freeAddress returns an address of this machine at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// get returns the status and the body of an answer.
func get(t *testing.T, address string) (int, string) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// TestService goes the way of a new operator: it starts without secrets, answers, has
// nothing that is for developers, and keeps what it was given over a restart.
func TestService(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, data)
	for _, test := range []struct {
		address string
		status  int
		want    string
	}{
		{r.base + "/api/channels?limit=1", 200, `"total":`},
		{r.base + "/en", 200, "<html"},
		{r.base + "/api/health", 200, `"database":true`},
		{r.base + "/api/billing", 200, `"dev":false`},
		{r.base + "/api/billing", 200, `"gratis":true`},
		{r.hop + "/api/health", 200, `"ok":true`},
		{r.hop + "/en", 404, ""},
		{r.legacy + "/api/channels", 404, ""},
		{r.base + "/dev/mail", 404, ""},
		{r.base + "/dev/human/", 404, ""},
		{r.base + "/api/channels/MiramundoTest.br", 404, ""},
		{r.base + "/api/admin/jobs", 401, ""},
	} {
		if status, body := get(t, test.address); status != test.status || !strings.Contains(body, test.want) {
			t.Errorf("%s is answered %d, want %d with %q: %.300s", test.address, status, test.status, test.want, body)
		}
	}
	password := filepath.Join(t.TempDir(), "password")
	if err := os.WriteFile(password, []byte("p\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, more := range []map[string]string{{}, {"MAIL_USER": "tv@example.org", "MAIL_PASSWORD_FILE": password}} {
		vars := maps.Clone(r.vars)
		maps.Copy(vars, more)
		var said strings.Builder
		if err := healthOnce(t.Context(), options{}, vars, &said); err != nil || said.String() != "the service is well\n" {
			t.Errorf("health with %v = %v, %q", more, err, &said)
		}
	}
	res, err := http.Post(r.base+"/api/guest", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	var guest struct{ Token string }
	err = json.NewDecoder(res.Body).Decode(&guest)
	res.Body.Close()
	if err != nil || guest.Token == "" {
		t.Fatalf("no guest: %v", err)
	}
	if err := r.stop(); err != nil {
		t.Errorf("it stops with %v", err)
	}
	if err := healthOnce(t.Context(), options{}, r.vars, io.Discard); err == nil || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("the health of a service that is stopped = %v", err)
	}
	for _, name := range []string{datafolder.SecretsFile, datafolder.CopyFile, datafolder.TokenFile, "miramundo.db"} {
		if info, err := os.Stat(filepath.Join(data, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v; want mode 0600", name, info, err)
		}
	}
	again := start(t, data)
	req, _ := http.NewRequestWithContext(t.Context(), "GET", again.base+"/api/library", nil)
	req.Header.Set("X-Guest-Token", guest.Token)
	if res, err := http.DefaultClient.Do(req); err != nil || res.StatusCode != http.StatusOK {
		t.Errorf("the guest of before is answered %v, %v", res, err)
	} else {
		res.Body.Close()
	}
	if err := again.stop(); err != nil {
		t.Errorf("it stops again with %v", err)
	}
}

// TestSecondStart starts the service twice with one folder: the second start is refused
// before it removes the temporary files of the first one, and no folder tmp is removed.
func TestSecondStart(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, data)
	var emptied []string
	o := options{temporary: func(dir string) error {
		emptied = append(emptied, dir)
		return errors.New("far enough")
	}}
	try := func() error {
		return run(t.Context(), o, map[string]string{"DATA_DIR": data, "CATALOG": "sample", "LISTEN": freeAddress(t)}, io.Discard)
	}
	if err := try(); err == nil || !strings.Contains(err.Error(), "another miramundo uses this folder") || len(emptied) > 0 {
		t.Errorf("a second start ends with %v and empties %q", err, emptied)
	}
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	err := try()
	if diff := cmp.Diff([]string{filepath.Join(data, ".miramundo-tmp")}, emptied); diff != "" || err == nil || !strings.Contains(err.Error(), "far enough") {
		t.Errorf("the next start ends with %v and empties (-want +got):\n%s", err, diff)
	}
}

// TestWarnings checks what is logged with LOG_LEVEL=warn: not how things go, but that a
// secret is restored from its copy.
func TestWarnings(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, data)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(data, datafolder.SecretsFile)); err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	vars := map[string]string{"DATA_DIR": data, "CATALOG": "none", "LISTEN": freeAddress(t), "LOG_LEVEL": "warn"}
	if err := run(t.Context(), options{}, vars, &log); err == nil {
		t.Error("it runs without a catalog")
	}
	if got := log.String(); !strings.Contains(got, "is restored from its copy") || strings.Contains(got, "listening") {
		t.Errorf("the log says:\n%s", got)
	}
}

// TestRefusals starts the service with settings that are wrong.
func TestRefusals(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		vars map[string]string
		want string
	}{
		{"not enough", map[string]string{"BASE_URL": "https://tv.example.org"}, "HOP_URL is missing"},
		{"a place that is taken", map[string]string{"LISTEN": taken.Addr().String()}, "another program may use the port"},
		{"a file for a folder", map[string]string{"DATA_DIR": file}, "is a file"},
		{"no such catalog", map[string]string{"LISTEN": "127.0.0.1:0", "CATALOG": "lively"}, "lively is neither live, nor sample, nor a folder"},
		{"no such secret", map[string]string{"METRICS_TOKEN_FILE": file + "2"}, "METRICS_TOKEN_FILE: open"},
		{"a short token", map[string]string{"METRICS_TOKEN_FILE": file}, "METRICS_TOKEN must have at least 16 characters"},
		{"a bad root", map[string]string{
			"BASE_URL": "https://tv.example.org", "HOP_URL": "https://hop.example.org", "LEGACY_URL": "http://plain.example.org",
			"LISTEN": "127.0.0.1:0", "LISTEN_TLS": "127.0.0.1:0", "ACME_ROOTS": file,
		}, "has no certificate"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if test.vars["DATA_DIR"] == "" {
				test.vars["DATA_DIR"] = t.TempDir()
			}
			if err := run(t.Context(), options{}, test.vars, io.Discard); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("run = %v, want %q", err, test.want)
			}
		})
	}
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		args []string
		want options
		err  string
	}{
		{nil, options{}, ""},
		{[]string{"-version"}, options{version: true}, ""},
		{[]string{"-restore", "b", "-accept-loss"}, options{restore: "b", acceptLoss: true}, ""},
		{[]string{"-restore", ""}, options{}, "-restore must name a backup"},
		{[]string{"serve"}, options{}, "unknown argument"},
		{[]string{"-port", "80"}, options{}, "not defined"},
	} {
		got, err := parse(test.args, io.Discard)
		if (err != nil) != (test.err != "") || err != nil && !strings.Contains(err.Error(), test.err) {
			t.Errorf("%q = %v, want %q", test.args, err, test.err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(options{}), cmpopts.IgnoreFields(options{}, "temporary")); err == nil && diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.args, diff)
		}
	}
}

// TestBackup backs up what a service left, and restores it elsewhere.
func TestBackup(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	r := start(t, data)
	if err := r.stop(); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := backupOnce(t.Context(), options{}, map[string]string{"DATA_DIR": data}, &said); err != nil {
		t.Fatal(err)
	}
	path, _, _ := strings.Cut(strings.TrimPrefix(said.String(), "backup "), ":")
	to := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "restored")}
	if err := restoreOnce(t.Context(), options{restore: path}, to, io.Discard); err != nil {
		t.Fatal(err)
	}
	if err := restoreOnce(t.Context(), options{restore: path}, to, io.Discard); err == nil {
		t.Error("a backup was restored over data")
	}
	again := start(t, to["DATA_DIR"])
	if err := again.stop(); err != nil {
		t.Error(err)
	}
}
