package datafolder

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
)

// TestSecrets checks that secrets are made once, are kept for the owner alone,
// and are not made anew over a file that cannot be read.
func TestSecrets(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	first, err := load(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, ring := range rings {
		if err := keyringtest.Ring(first[ring.name]).Check(); err != nil {
			t.Errorf("%s: %v", ring.name, err)
		}
	}
	if first["HOP_TICKET_KEYS"] == first["PEOPLE_KEYS"] {
		t.Error("both secrets are the same")
	}
	second, err := load(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second start has other secrets (-first +second):\n%s", diff)
	}
	for _, name := range []string{SecretsFile, CopyFile} {
		path := filepath.Join(dir, name)
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v, %v; want mode 0600", name, info, err)
		}
	}
}

// secretsIn returns where the secrets of a folder are, whose database has documents
// of people.
func secretsIn(t *testing.T, dir string) Secrets {
	return Secrets{
		Dir: dir, Inhabited: func() (bool, error) { return true, nil }, Remedy: "restore a backup", Now: time.Now,
		Say: func(format string, args ...any) { t.Logf(format, args...) },
	}
}

// load returns the secrets of a folder whose database has no documents of people.
func load(t *testing.T, dir string) (map[string]string, error) {
	s := secretsIn(t, dir)
	s.Inhabited = func() (bool, error) { return false, nil }
	return s.Load()
}

// TestDamagedSecrets damages the file with the secrets, its copy, and both. One good
// file is enough; without one the stack does not start, and its message names the
// file, the danger and the remedy and advises to remove nothing. Nothing is changed
// then.
func TestDamagedSecrets(t *testing.T) {
	damages := map[string]func(t *testing.T, path string, whole []byte){
		"cut short":   func(t *testing.T, path string, whole []byte) { put(t, path, whole[:len(whole)/2]) },
		"empty":       func(t *testing.T, path string, _ []byte) { put(t, path, nil) },
		"garbage":     func(t *testing.T, path string, _ []byte) { put(t, path, []byte("\x00\xff{")) },
		"no ring":     func(t *testing.T, path string, _ []byte) { put(t, path, []byte("{}")) },
		"a list":      func(t *testing.T, path string, _ []byte) { put(t, path, []byte("[]")) },
		"a bad ring":  func(t *testing.T, path string, _ []byte) { put(t, path, []byte(`{"GUEST_KEYS":"first:x"}`)) },
		"a directory": func(t *testing.T, path string, _ []byte) { remove(t, path); mkdir(t, path) },
		"deleted":     func(t *testing.T, path string, _ []byte) { remove(t, path) },
	}
	for name, damage := range damages {
		for _, files := range [][]string{{SecretsFile}, {CopyFile}, {SecretsFile, CopyFile}} {
			if name == "a directory" && len(files) == 1 {
				continue // it cannot be replaced by a file
			}
			t.Run(name+" "+strings.Join(files, " and "), func(t *testing.T) {
				dir := t.TempDir()
				first, err := load(t, dir)
				if err != nil {
					t.Fatal(err)
				}
				for _, file := range files {
					whole, err := os.ReadFile(filepath.Join(dir, file))
					if err != nil {
						t.Fatal(err)
					}
					damage(t, filepath.Join(dir, file), whole)
				}
				s := secretsIn(t, dir)
				said := ""
				s.Say = func(format string, args ...any) { said += fmt.Sprintf(format, args...) }
				again, err := s.Load()
				if len(files) == 2 {
					checkTrouble(t, err, filepath.Join(dir, SecretsFile), "guest token", "restore a backup")
					acceptLoss(t, s, first)
					return
				}
				if diff := cmp.Diff(first, again); err != nil || diff != "" {
					t.Fatalf("Load = %v (-first +again):\n%s", err, diff)
				}
				if restored := files[0] == SecretsFile; strings.Contains(said, SecretsFile) != restored {
					t.Errorf("it said %q", said)
				}
				for _, file := range []string{SecretsFile, CopyFile} {
					if stored, err := readSecrets(filepath.Join(dir, file)); err != nil || !cmp.Equal(stored, first) {
						t.Errorf("%s was not restored: %v", file, err)
					}
				}
			})
		}
	}
}

