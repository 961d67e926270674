package organization

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/wire/wiretest"
)

// An outbox keeps the last mail, or fails.
type outbox struct {
	last mail.Message
	err  error
}

func (o *outbox) Send(_ context.Context, m mail.Message) error {
	if o.err == nil {
		o.last = m
	}
	return o.err
}

// TestPost follows an invitation from its mail to the place in the organization.
func TestPost(t *testing.T) {
	w, ctx := newWorld(t, wiretest.OpenDB(t), "ana", "bob"), t.Context()
	ana, bob := w.names["ana"], w.names["bob"]
	id := w.found(ana, nil)
	sent := new(outbox)
	p := &Post{w.Organizations, throttle.New(w.db, keyring.Random(), w.clock), sent, "https://mira.example"}
	if err := p.Invite(ctx, ana, id, " Bob@MIRA.example", access.Administrator, i18n.EN); err != nil {
		t.Fatal(err)
	}
	content, _ := sent.last.Content.(mail.Invitation)
	if sent.last.To != "Bob@mira.example" || content.Organization != "Club" || content.Inviter != "ana" || content.Role != mail.Administrator {
		t.Errorf("the mail is %+v", sent.last)
	}
	link, err := url.Parse(content.Link)
	if err != nil || !strings.HasPrefix(content.Link, "https://mira.example/en/invitation?") {
		t.Errorf("the link is %s, %v", content.Link, err)
	}
	if _, err := w.Accept(ctx, bob, link.Query().Get(TokenParam)); err != nil {
		t.Errorf("its token: %v", err)
	}
	for _, test := range []struct {
		name, to string
		by       identity.Owner
		fails    error // of the mail
		want     error
	}{
		{"no address", "bob", ana, nil, address.ErrInvalid},
		{"by a stranger", "carl@mira.example", stranger, nil, ErrForbidden},
		{"a mail that is not sent", "dora@mira.example", ana, mail.ErrNotSent, mail.ErrNotSent},
	} {
		sent.err = test.fails
		if err := p.Invite(ctx, test.by, id, test.to, access.Member, i18n.EN); !errors.Is(err, test.want) {
			t.Errorf("%s: %v, want %v", test.name, err, test.want)
		}
		if n := len(w.stored(id).Invitations); n != 0 {
			t.Errorf("%s: %d invitations are stored", test.name, n)
		}
	}
	sent.err = nil
	var last error
	for range 5 {
		last = p.Invite(ctx, ana, id, "eve@mira.example", access.Member, i18n.EN)
	}
	if !errors.Is(last, throttle.ErrTooMany) {
		t.Errorf("the fifth mail to an address: %v", last)
	}
}
