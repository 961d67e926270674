package act

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/account/claim"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// Networks of the tests.
var (
	netA = strings.Repeat("a1", 16)
	netB = strings.Repeat("b2", 16)
)

// say stores n comments of an owner from a network, spread over the channels A.br to C.br,
// past all limits.
func (w *world) say(owner identity.Owner, network string, n int) {
	w.t.Helper()
	for n > 0 {
		some := min(n, 100)
		w.update(func(tx store.Tx) error {
			var list []comment.Comment
			for i := range some {
				c, err := comment.New(owner, string(rune('A'+i%3))+".br", "", fmt.Sprintf("comment %d by %s", n-i, owner), w.now)
				if err != nil {
					return err
				}
				c.Network = network
				list = append(list, c)
			}
			_, err := comment.Restore(tx, list, w.now)
			return errors.Join(err, tx.Set(comment.PacePath(owner), comment.Pace{}))
		})
		n -= some
	}
}

// chat posts n messages of an owner from a network in the rooms A.br to C.br.
func (w *world) chat(owner identity.Owner, network string, n int) {
	w.t.Helper()
	many := chat.Rate{Every: time.Nanosecond, Burst: 1 << 20}
	rooms := chat.New(chat.Options{DB: w.db, Free: true, Limits: chat.Limits{Owner: many, Room: many, Repeat: 1}, Now: func() time.Time { return w.now }})
	for i := range n {
		d := chat.Draft{Channel: string(rune('A'+i%3)) + ".br", Owner: owner, Wider: network, Body: fmt.Sprintf("message %d by %s", i, owner)}
		if _, err := rooms.Post(w.t.Context(), d); err != nil {
			w.t.Fatal(err)
		}
		w.now = w.now.Add(time.Millisecond)
	}
}

func (w *world) update(f func(store.Tx) error) {
	w.t.Helper()
	if err := w.db.Update(w.t.Context(), f); err != nil {
		w.t.Fatal(err)
	}
}