// checkTrouble checks what a message to the operator says.
func checkTrouble(t *testing.T, err error, words ...string) {
	t.Helper()
	var trouble *Trouble
	if !errors.As(err, &trouble) {
		t.Fatalf("%v is not a Trouble", err)
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the message does not say %q:\n%v", word, err)
		}
	}
	if strings.Contains(err.Error(), "remove") {
		t.Errorf("the message advises to remove something:\n%v", err)
	}
}

// acceptLoss has new secrets made in place of lost ones. The files of before are
// still there.
func acceptLoss(t *testing.T, s Secrets, before map[string]string) {
	t.Helper()
	names := func() int {
		all, err := os.ReadDir(s.Dir)
		if err != nil {
			t.Fatal(err)
		}
		return len(all)
	}
	n := names()
	s.AcceptLoss = true
	after, err := s.Load()
	if err != nil || after["GUEST_KEYS"] == before["GUEST_KEYS"] || after["GUEST_KEYS"] == "" {
		t.Errorf("Load with an accepted loss = %v, with other secrets: %t", err, after["GUEST_KEYS"] != before["GUEST_KEYS"])
	}
	if names() != n+2 {
		t.Errorf("%d files are there after %d, want two more", names(), n)
	}
}

// TestSecretsAddRings completes the secrets of a version that had fewer rings.
func TestSecretsAddRings(t *testing.T) {
	dir := t.TempDir()
	first, err := load(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, SecretsFile), []byte(`{"GUEST_KEYS": "`+first["GUEST_KEYS"]+`"}`))
	if again, err := load(t, dir); err != nil || !cmp.Equal(first, again) {
		t.Errorf("the rings of the copy were not taken: %v", err)
	}
}

