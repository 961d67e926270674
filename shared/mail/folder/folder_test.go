package folder

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
)

// start is the time of the first mail; each further one is a second later.
var start = time.Date(2026, 11, 23, 8, 45, 0, 0, time.UTC)

// newFolder returns an empty folder.
func newFolder(t *testing.T) (*Folder, string) {
	t.Helper()
	var mu sync.Mutex
	next := start
	dir := filepath.Join(t.TempDir(), "data", "mail")
	return New(dir, mail.Letterhead{From: "mail@m.example", Base: "https://m.example", Now: func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		next = next.Add(time.Second)
		return next
	}}), dir
}

func send(t *testing.T, f *Folder, m mail.Message) {
	t.Helper()
	if err := f.Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
}

// TestKept checks that what was sent can be read, and the code and the link found.
func TestKept(t *testing.T) {
	f, dir := newFolder(t)
	if names, err := Names(dir); err != nil || names != nil {
		t.Errorf("a folder that does not exist has %q, %v", names, err)
	}
	send(t, f, mail.Message{To: "Maria@exämple.de", Locale: i18n.DE, Content: mail.SignIn{Code: "012345", Link: "https://m.example/x?a=b&c=d", Holds: time.Minute}})
	names, err := Names(dir)
	if err != nil || len(names) != 1 {
		t.Fatalf("the folder has %q, %v", names, err)
	}
	got, err := Read(dir, names[0])
	if err != nil {
		t.Fatal(err)
	}
	want := Kept{
		Name: names[0], Date: start.Add(time.Second), To: "Maria@xn--exmple-cua.de", Subject: "Dein Code zum Anmelden bei Miramundo",
		Language: "de", Code: "012345", Link: "https://m.example/x?a=b&c=d",
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(Kept{}, "Text", "HTML")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.HasPrefix(got.Text, want.Subject+"\n\n") || !strings.HasPrefix(got.HTML, "<!DOCTYPE html>") {
		t.Errorf("the bodies are\n%s\n%s", got.Text, got.HTML)
	}
}

// TestNewestFirst checks the order and the bound of what is kept, and that
// concurrent mails do not overwrite each other.
func TestNewestFirst(t *testing.T) {
	f, dir := newFolder(t)
	var work sync.WaitGroup
	for range 4 {
		work.Go(func() {
			for range most/4 + 1 {
				if err := f.Send(t.Context(), mail.Message{To: "maria@example.org", Content: mail.Deleted{}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	work.Wait()
	names, err := Names(dir)
	if err != nil || len(names) != most {
		t.Fatalf("the folder has %d mails, %v; want %d", len(names), err, most)
	}
	if !slices.IsSortedFunc(names, func(a, b string) int { return strings.Compare(b, a) }) {
		t.Error("the mails are not sorted by time, the newest first")
	}
	if last, err := Read(dir, names[0]); err != nil || !last.Date.After(start.Add(most*time.Second)) {
		t.Errorf("the first mail is of %v, %v", last.Date, err)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != most {
		t.Errorf("the folder has %d files, %v", len(entries), err)
	}
}

// TestPrivate checks that only the owner of the folder can read a mail, since it
// opens an account.
func TestPrivate(t *testing.T) {
	f, dir := newFolder(t)
	send(t, f, mail.Message{To: "maria@example.org", Content: mail.Deleted{}})
	names, _ := Names(dir)
	for _, path := range []string{dir, filepath.Join(dir, names[0])} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
	}
}

func TestErrors(t *testing.T) {
	f, dir := newFolder(t)
	if err := f.Send(t.Context(), mail.Message{To: "maria", Content: mail.Deleted{}}); !errors.Is(err, address.ErrInvalid) {
		t.Errorf("to no address: %v", err)
	}
	if err := os.WriteFile(filepath.Dir(filepath.Dir(dir))+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := New(filepath.Dir(filepath.Dir(dir))+"/file/mail", f.head)
	if err := blocked.Send(t.Context(), mail.Message{To: "maria@example.org", Content: mail.Deleted{}}); !errors.Is(err, mail.ErrNotSent) {
		t.Errorf("in a folder that cannot be: %v", err)
	}
	for _, name := range []string{"", "x.eml", "../data/x.eml", "/etc/passwd", "passwd"} {
		if _, err := Read(dir, name); !errors.Is(err, ErrNoMail) {
			t.Errorf("%q: %v, want ErrNoMail", name, err)
		}
	}
}
