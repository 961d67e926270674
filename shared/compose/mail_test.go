package compose

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

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