// shown returns all comments and messages that readers see, and how many comments the
// letters of the outbox count on each channel.
func (w *world) shown() (texts []string, counts map[string]int) {
	w.t.Helper()
	for doc, err := range w.db.Query(w.t.Context(), store.Query{Collection: "comments"}) {
		var c comment.Comment
		if err == nil {
			err = doc.Decode(&c)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		texts = append(texts, fmt.Sprint(doc.ID, c.Channel, c.Owner, c.Author, c.Body, c.CreatedAt))
	}
	rooms := chat.New(chat.Options{DB: w.db, Now: func() time.Time { return w.now }})
	for _, channel := range []string{"A.br", "B.br", "C.br"} {
		list, err := rooms.Recent(w.t.Context(), channel, "")
		if err != nil {
			w.t.Fatal(err)
		}
		for _, m := range list {
			texts = append(texts, fmt.Sprint(m.ID, m.Channel, m.Seq, m.Owner, m.Author, m.Body, m.At.UTC(), m.Network))
		}
	}
	counts = map[string]int{}
	for doc, err := range w.db.Query(w.t.Context(), store.Query{Collection: "outbox"}) {
		var l outbox.Letter
		if err == nil {
			err = doc.Decode(&l)
		}
		if err != nil {
			w.t.Fatal(err)
		}
		c, err := social.CommentOf(bus.Event{Data: l.Data})
		if err != nil {
			w.t.Fatal(err)
		}
		counts[c.Channel] += c.Delta
	}
	maps.DeleteFunc(counts, func(_ string, n int) bool { return n == 0 })
	return slices.Sorted(slices.Values(texts)), counts
}

// by returns those of some texts that contain a word.
func by(texts []string, word string) (some []string) {
	for _, s := range texts {
		if strings.Contains(s, word) {
			some = append(some, s)
		}
	}
	return some
}

// TestRemoveTexts removes what an owner or a network wrote, previewed before, and restores
// it to the same state as before.
func TestRemoveTexts(t *testing.T) {
	for name, test := range map[string]struct {
		sender             Sender
		comments, messages int
		left               []string // of whom texts stay
	}{
		"by owner":   {Sender{Owner: "g_eve"}, 70, 9, []string{"g_bob", "g_ana"}},
		"by network": {Sender{Network: netA}, 80, 13, []string{"g_ana"}},
		"by nobody":  {Sender{Owner: "g_nobody"}, 0, 0, []string{"g_eve", "g_bob", "g_ana"}},
	} {
		t.Run(name, func(t *testing.T) {
			backends(t, func(w *world, _ int) {
				w.say("g_eve", netA, 70)
				w.say("g_bob", netA, 10)
				w.say("g_ana", netB, 3)
				w.chat("g_eve", netA, 9)
				w.chat("g_bob", netA, 4)
				w.chat("g_ana", netB, 2)
				before, counted := w.shown()

				p, err := w.Preview(w.t.Context(), test.sender)
				if err != nil || p.Comments != test.comments || p.Messages != test.messages || p.More || len(p.Examples) > 2*maxExamples || (len(p.Examples) == 0) != (test.comments == 0) {
					t.Errorf("preview: %+v, %v", p, err)
				}
				e, err := w.RemoveTexts(w.t.Context(), test.sender, "a flood", "Olga")
				if err != nil || !e.Bulk.Done || e.Bulk.Comments != test.comments || e.Bulk.Messages != test.messages {
					t.Fatalf("removed: %+v, %v", e.Bulk, err)
				}
				after, counts := w.shown()
				var left []string
				for _, owner := range test.left {
					left = append(left, by(before, owner)...)
				}
				if d := cmp.Diff(slices.Sorted(slices.Values(left)), after); d != "" {
					t.Fatalf("left (-want +got):\n%s", d)
				}
				sum := 0
				for _, n := range counts {
					sum += n
				}
				if want := 83 - test.comments; sum != want {
					t.Errorf("the counters have %d comments, want %d", sum, want)
				}
				if again, err := w.RemoveTexts(w.t.Context(), test.sender, "a flood", "Olga"); err != nil || again.Bulk.Comments+again.Bulk.Messages != 0 {
					t.Errorf("removed again: %+v, %v", again.Bulk, err)
				}

				back, err := w.Undo(w.t.Context(), e.ID, "by mistake", "Olga")
				if err != nil || !back.Bulk.Done || back.Bulk.Comments != test.comments || back.Bulk.Messages != test.messages || back.Verb != RestoreAll {
					t.Errorf("restored: %+v, %v", back, err)
				}
				texts, counts := w.shown()
				if d := cmp.Diff(before, texts); d != "" {
					t.Errorf("restored (-want +got):\n%s", d)
				}
				if d := cmp.Diff(counted, counts); d != "" {
					t.Errorf("counters (-want +got):\n%s", d)
				}
				if n, err := w.db.Count(w.t.Context(), store.Query{Collection: casesCollection}); n != 0 || err != nil {
					t.Errorf("%d copies are left, %v", n, err)
				}
				if again, err := w.Undo(w.t.Context(), e.ID, "by mistake", "Olga"); err != nil || again.ID != back.ID {
					t.Errorf("undone again: %+v, %v", again, err)
				}
				// what was restored can be removed again, with its network
				if e, err = w.RemoveTexts(w.t.Context(), test.sender, "a flood", "Olga"); err != nil || e.Bulk.Comments != test.comments || e.Bulk.Messages != test.messages {
					t.Errorf("removed after it was restored: %+v, %v", e.Bulk, err)
				}
			})
		})
	}
}

// failing is a database that fails after some transactions, as one whose process is killed.
type failing struct {
	store.DB
	left atomic.Int32
}

func (f *failing) Update(ctx context.Context, run func(store.Tx) error) error {
	if f.left.Add(-1) < 0 {
		return errors.New("killed")
	}
	return f.DB.Update(ctx, run)
}

// TestBulkKilled ends an act after any number of batches, and goes on: every text is
// removed and counted once, and restored once.
func TestBulkKilled(t *testing.T) {
	const comments, messages = 130, 60
	for killed := range int32(8) {
		w := newWorld(t, wiretest.OpenDB(t))
		w.say("g_eve", netA, comments)
		w.chat("g_eve", netA, messages)
		before, _ := w.shown()
		f := &failing{DB: w.db}
		half := New(Options{DB: f, Outbox: w.o.Outbox, Now: w.o.Now})

		f.left.Store(killed)
		e, err := half.RemoveTexts(t.Context(), Sender{Network: netA}, "a flood", "Olga")
		if err == nil && !e.Bulk.Done {
			t.Fatalf("neither done nor an error: %+v", e)
		}
		list, _, err := w.Log(t.Context(), 0, 1)
		if err != nil || len(list) != 1 {
			t.Fatalf("the log has %d entries, %v", len(list), err)
		}
		e, err = w.Continue(t.Context(), list[0].ID)
		if err != nil || !e.Bulk.Done || e.Bulk.Comments != comments || e.Bulk.Messages != messages {
			t.Errorf("killed after %d: %+v, %v", killed, e.Bulk, err)
		}
		if left, _ := w.shown(); len(left) != 0 {
			t.Errorf("killed after %d: %d texts are left", killed, len(left))
		}

		f.left.Store(killed)
		if _, err := half.Undo(t.Context(), e.ID, "by mistake", "Olga"); (err == nil) != (killed >= 8) && killed > 6 {
			t.Errorf("undo, killed after %d: %v", killed, err)
		}
		back, err := w.Undo(t.Context(), e.ID, "by mistake", "Olga")
		if err != nil || !back.Bulk.Done || back.Bulk.Comments != comments || back.Bulk.Messages != messages {
			t.Errorf("undo, killed after %d: %+v, %v", killed, back.Bulk, err)
		}
		if texts, _ := w.shown(); !slices.Equal(texts, before) {
			t.Errorf("undo, killed after %d: (-want +got):\n%s", killed, cmp.Diff(before, texts))
		}
	}
}

// TestUndoHalf undoes a removal that is not done: what it removed is restored, and going on
// with it goes on with the restoration.
func TestUndoHalf(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.say("g_eve", netA, 200)
	before, _ := w.shown()
	f := &failing{DB: w.db}
	f.left.Store(2)
	if _, err := New(Options{DB: f, Outbox: w.o.Outbox, Now: w.o.Now}).RemoveTexts(t.Context(), Sender{Owner: "g_eve"}, "a flood", "Olga"); err == nil {
		t.Fatal("it was not killed")
	}
	list, _, err := w.Log(t.Context(), 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	back, err := w.Undo(t.Context(), list[0].ID, "by mistake", "Olga")
	if err != nil || !back.Bulk.Done || back.Bulk.Comments != 2*batch {
		t.Errorf("undone: %+v, %v", back.Bulk, err)
	}
	if e, err := w.Continue(t.Context(), list[0].ID); err != nil || e.ID != back.ID {
		t.Errorf("Continue of the undone act: %+v, %v", e, err)
	}
	if texts, _ := w.shown(); !slices.Equal(texts, before) {
		t.Errorf("restored (-want +got):\n%s", cmp.Diff(before, texts))
	}
}

// TestBulkTogether goes on with one act in several processes at once.
func TestBulkTogether(t *testing.T) {
	backends(t, func(w *world, writers int) {
		w.say("g_eve", netA, 160)
		f := &failing{DB: w.db}
		_, err := New(Options{DB: f, Outbox: w.o.Outbox, Now: w.o.Now}).RemoveTexts(w.t.Context(), Sender{Owner: "g_eve"}, "a flood", "Olga")
		if err == nil {
			w.t.Fatal("it was not killed")
		}
		list, _, err := w.Log(w.t.Context(), 0, 1)
		if err != nil {
			w.t.Fatal(err)
		}
		var g errgroup.Group
		for range min(writers, 4) {
			g.Go(func() error {
				_, err := w.Continue(w.t.Context(), list[0].ID)
				return err
			})
		}
		if err := g.Wait(); err != nil {
			w.t.Fatal(err)
		}
		e, err := w.Continue(w.t.Context(), list[0].ID)
		if err != nil || !e.Bulk.Done || e.Bulk.Comments != 160 {
			w.t.Errorf("%+v, %v", e.Bulk, err)
		}
	})
}

// TestRemoveReported removes a text that was reported: its case is closed, and stays when
// the text is restored.
func TestRemoveReported(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, _ Verb) {
		ref := w.post(kind, "g_eve", "Buy now")
		if _, err := w.Report(w.t.Context(), "g_ana", ref, "spam"); err != nil {
			w.t.Fatal(err)
		}
		e, err := w.RemoveTexts(w.t.Context(), Sender{Owner: "g_eve"}, "a flood", "Olga")
		if err != nil || w.body(ref) != "" || len(w.cases()) != 0 {
			w.t.Errorf("removed: %q, %d cases, %v", w.body(ref), len(w.cases()), err)
		}
		if _, err := w.Undo(w.t.Context(), e.ID, "by mistake", "Olga"); err != nil || w.body(ref) != "Buy now" || len(w.cases()) != 0 {
			w.t.Errorf("restored: %q, %d cases, %v", w.body(ref), len(w.cases()), err)
		}
		if n, err := w.db.Count(w.t.Context(), store.Query{Collection: casesCollection}); n != 1 || err != nil {
			w.t.Errorf("%d cases are kept, %v", n, err)
		}
	})
}

