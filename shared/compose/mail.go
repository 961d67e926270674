package compose

import (
	"context"
	"errors"
	"net"

	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/folder"
	"miramundo.dev/shared/mail/smtp"
)

// localFrom is the sender of mails that are kept in a folder.
const localFrom = "mail@miramundo.example"

// noMail refuses every mail. It is opened without settings for mail, which tests leave
// out and services on one machine may; [Process.Requirement] asks the deployed for them.
type noMail struct{}

func (noMail) Send(context.Context, mail.Message) error {
	return mail.ErrNotSent.Because(errors.New("neither MAIL_SMTP nor MAIL_FOLDER is set"))
}

// openMail opens the sender of mails that Config names.
func (p *Parts) openMail() error {
	c := p.Config
	head := mail.Letterhead{From: c.MailFrom, Base: c.BaseURL, Contact: c.ContactEmail, Now: p.Now}
	switch {
	case c.MailSMTP != "":
		host, _, err := net.SplitHostPort(c.MailSMTP)
		if err != nil {
			return err
		}
		sender, err := smtp.New(smtp.Options{Addr: c.MailSMTP, Plain: smtp.IsLoopback(host), User: c.MailUser, Password: c.MailPassword, Head: head})
		if err != nil {
			return err
		}
		p.Mail = sender
	case c.MailFolder != "":
		head.From = localFrom
		p.Mail = folder.New(c.MailFolder, head)
	default:
		p.Mail = noMail{}
	}
	if _, ok := p.Mail.(noMail); !ok {
		p.Courier = p.Mail
	}
	if c.MailWorkers > 0 {
		q := mail.NewQueue(p.Mail, c.MailWorkers, p.Log)
		p.Mail = q
		p.close = append(p.close, q.Close)
	}
	return nil
}