// TestSecretsOfAnotherFolder puts the secrets of another folder in the place of good
// ones: they are used, as the operator wants, and the good ones are renamed and not
// overwritten. A rotated ring is taken into the copy, and no file is added.
func TestSecretsOfAnotherFolder(t *testing.T) {
	dir := t.TempDir()
	first, err := load(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	other, err := load(t, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, keys string
		copies     int // files with secrets beside the first one
	}{
		{"rotated", "second:" + strings.Repeat("k", 40) + "," + first["GUEST_KEYS"], 1},
		{"rotated to the end", "second:" + strings.Repeat("k", 40), 1},
		{"of another folder", other["GUEST_KEYS"], 2},
	} {
		put(t, filepath.Join(dir, SecretsFile), []byte(`{"GUEST_KEYS": "`+test.keys+`"}`))
		if got, err := load(t, dir); err != nil || got["GUEST_KEYS"] != test.keys {
			t.Errorf("%s: Load = %v, with the keys of the file: %t", test.name, err, got["GUEST_KEYS"] == test.keys)
		}
		if copies, err := filepath.Glob(filepath.Join(dir, CopyFile+"*")); len(copies) != test.copies || err != nil {
			t.Errorf("%s: the copies are %v, %v, want %d", test.name, copies, err, test.copies)
		}
	}
}

func put(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestQuote checks paths in commands for a shell.
func TestQuote(t *testing.T) {
	for path, want := range map[string]string{".data": ".data", "/a/2026-11-23T18-00-00.000Z": "/a/2026-11-23T18-00-00.000Z", "/a b": "'/a b'", "a'b": `'a'\''b'`, "": "''"} {
		if got := Quote(path); got != want {
			t.Errorf("Quote(%q) = %s, want %s", path, got, want)
		}
	}
}

// TestCheck checks folders that cannot be used.
func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	put(t, file, nil)
	checkTrouble(t, Check(file), file, "is a file", "DATA_DIR")
	checkTrouble(t, Check(filepath.Join(file, "below")), file, "DATA_DIR")
	dir := filepath.Join(t.TempDir(), "new", "data")
	if err := Check(dir); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("Check left %v in the folder, %v", left, err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is %v, %v; want mode 0700", info, err)
	}
}

// TestReceivingAddress checks that the address of a folder stays the same, and is one.
func TestReceivingAddress(t *testing.T) {
	dir := t.TempDir()
	first, err := ReceivingAddress(dir)
	if err != nil {
		t.Fatal(err)
	}
	if checked, ok := x402.ParseAddress(first); !ok || checked != first {
		t.Errorf("%q is not a checksummed address", first)
	}
	if second, err := ReceivingAddress(dir); err != nil || second != first {
		t.Errorf("the second start has %q, %v", second, err)
	}
	if other, err := ReceivingAddress(t.TempDir()); err != nil || other == first {
		t.Errorf("another folder has %q, %v", other, err)
	}
}

// TestSecretsOfEarlierVersion opens a data folder of a version whose settings held
// one key: its guests are the same, and each ring has the key that there was.
func TestSecretsOfEarlierVersion(t *testing.T) {
	const (
		guestKey = "JXQ2ZB7V4N6YHC3KDR5TFWMAPSJXQ2ZB7V4N6YHC3KDR5TFWMAPS"
		hopKey   = "TFWMAPSJXQ2ZB7V4N6YHC3KDR5TFWMAPSJXQ2ZB7V4N6YHC3KDR5"
		token    = "ipt_eyJhbGciOiJIUzI1NiIsImtpZCI6Im5EbjdCTXZ0IiwidHlwIjoiSldUIn0.eyJpYXQiOjE3OTUzNDg4MDAsInN1YiI6IkFBRUNBd1FGQmdjSUNRb0xEQTBPRHcifQ.LF1l1wfIi0XuGnu3dyL7pZomsqElfu0xSK5NCOEzItY"
		owner    = "g_f30b6f440eca9656dcb9d0c80c9793d9"
	)
	dir := t.TempDir()
	if err := Keep(filepath.Join(dir, SecretsFile), []byte(`{"GUEST_KEY": "`+guestKey+`", "HOP_TICKET_KEY": "`+hopKey+`"}`)); err != nil {
		t.Fatal(err)
	}
	made, err := load(t, dir)
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse(made) // which refuses the names of the earlier version
	if err != nil {
		t.Fatal(err)
	}
	if o, err := identity.NewGuests(c.GuestKeys, time.Now).Verify(token); err != nil || o != owner {
		t.Errorf("a guest of the folder is %q, %v; want %s", o, err, owner)
	}
	if diff := cmp.Diff([][]byte{[]byte(hopKey)}, c.TicketKeys.Secrets()); diff != "" {
		t.Errorf("keys of tickets (-want +got):\n%s", diff)
	}
	if again, err := load(t, dir); err != nil || !cmp.Equal(made, again) {
		t.Errorf("the second start has other secrets: %v", err)
	}
}

// TestOperatorToken checks that each data folder has a token of its own, which
// its owner alone may read, and which stays the same.
func TestOperatorToken(t *testing.T) {
	dir, other := filepath.Join(t.TempDir(), "data"), t.TempDir()
	var tokens []string
	for _, d := range []string{dir, dir, other} {
		token, err := OperatorToken(d)
		if err != nil || len(token) < 16 {
			t.Fatalf("the token is %q, %v", token, err)
		}
		tokens = append(tokens, token)
	}
	if tokens[0] != tokens[1] || tokens[0] == tokens[2] {
		t.Errorf("the tokens of one folder, of the same again and of another are %q", tokens)
	}
	path := filepath.Join(dir, TokenFile)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v; want mode 0600", info, err)
	}
	if _, err := OperatorToken(path); err == nil {
		t.Error("a folder that is a file is no error")
	}
}