// TestRestoreOwners restores comments of a guest that an account has claimed, and none of
// an owner that was deleted.
func TestRestoreOwners(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	guest, account, gone := identity.Owner("g_"+strings.Repeat("0", 32)), identity.NewOwner(identity.Person), identity.NewOwner(identity.Person)
	w.say(guest, netA, 3)
	w.say(gone, netA, 2)
	e, err := w.RemoveTexts(t.Context(), Sender{Network: netA}, "a flood", "Olga")
	if err != nil || e.Bulk.Comments != 5 {
		t.Fatal(e, err)
	}
	if _, err := claim.New(w.db).Run(t.Context(), claim.Claim{Guest: guest, Account: account, At: w.now}); err != nil {
		t.Fatal(err)
	}
	if err := w.db.Delete(t.Context(), comment.PacePath(gone)); err != nil {
		t.Fatal(err)
	}
	back, err := w.Undo(t.Context(), e.ID, "by mistake", "Olga")
	if err != nil || back.Bulk.Comments != 3 {
		t.Errorf("restored: %+v, %v", back.Bulk, err)
	}
	if texts, _ := w.shown(); len(by(texts, string(account)+"V")) == 0 && len(texts) != 3 {
		t.Errorf("shown: %q", texts)
	}
	for c, err := range comment.All(t.Context(), w.db, account) {
		if err != nil || c.Owner != account {
			t.Errorf("%+v, %v", c, err)
		}
	}
	if n, err := comment.CountSent(t.Context(), w.db, comment.Sender{Owner: account}); n != 3 || err != nil {
		t.Errorf("the account has %d comments, %v", n, err)
	}
}

