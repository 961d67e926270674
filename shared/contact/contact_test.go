package contact

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/outbox"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

// A post is a mail server that keeps what it took.
type post struct {
	mu   sync.Mutex
	got  []mail.Message
	down bool
	wait chan struct{} // when set, a mail waits until it is closed
}

func (p *post) Send(_ context.Context, m mail.Message) error {
	if p.wait != nil {
		<-p.wait
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return mail.ErrNotSent
	}
	p.got = append(p.got, m)
	return nil
}

// A world is a desk with its mail server and a clock.
type world struct {
	t *testing.T
	*Desk
	post  *post
	plain store.DB
	clock time.Time
}

// each runs a test on each backend. The clock is that of the machine at first, since
// databases delete by their own.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		w := &world{t: t, post: &post{}, plain: db, clock: time.Now()}
		w.Desk = &Desk{
			DB: sealed.DB(db, keyringtest.Ring(strings.Repeat("k", 32))), Mail: w.post, To: "operator@mira.example",
			Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return w.clock },
		}
		test(t, w)
	})
}

var message = Message{
	Name: "Ana", Email: "ana@example.org", Text: "Bom dia.\nTudo bem?", Kind: "parceria", Company: "Rádio Sol",
	Spaces: []string{"inicio", "canal"}, Days: "90", Locale: i18n.PT, FormTS: 1,
}

// pay stores a message as a sale does.
func (w *world) pay(purchase string, m Message) {
	w.t.Helper()
	data, err := m.Encode()
	if err != nil {
		w.t.Fatal(err)
	}
	c := &billing.Contact{At: store.At(w.clock), DueAt: store.At(w.clock.Add(time.Minute)), ExpireAt: store.At(w.clock.Add(24 * time.Hour))}
	c.SetMessage(data)
	if err := w.DB.Create(w.t.Context(), billing.ContactPath(purchase), c); err != nil {
		w.t.Fatal(err)
	}
}

// TestSend checks the mail of a message.
func TestSend(t *testing.T) {
	p := &post{}
	d := &Desk{Mail: p, To: "operator@mira.example"}
	if err := d.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	want := []mail.Message{{
		To: "operator@mira.example", Locale: i18n.PT, ReplyTo: "ana@example.org",
		Content: mail.Contact{
			Name: "Ana", Email: "ana@example.org", Text: message.Text,
			Details: []mail.Detail{{Field: "tipo", Value: "parceria"}, {Field: "empresa", Value: "Rádio Sol"}, {Field: "espaco", Value: "inicio, canal"}, {Field: "duracao", Value: "90"}},
		},
	}}
	if diff := cmp.Diff(want, p.got); diff != "" {
		t.Errorf("the mail (-want +got):\n%s", diff)
	}
	p.down = true
	if err := d.Send(t.Context(), message); !errors.Is(err, ErrRefused) {
		t.Errorf("a refusal is %v", err)
	}
	for _, d := range []*Desk{{Mail: p}, {To: "operator@mira.example"}} {
		if err := d.Send(t.Context(), message); !errors.Is(err, ErrSettings) {
			t.Errorf("without a setting: %v", err)
		}
	}
}

// TestPaid checks that a paid message is sent once, whatever calls for it, and is not
// readable where it waits.
func TestPaid(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pay("pu_a1", message)
		var raw map[string]any
		if err := w.plain.Get(t.Context(), billing.ContactPath("pu_a1"), &raw); err != nil || strings.Contains(raw["text"].(string), "Qm9t") {
			t.Errorf("the stored message is %v, %v", raw, err)
		}
		for range 3 {
			if err := w.SendPaid(t.Context(), "pu_a1"); err != nil {
				t.Fatal(err)
			}
		}
		if len(w.post.got) != 1 || w.post.got[0].ID != "contacta1" {
			t.Errorf("sent %+v, want one mail with the ID contacta1", w.post.got)
		}
		if err := w.plain.Get(t.Context(), billing.ContactPath("pu_a1"), &raw); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a sent message stays: %v", err)
		}
	})
}

