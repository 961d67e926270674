package compose

import (
	"errors"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/contact"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/mail/smtp"
)

// openMail returns the sender of a process with settings.
func openMail(t *testing.T, vars ...string) (*Parts, mail.Sender) {
	t.Helper()
	p, err := Open(t.Context(), options(t, vars...), Process{Needs: []Need{Mail}})
	if err != nil {
		t.Fatal(err)
	}
	return p, p.Mail
}

// TestMail checks which sender the settings name.
func TestMail(t *testing.T) {
	p, sender := openMail(t, "MAIL_SMTP", "smtp.example:587", "MAIL_FROM", "mail@m.example", "MAIL_FOLDER", t.TempDir())
	if _, ok := sender.(*smtp.Client); !ok || p.Close() != nil {
		t.Errorf("MAIL_SMTP opens a %T", sender)
	}
	p, sender = openMail(t, "MAIL_FOLDER", t.TempDir())
	if _, ok := sender.(*folder.Folder); !ok || p.Close() != nil {
		t.Errorf("MAIL_FOLDER opens a %T", sender)
	}
	p, sender = openMail(t)
	if err := sender.Send(t.Context(), mail.Message{To: "maria@example.org", Content: mail.Deleted{}}); !errors.Is(err, mail.ErrNotSent) || p.Close() != nil {
		t.Errorf("without settings a mail is sent: %v", err)
	}
	if p, err := Open(t.Context(), options(t, "MAIL_SMTP", "smtp.example:99999", "MAIL_FROM", "mail@m.example"), Process{Needs: []Need{Mail}}); err == nil {
		t.Errorf("a port that does not exist opens a %T", p.Mail)
	}
}

// TestMailQueue checks that closing the parts delivers the mails that wait.
func TestMailQueue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	p, sender := openMail(t, "MAIL_FOLDER", dir, "MAIL_WORKERS", "1")
	for range 5 {
		if err := sender.Send(t.Context(), mail.Message{To: "maria@example.org", Content: mail.Deleted{}}); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 5 {
		t.Errorf("the folder has %d mails, %v", len(files), err)
	}
}

// TestMailRequired checks that a process that sends mail refuses to start without
// settings for it.
func TestMailRequired(t *testing.T) {
	p := Process{Needs: []Need{Mail}, Secrets: []string{"A_KEY"}}
	if got := p.Requirement().Settings; !slices.Equal(got, []string{"A_KEY", "MAIL_SMTP|MAIL_FOLDER"}) {
		t.Errorf("the process requires %q", got)
	}
}

// TestCourier checks that messages to the operator are sent before the answer, also where
// the mails of accounts are sent after it, and only where both settings are there.
func TestCourier(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mail")
	p, sender := openMail(t, "MAIL_FOLDER", dir, "MAIL_WORKERS", "1", "CONTACT_EMAIL", "operator@m.example")
	defer p.Close()
	if _, ok := sender.(*mail.Queue); !ok {
		t.Errorf("the mails of accounts go to a %T", sender)
	}
	m := contact.Message{Name: "Ana", Email: "ana@example.org", Text: "Bom dia."}
	if err := p.Desk().Send(t.Context(), m); err != nil {
		t.Fatal(err)
	}
	names, err := folder.Names(dir)
	if err != nil || len(names) != 1 {
		t.Fatalf("the folder has %q, %v", names, err)
	}
	if kept, err := folder.Read(dir, names[0]); err != nil || kept.To != "operator@m.example" {
		t.Errorf("the mail goes to %s, %v", kept.To, err)
	}
	for _, vars := range [][]string{{"CONTACT_EMAIL", "operator@m.example"}, {"MAIL_FOLDER", dir}} {
		p, _ := openMail(t, vars...)
		if err := p.Desk().Send(t.Context(), m); !errors.Is(err, contact.ErrSettings) || p.Close() != nil {
			t.Errorf("with %q alone: %v", vars, err)
		}
	}
}

// TestHumans checks that the settings of the provider reach the verifier and the widget.
func TestHumans(t *testing.T) {
	p, _ := openMail(t, "HUMAN_VERIFY_URL", "http://127.0.0.1:1/siteverify", "HUMAN_SECRET", "s", "HUMAN_SITE_KEY", "k", "HUMAN_SCRIPT", "https://p.example/w.js?render=explicit")
	defer p.Close()
	if w := p.Widget(); w.SiteKey != "k" || w.Origin() != "https://p.example" {
		t.Errorf("the widget is %+v", w)
	}
	if err := p.Humans().Verify(t.Context(), "a token", netip.Addr{}); !errors.Is(err, human.ErrUnavailable) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("a provider that is down: %v", err)
	}
}