// TestClaimedMessages finds the messages that an account sent as a guest.
func TestClaimedMessages(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	guest, account := identity.Owner("g_"+strings.Repeat("0", 32)), identity.NewOwner(identity.Person)
	w.chat(guest, netA, 3)
	if _, err := claim.New(w.db).Run(t.Context(), claim.Claim{Guest: guest, Account: account, At: w.now}); err != nil {
		t.Fatal(err)
	}
	w.chat(account, netA, 2)
	e, err := w.RemoveTexts(t.Context(), Sender{Owner: account}, "a flood", "Olga")
	if err != nil || e.Bulk.Messages != 5 {
		t.Errorf("removed: %+v, %v", e.Bulk, err)
	}
}

// TestSenderOf finds the author and the network of a text, also when it was removed.
func TestSenderOf(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	w.say("g_eve", netA, 1)
	w.chat("g_eve", netB, 1)
	p, err := w.Preview(t.Context(), Sender{Owner: "g_eve"})
	if err != nil || len(p.Examples) != 2 {
		t.Fatal(p, err)
	}
	for range 2 {
		for i, network := range []string{netA, netB} {
			author, err := w.SenderOf(t.Context(), p.Examples[i].Ref, false)
			if err != nil || author != (Sender{Owner: "g_eve"}) {
				t.Errorf("author of %v: %+v, %v", p.Examples[i], author, err)
			}
			if s, err := w.SenderOf(t.Context(), p.Examples[i].Ref, true); err != nil || s != (Sender{Network: network}) {
				t.Errorf("network of %v: %+v, %v", p.Examples[i], s, err)
			}
		}
		if _, err := w.RemoveTexts(t.Context(), Sender{Owner: "g_eve"}, "a flood", "Olga"); err != nil {
			t.Fatal(err)
		}
	}
	for _, ref := range []Ref{{}, {Comment, "", "cm_" + strings.Repeat("a", 26)}, {Comment, "", "x"}, {Message, "A.br", strings.Repeat("a", 26)}, {Message, "../x", "x"}} {
		for _, network := range []bool{false, true} {
			if s, err := w.SenderOf(t.Context(), ref, network); !errors.Is(err, ErrNoText) {
				t.Errorf("%v: %+v, %v", ref, s, err)
			}
		}
	}
	unknown := w.post(Comment, "g_bob", "without a network")
	if s, err := w.SenderOf(t.Context(), unknown, true); !errors.Is(err, ErrNoNetwork) {
		t.Errorf("without a network: %+v, %v", s, err)
	}
}