// TestClockAhead stores a message, and refuses another, while the clock is 30 days
// ahead. Once it is set right the job sends both.
func TestClockAhead(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		right := w.clock
		w.clock = right.Add(30 * 24 * time.Hour)
		w.pay("pu_a", message)
		w.pay("pu_b", message)
		if kept, err := w.box().Claim(t.Context(), "pu_b"); kept == nil || err != nil { // by a process that dies
			t.Fatalf("claim = %v, %v", kept, err)
		}
		w.clock = right
		if got, err := w.Run(t.Context()); err != nil || got.Sent != 2 {
			t.Errorf("Run = %+v, %v, want 2 sent", got, err)
		}
		if len(w.post.got) != 2 {
			t.Errorf("%d mails are sent", len(w.post.got))
		}
	})
}

// TestRefused checks that a message that the mail server refuses is sent by the next
// call at once, and otherwise by the job, which waits longer each time.
func TestRefused(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pay("pu_a", message)
		w.pay("pu_b", message)
		w.post.down = true
		for range 2 {
			if err := w.SendPaid(t.Context(), "pu_a"); !errors.Is(err, ErrRefused) {
				t.Fatalf("a refusal is %v", err)
			}
		}
		w.post.down = false
		if err := w.SendPaid(t.Context(), "pu_a"); err != nil || len(w.post.got) != 1 {
			t.Errorf("the repeated call: %v, %d mails", err, len(w.post.got))
		}
		if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{}) {
			t.Errorf("the job takes up a message of this minute: %+v, %v", done, err)
		}
		w.post.down = true
		w.clock = w.clock.Add(time.Minute)
		for _, wait := range []time.Duration{1, 2, 4, 8} {
			if done, err := w.Run(t.Context()); !errors.Is(err, ErrRefused) || done != (outbox.Result{Failed: 1}) {
				t.Errorf("the job of a server that refuses: %+v, %v", done, err)
			}
			w.clock = w.clock.Add(wait*time.Minute - time.Second)
			if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{}) {
				t.Errorf("the job does not wait for %d minutes: %+v, %v", wait, done, err)
			}
			w.clock = w.clock.Add(time.Second)
		}
		w.post.down = false
		if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{Sent: 1}) || len(w.post.got) != 2 {
			t.Errorf("the job: %+v, %v, %d mails", done, err, len(w.post.got))
		}
	})
}

// TestClaim checks that two attempts at once send one mail, and that the claim of a
// process that has ended expires.
func TestClaim(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.pay("pu_a", message)
		if kept, err := w.box().Claim(t.Context(), "pu_a"); err != nil || kept == nil { // by a process that ends here
			t.Fatal(kept, err)
		}
		if err := w.SendPaid(t.Context(), "pu_a"); err != nil || len(w.post.got) != 0 {
			t.Errorf("a claimed message is sent: %v, %d mails", err, len(w.post.got))
		}
		w.clock = w.clock.Add(time.Minute)
		if done, err := w.Run(t.Context()); err != nil || done.Sent != 1 || len(w.post.got) != 1 {
			t.Errorf("after the claim: %+v, %v, %d mails", done, err, len(w.post.got))
		}

		w.pay("pu_b", message)
		w.post.wait = make(chan struct{})
		var work sync.WaitGroup
		for range 4 {
			work.Go(func() {
				if err := w.SendPaid(t.Context(), "pu_b"); err != nil {
					t.Error(err)
				}
			})
		}
		close(w.post.wait)
		work.Wait()
		if len(w.post.got) != 2 {
			t.Errorf("four attempts at once send %d mails", len(w.post.got)-1)
		}
	})
}

// TestOutage checks what a database that fails means.
func TestOutage(t *testing.T) {
	p := &post{}
	d := &Desk{DB: storetest.Broken(), Mail: p, To: "operator@mira.example", Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }}
	if err := d.SendPaid(t.Context(), "pu_a"); !errors.Is(err, fault.ErrUnavailable) {
		t.Errorf("without a database: %v", err)
	}
	if _, err := d.Run(t.Context()); err == nil {
		t.Error("the job does not say that the database fails")
	}
}