// TestMuteNetwork keeps all callers of a network from writing, and ends that.
func TestMuteNetwork(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	o := Order{Verb: Mute, Network: netA, Hours: 3}
	if e := w.act(o, true); e.Network != netA || e.Owner != "" {
		t.Errorf("entry %+v", e)
	}
	w.act(o, false)
	try := func(want error) {
		t.Helper()
		c, err := comment.New("g_any", "A.br", "", fmt.Sprint("hello ", want), w.now)
		if err != nil {
			t.Fatal(err)
		}
		c.Network = netA
		if _, err := comment.Post(t.Context(), w.db, c); !errors.Is(err, want) {
			t.Errorf("comment: %v, want %v", err, want)
		}
		rooms := chat.New(chat.Options{DB: w.db, Free: true, Now: w.o.Now})
		if _, err := rooms.Post(t.Context(), chat.Draft{Channel: "A.br", Owner: "g_any", Wider: netA, Body: "hello"}); !errors.Is(err, want) {
			t.Errorf("message: %v, want %v", err, want)
		}
	}
	try(moderation.ErrMuted)
	w.act(Order{Verb: Unmute, Network: netA}, true)
	try(nil)
	for _, network := range []string{"x", strings.ToUpper(netA), netA + "00"} {
		if _, _, err := w.Act(t.Context(), Order{Verb: Mute, Network: network, Hours: 1, Reason: "because", By: "Olga"}); fault.From(err).Fields["param"] != "network" {
			t.Errorf("%s: %v", network, err)
		}
	}
}

// TestBadBulk refuses what lacks something.
func TestBadBulk(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	for _, s := range []Sender{{}, {Owner: "x"}, {Owner: "g_eve", Network: netA}, {Network: "x"}, {Owner: "g_/../x"}} {
		if _, err := w.RemoveTexts(t.Context(), s, "because", "Olga"); !errors.Is(err, fault.ErrBody) {
			t.Errorf("%+v: %v", s, err)
		}
		if _, err := w.Preview(t.Context(), s); !errors.Is(err, fault.ErrBody) {
			t.Errorf("preview of %+v: %v", s, err)
		}
	}
	if _, err := w.RemoveTexts(t.Context(), Sender{Owner: "g_eve"}, " ", "Olga"); fault.From(err).Fields["param"] != "reason" {
		t.Errorf("without a reason: %v", err)
	}
	if _, err := w.RemoveTexts(t.Context(), Sender{Owner: "g_eve"}, "because", ""); fault.From(err).Fields["param"] != "by" {
		t.Errorf("without a name: %v", err)
	}
	mute := w.act(Order{Verb: Mute, Owner: "g_eve", Hours: 1}, true)
	for _, id := range []string{"", "x", "../x", strings.Repeat("a", 26), mute.ID} {
		if _, err := w.Continue(t.Context(), id); !errors.Is(err, ErrNoAct) {
			t.Errorf("Continue(%q): %v", id, err)
		}
		if _, err := w.Undo(t.Context(), id, "because", "Olga"); !errors.Is(err, ErrNoAct) {
			t.Errorf("Undo(%q): %v", id, err)
		}
	}
}

// TestFloodUndone floods channels from one network by many guests, as fast as the limits
// let it: one call removes everything, by one of its texts, and leaves what others wrote.
func TestFloodUndone(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	honest := w.post(Comment, "g_ana", "An honest comment")
	accepted, last := 0, Ref{}
	for i := range 1020 {
		w.now = w.now.Add(4 * time.Millisecond)
		c, err := comment.New(identity.Owner(fmt.Sprint("g_", i/comment.PerHour)), fmt.Sprint("C", i%20), "", unlike(i), w.now)
		if err != nil {
			t.Fatal(err)
		}
		c.Network = netA
		if _, err = comment.Post(t.Context(), w.db, c); err == nil {
			accepted++
			last = Ref{Comment, c.Channel, c.PublicID()}
		} else if !errors.Is(err, comment.ErrNetworkLimit) {
			t.Fatal(i, err)
		}
	}
	if accepted != comment.NetworkAtOnce {
		t.Errorf("%d of 1020 comments were accepted", accepted)
	}
	s, err := w.SenderOf(t.Context(), last, true)
	if err != nil {
		t.Fatal(err)
	}
	if e, err := w.RemoveTexts(t.Context(), s, "a flood", "Olga"); err != nil || e.Bulk.Comments != accepted {
		t.Errorf("removed %+v, %v", e.Bulk, err)
	}
	if texts, _ := w.shown(); len(texts) != 1 || w.body(honest) == "" {
		t.Errorf("left: %q", texts)
	}
}

// unlike returns a text that repeats none with another number.
func unlike(n int) string {
	return strings.Repeat(string(rune('a'+n%26)), 2) + "x" + strings.Map(func(digit rune) rune { return digit - '0' + 'k' }, fmt.Sprint(n))
}

// TestBulkCost counts the documents that removing 1,000 comments and restoring them takes.
func TestBulkCost(t *testing.T) {
	meter := storetest.NewMeter(wiretest.OpenDB(t))
	w := newWorld(t, meter)
	w.say("g_eve", netA, 1000)
	before := meter.Ops()
	e, err := w.RemoveTexts(t.Context(), Sender{Network: netA}, "a flood", "Olga")
	if err != nil || e.Bulk.Comments != 1000 {
		t.Fatal(e, err)
	}
	removed := meter.Ops().Less(before)
	if d := cmp.Diff(storetest.Ops{Reads: 4023, Writes: 1082, Deletes: 2000}, removed); d != "" {
		t.Errorf("removing (-want +got):\n%s", d)
	}
	before = meter.Ops()
	if _, err := w.Undo(t.Context(), e.ID, "by mistake", "Olga"); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(storetest.Ops{Reads: 4045, Writes: 2083, Deletes: 1000}, meter.Ops().Less(before)); d != "" {
		t.Errorf("restoring (-want +got):\n%s", d)
	}
}

// TestBulkRepeated removes and restores texts on a database that repeats every transaction,
// as it does when another call goes on with the same act.
func TestBulkRepeated(t *testing.T) {
	db := storetest.NewFaulty(wiretest.OpenDB(t))
	db.Twice = true
	w := newWorld(t, db)
	w.say("g_eve", netA, 70)
	w.chat("g_eve", netA, 9)
	before, _ := w.shown()
	for _, sender := range []Sender{{Owner: "g_eve"}, {Network: netA}} {
		e, err := w.RemoveTexts(t.Context(), sender, "a flood", "Olga")
		if err != nil || !e.Bulk.Done || e.Bulk.Comments != 70 || e.Bulk.Messages != 9 {
			t.Fatalf("removed: %+v, %v", e.Bulk, err)
		}
		e, err = w.Undo(t.Context(), e.ID, "a mistake", "Olga")
		if err != nil || !e.Bulk.Done || e.Bulk.Comments != 70 || e.Bulk.Messages != 9 {
			t.Fatalf("restored: %+v, %v", e.Bulk, err)
		}
	}
	after, _ := w.shown()
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("restored (-before +after):\n%s", diff)
	}
}
