package act

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
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
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// start is when tests begin: now, because the databases hide what has expired.
var start = time.Now().UTC().Truncate(time.Second)

// silent is a bus that takes nothing: every letter stays in the outbox, where the tests
// count it.
type silent struct{ bus.Bus }

func (silent) Publish(context.Context, string, ...bus.Event) error { return errors.New("no bus") }

// A world is a moderator with a clock that tests move.
type world struct {
	*Moderator
	t   *testing.T
	db  store.DB
	now time.Time
}

func newWorld(t *testing.T, db store.DB) *world {
	w := &world{t: t, db: db, now: start}
	clock := func() time.Time { return w.now }
	w.Moderator = New(Options{DB: db, Outbox: &outbox.Outbox{DB: db, Bus: silent{}, Log: slog.New(slog.DiscardHandler), Now: clock}, Now: clock})
	return w
}

// backends runs f on an empty database of each kind that there is.
func backends(t *testing.T, f func(w *world, writers int)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, writers int) { f(newWorld(t, db), writers) })
}

// post stores a text of a kind on the channel A.br.
func (w *world) post(kind Kind, owner identity.Owner, body string) Ref {
	w.t.Helper()
	if kind == Message {
		m, err := chat.New(chat.Options{DB: w.db, Free: true, Now: func() time.Time { return w.now }}).
			Post(w.t.Context(), chat.Draft{Channel: "A.br", Owner: owner, Author: "Eve", Body: body})
		if err != nil {
			w.t.Fatal(err)
		}
		return Ref{Message, "A.br", m.ID}
	}
	c, err := comment.New(owner, "A.br", "Eve", body, w.now)
	if err == nil {
		_, err = comment.Post(w.t.Context(), w.db, c)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return Ref{Comment, "A.br", c.PublicID()}
}

// body returns the body of a text, or the empty string when it does not exist.
func (w *world) body(ref Ref) (body string) {
	w.t.Helper()
	err := w.db.Update(w.t.Context(), func(tx store.Tx) error {
		t, err := read(tx, ref)
		if err == nil {
			body = t.body
		}
		return err
	})
	if err != nil && !errors.Is(err, ErrNoText) {
		w.t.Fatal(err)
	}
	return body
}

// act acts, and checks whether that changed something.
func (w *world) act(o Order, changed bool) Entry {
	w.t.Helper()
	o.Reason, o.By = "because", "Olga"
	e, got, err := w.Act(w.t.Context(), o)
	if err != nil || got != changed {
		w.t.Errorf("%s %s: changed %t, %v; want %t", o.Verb, o.Ref.ID, got, err, changed)
	}
	return e
}

// cases returns the open cases.
func (w *world) cases() []Case {
	w.t.Helper()
	list, total, err := w.Cases(w.t.Context(), 0, 50)
	if err != nil || total != len(list) {
		w.t.Fatalf("%d cases of %d, %v", len(list), total, err)
	}
	return list
}

// log returns the log as lines of verb, owner and text, newest first.
func (w *world) log() (lines []string) {
	w.t.Helper()
	list, total, err := w.Log(w.t.Context(), 0, 50)
	if err != nil || total != len(list) {
		w.t.Fatalf("%d entries of %d, %v", len(list), total, err)
	}
	for _, l := range list {
		line := fmt.Sprint(l.Verb, " ", l.Owner)
		if l.Case != nil {
			line += " " + l.Case.Body
		}
		if l.Reason != "because" || l.By != "Olga" || l.At.IsZero() || l.ID == "" {
			w.t.Errorf("entry %+v", l.Entry)
		}
		lines = append(lines, line)
	}
	return lines
}

// eachKind runs f with each kind of text and the verb that removes it.
func eachKind(t *testing.T, f func(w *world, kind Kind, remove Verb)) {
	for kind, remove := range map[Kind]Verb{Comment: RemoveComment, Message: RemoveMessage} {
		t.Run(string(kind), func(t *testing.T) {
			backends(t, func(w *world, _ int) { f(w, kind, remove) })
		})
	}
}

// report reports a text, and checks whether that counted.
func (w *world) report(owner identity.Owner, ref Ref, reason string, counted bool) {
	w.t.Helper()
	if got, err := w.Report(w.t.Context(), owner, ref, reason); got != counted || err != nil {
		w.t.Errorf("%s reports %s: counted %t, %v; want %t", owner, ref.ID, got, err, counted)
	}
}

// TestReport reports texts: each owner counts once for each of them, and the operator
// gets the last reported first.
func TestReport(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, _ Verb) {
		first, second := w.post(kind, "g_eve", "first"), w.post(kind, "g_eve", "second")
		w.now = start.Add(time.Minute)
		w.report("g_ana", first, "spam", true)
		w.report("g_ana", first, "abuse", false)
		w.report("g_ana", second, "hate", true)
		w.now = start.Add(2 * time.Minute)
		w.report("g_bob", first, "spam", true)
		want := []Case{
			{
				Ref: first, Owner: "g_eve", Author: "Eve", Body: "first", At: store.At(start), Open: true, Reports: 2, Reasons: map[string]int{"spam": 2},
				FirstAt: store.At(start.Add(time.Minute)), ReportedAt: store.At(w.now), ExpireAt: store.At(w.now.Add(KeepFor)),
			},
			{
				Ref: second, Owner: "g_eve", Author: "Eve", Body: "second", At: store.At(start), Open: true, Reports: 1, Reasons: map[string]int{"hate": 1},
				FirstAt: store.At(start.Add(time.Minute)), ReportedAt: store.At(start.Add(time.Minute)), ExpireAt: store.At(start.Add(time.Minute + KeepFor)),
			},
		}
		if d := cmp.Diff(want, w.cases()); d != "" {
			w.t.Errorf("cases (-want +got):\n%s", d)
		}
		list, total, err := w.Cases(w.t.Context(), 1, 1)
		if d := cmp.Diff(want[1:], list); d != "" || total != 2 || err != nil {
			w.t.Errorf("the second page: %d, %v (-want +got):\n%s", total, err, d)
		}
		last := "q" // of an id that is not the first one's, whose letters are random
		if strings.HasSuffix(first.ID, last) {
			last = "r"
		}
		for name, test := range map[string]struct {
			owner identity.Owner
			ref   Ref
			want  error
		}{
			"its author":        {"g_eve", first, ErrOwn},
			"an unknown id":     {"g_ana", Ref{kind, "A.br", first.ID[:len(first.ID)-1] + last}, ErrNoText},
			"no id":             {"g_ana", Ref{kind, "A.br", ""}, ErrNoText},
			"a path":            {"g_ana", Ref{kind, "../x", "../" + first.ID}, ErrNoText},
			"an unknown kind":   {"g_ana", Ref{"page", "A.br", first.ID}, ErrNoText},
			"a missing channel": {"g_ana", Ref{Message, "", first.ID}, ErrNoText},
		} {
			if _, err := w.Report(w.t.Context(), test.owner, test.ref, "spam"); !errors.Is(err, test.want) {
				w.t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		if _, err := w.Report(w.t.Context(), "g_x", first, "boring"); !errors.Is(err, fault.ErrBody) {
			w.t.Errorf("an unknown reason: %v", err)
		}
	})
}

// TestReportAtOnce reports a text from many owners and twice from each at once: each
// counts once.
func TestReportAtOnce(t *testing.T) {
	backends(t, func(w *world, writers int) {
		ref := w.post(Comment, "g_eve", "spam")
		n := min(writers, 12)
		var counted atomic.Int32
		var g errgroup.Group
		for i := range 2 * n {
			g.Go(func() error {
				ok, err := w.Report(w.t.Context(), identity.Owner(fmt.Sprint("g_", i/2)), ref, "spam")
				if ok {
					counted.Add(1)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil {
			w.t.Fatal(err)
		}
		if list := w.cases(); int(counted.Load()) != n || len(list) != 1 || list[0].Reports != n || list[0].Reasons["spam"] != n {
			w.t.Errorf("%d counted, cases %+v; want %d", counted.Load(), list, n)
		}
	})
}

// TestReportLimit reports as many texts as an owner can in a day, and one more.
func TestReportLimit(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	var refs []Ref
	for i := range ReportsPerDay + 2 {
		refs = append(refs, w.post(Comment, identity.Owner(fmt.Sprint("g_", i)), "spam"))
	}
	for i, ref := range refs[:ReportsPerDay] {
		w.now = start.Add(time.Duration(i) * time.Minute)
		w.report("g_ana", ref, "spam", true)
	}
	_, err := w.Report(t.Context(), "g_ana", refs[ReportsPerDay], "spam")
	if want := int((24*time.Hour - (ReportsPerDay-1)*time.Minute).Seconds()); !errors.Is(err, ErrTooManyReports) || fault.From(err).Fields["retry_after"] != want {
		t.Errorf("one more: %v, %v", err, fault.From(err).Fields)
	}
	w.report("g_ana", refs[0], "spam", false) // a repetition needs no room
	w.report("g_bob", refs[ReportsPerDay], "spam", true)
	w.now = start.Add(24 * time.Hour)
	w.report("g_ana", refs[ReportsPerDay], "spam", true)
	if _, err := w.Report(t.Context(), "g_ana", refs[ReportsPerDay+1], "spam"); !errors.Is(err, ErrTooManyReports) {
		t.Errorf("two more when one report is a day old: %v", err)
	}
}

// TestRemove removes texts that were reported and that were not. The operator can read
// them afterwards, and nobody else.
func TestRemove(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, remove Verb) {
		reported, other, kept := w.post(kind, "g_eve", "reported"), w.post(kind, "g_bob", "other"), w.post(kind, "g_eve", "kept")
		w.report("g_ana", reported, "spam", true)
		letters := w.count("outbox")
		for _, ref := range []Ref{reported, other} {
			w.now = w.now.Add(time.Minute)
			w.act(Order{Verb: remove, Ref: Ref{Channel: ref.Channel, ID: ref.ID}}, true)
			w.act(Order{Verb: remove, Ref: ref}, false)
			if got := w.body(ref); got != "" {
				w.t.Errorf("the text is still %q", got)
			}
			if _, err := w.Report(w.t.Context(), "g_x", ref, "spam"); !errors.Is(err, ErrNoText) {
				w.t.Errorf("a removed text is reported: %v", err)
			}
		}
		if kind == Comment {
			letters += 2
		}
		if got := w.count("outbox"); got != letters || w.body(kept) != "kept" || len(w.cases()) != 0 {
			w.t.Errorf("%d letters, want %d; the other text is %q; cases %+v", got, letters, w.body(kept), w.cases())
		}
		if d := cmp.Diff([]string{string(remove) + " g_bob other", string(remove) + " g_eve reported"}, w.log()); d != "" {
			w.t.Errorf("log (-want +got):\n%s", d)
		}
		_, _, err := w.Act(w.t.Context(), Order{Verb: remove, Ref: Ref{Channel: "A.br", ID: strings.Repeat("a", 26)}, Reason: "x", By: "x"})
		if !errors.Is(err, ErrNoText) {
			w.t.Errorf("an unknown text: %v", err)
		}
		var c Case
		if err := w.db.Get(w.t.Context(), casePath(other), &c); err != nil || !c.Removed || !c.ExpireAt.Equal(w.now.Add(KeepFor)) {
			w.t.Errorf("the copy: %+v, %v", c, err)
		}
	})
}

// count counts the documents of a collection.
func (w *world) count(collection store.Path) int {
	w.t.Helper()
	n, err := w.db.Count(w.t.Context(), store.Query{Collection: collection})
	if err != nil {
		w.t.Fatal(err)
	}
	return n
}

// TestGone closes the case of a comment that its author removed first.
func TestGone(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	ref := w.post(Comment, "g_eve", "spam")
	w.report("g_ana", ref, "spam", true)
	id, _ := comment.ParseID(ref.ID)
	if _, _, err := comment.Remove(t.Context(), w.db, "g_eve", id, w.now); err != nil {
		t.Fatal(err)
	}
	w.act(Order{Verb: Mute, Ref: ref, Hours: 1}, true)
	w.act(Order{Verb: RemoveComment, Ref: ref}, true)
	w.act(Order{Verb: RemoveComment, Ref: ref}, false)
	if got := w.log(); len(got) != 2 || len(w.cases()) != 0 {
		t.Errorf("log %q, cases %+v", got, w.cases())
	}
}

// TestDismiss closes a case: the text stays, and further reports are only counted.
func TestDismiss(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, remove Verb) {
		ref := w.post(kind, "g_eve", "harmless")
		w.report("g_ana", ref, "spam", true)
		w.act(Order{Verb: Dismiss, Ref: ref}, true)
		w.act(Order{Verb: Dismiss, Ref: ref}, false)
		w.report("g_bob", ref, "spam", true)
		if got := w.cases(); len(got) != 0 || w.body(ref) != "harmless" {
			w.t.Errorf("cases %+v, the text is %q", got, w.body(ref))
		}
		if _, _, err := w.Act(w.t.Context(), Order{Verb: Dismiss, Ref: w.post(kind, "g_eve", "not reported"), Reason: "x", By: "x"}); !errors.Is(err, ErrNoText) {
			w.t.Errorf("without reports: %v", err)
		}
		w.now = w.now.Add(time.Minute)
		w.act(Order{Verb: remove, Ref: ref}, true) // on second thoughts
		if d := cmp.Diff([]string{string(remove) + " g_eve harmless", "dismiss g_eve harmless"}, w.log()); d != "" {
			w.t.Errorf("log (-want +got):\n%s", d)
		}
	})
}

// muted returns when the mute of an owner ends; the zero time without one.
func (w *world) muted(owner identity.Owner) time.Time {
	w.t.Helper()
	var m moderation.Mute
	if err := w.db.Get(w.t.Context(), moderation.MutePath(owner), &m); err != nil && !errors.Is(err, store.ErrNotFound) {
		w.t.Fatal(err)
	}
	return m.ExpireAt.Time
}

// TestMute mutes by a text and by an owner, for longer and for shorter, and ends that.
func TestMute(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, remove Verb) {
		ref := w.post(kind, "g_eve", "spam")
		byText, byOwner := Order{Verb: Mute, Ref: ref}, Order{Verb: Mute, Owner: "g_eve"}
		for i, step := range []struct {
			order   Order
			hours   int
			after   time.Duration
			changed bool
		}{
			{byText, 24, 0, true},
			{byText, 24, 30 * time.Second, false},
			{byOwner, 24, 0, false},
			{byOwner, 48, 0, true},
			{byText, 12, 0, true},
			{byText, 12, 2 * time.Minute, true},
		} {
			w.now = w.now.Add(step.after)
			before := w.muted("g_eve")
			step.order.Hours = step.hours
			e := w.act(step.order, step.changed)
			want := w.now.Add(time.Duration(step.hours) * time.Hour)
			if !e.Until.Equal(want) {
				w.t.Errorf("step %d: until %v, want %v", i, e.Until, want)
			}
			if !step.changed {
				want = before
			}
			if got := w.muted("g_eve"); !got.Equal(want) {
				w.t.Errorf("step %d: muted until %v, want %v", i, got, want)
			}
		}
		w.act(Order{Verb: remove, Ref: ref}, true)
		w.now = w.now.Add(time.Second)
		w.act(Order{Verb: Unmute, Ref: ref}, true) // by a text that was removed
		w.act(Order{Verb: Unmute, Owner: "g_eve"}, false)
		if got := w.muted("g_eve"); !got.IsZero() {
			w.t.Errorf("still muted until %v", got)
		}
		if got := w.log()[0]; got != "unmute g_eve spam" {
			w.t.Errorf("the last entry is %q", got)
		}
	})
}

// TestMuteOfClaimed mutes the author of a text that an account has claimed as a guest:
// the mute is the account's too.
func TestMuteOfClaimed(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, _ Verb) {
		ref, account := w.post(kind, "g_eve", "spam"), identity.NewOwner(identity.Person)
		if err := w.db.Set(t.Context(), claim.Path("g_eve"), map[string]any{"account": account}); err != nil {
			t.Fatal(err)
		}
		w.act(Order{Verb: Mute, Ref: ref, Hours: 24}, true)
		if guest, got := w.muted("g_eve"), w.muted(account); got.IsZero() || !got.Equal(guest) {
			t.Errorf("the guest is muted until %v, the account until %v", guest, got)
		}
		w.act(Order{Verb: Unmute, Ref: ref}, true)
		if got := w.muted(account); !got.IsZero() {
			t.Errorf("the account is still muted until %v", got)
		}
	})
}

// TestRoom closes a room and opens it.
func TestRoom(t *testing.T) {
	backends(t, func(w *world, _ int) {
		post := func() error {
			rooms := chat.New(chat.Options{DB: w.db, Free: true, Now: func() time.Time { return w.now }})
			_, err := rooms.Post(w.t.Context(), chat.Draft{Channel: "A.br", Owner: "g_ana", Body: w.now.String()})
			return err
		}
		room := Ref{Channel: "A.br"}
		w.act(Order{Verb: OpenRoom, Ref: room}, false)
		w.act(Order{Verb: CloseRoom, Ref: room, Hours: 2}, true)
		w.now = w.now.Add(30 * time.Second)
		w.act(Order{Verb: CloseRoom, Ref: room, Hours: 2}, false)
		if err := post(); !errors.Is(err, chat.ErrClosed) {
			w.t.Errorf("in a closed room: %v", err)
		}
		w.now = w.now.Add(time.Second)
		w.act(Order{Verb: OpenRoom, Ref: Ref{Comment, "A.br", "cm_x"}, Owner: "g_x"}, true) // of which the channel matters
		w.act(Order{Verb: OpenRoom, Ref: room}, false)
		if err := post(); err != nil {
			w.t.Errorf("in an open room: %v", err)
		}
		w.now = w.now.Add(time.Second)
		w.act(Order{Verb: CloseRoom, Ref: room, Hours: 1}, true)
		w.now = w.now.Add(time.Hour)
		if err := post(); err != nil {
			w.t.Errorf("when the closing has ended: %v", err)
		}
		if d := cmp.Diff([]string{"close_room ", "open_room ", "close_room "}, w.log()); d != "" {
			w.t.Errorf("log (-want +got):\n%s", d)
		}
	})
}

// TestOrder refuses orders that lack something, and keeps nothing of them.
func TestOrder(t *testing.T) {
	w := newWorld(t, wiretest.OpenDB(t))
	ref := w.post(Comment, "g_eve", "spam")
	right := Order{Verb: Mute, Ref: ref, Hours: 1, Reason: "because", By: "Olga"}
	for name, test := range map[string]struct {
		change func(*Order)
		param  string
	}{
		"no verb":          {func(o *Order) { o.Verb = "" }, "act"},
		"an unknown verb":  {func(o *Order) { o.Verb = "ban" }, "act"},
		"no reason":        {func(o *Order) { o.Reason = " " }, "reason"},
		"no name":          {func(o *Order) { o.By = "\t" }, "by"},
		"no hours":         {func(o *Order) { o.Hours = 0 }, "hours"},
		"negative hours":   {func(o *Order) { o.Hours = -1 }, "hours"},
		"too many hours":   {func(o *Order) { o.Hours = MaxHours + 1 }, "hours"},
		"no id":            {func(o *Order) { o.Ref.ID = "" }, "id"},
		"no kind":          {func(o *Order) { o.Ref.Kind = "" }, "kind"},
		"no owner by form": {func(o *Order) { o.Owner = "eve" }, "owner"},
		"a path as owner":  {func(o *Order) { o.Owner = "g_/x" }, "owner"},
		"no channel":       {func(o *Order) { o.Verb, o.Ref.Channel = CloseRoom, "" }, "channel_id"},
		"a path as room":   {func(o *Order) { o.Verb, o.Ref.Channel = OpenRoom, "a/b" }, "channel_id"},
	} {
		o := right
		test.change(&o)
		_, changed, err := w.Act(t.Context(), o)
		if changed || !errors.Is(err, fault.ErrBody) || fault.From(err).Fields["param"] != test.param {
			t.Errorf("%s: changed %t, %v, %v", name, changed, err, fault.From(err).Fields)
		}
	}
	if got := w.log(); got != nil || !w.muted("g_eve").IsZero() {
		t.Errorf("log %q, muted until %v", got, w.muted("g_eve"))
	}
	if _, changed, err := w.Act(t.Context(), right); !changed || err != nil {
		t.Errorf("the right order: %t, %v", changed, err)
	}
}

// TestTwoOperators has many operators do the same at once: one of them does it, and the
// log has it once.
func TestTwoOperators(t *testing.T) {
	for kind, remove := range map[Kind]Verb{Comment: RemoveComment, Message: RemoveMessage} {
		t.Run(string(kind), func(t *testing.T) {
			backends(t, func(w *world, writers int) {
				ref := w.post(kind, "g_eve", "spam")
				w.report("g_ana", ref, "spam", true)
				for _, o := range []Order{{Verb: Mute, Ref: ref, Hours: 5}, {Verb: remove, Ref: ref}, {Verb: CloseRoom, Ref: ref, Hours: 5}, {Verb: Unmute, Ref: ref}} {
					o.Reason, o.By = "because", "Olga"
					var changed atomic.Int32
					var g errgroup.Group
					for range min(writers, 8) {
						g.Go(func() error {
							_, ok, err := w.Act(w.t.Context(), o)
							if ok {
								changed.Add(1)
							}
							return err
						})
					}
					if err := g.Wait(); err != nil || changed.Load() != 1 {
						w.t.Errorf("%s: %d changed something, %v", o.Verb, changed.Load(), err)
					}
				}
				if got := w.log(); len(got) != 4 {
					w.t.Errorf("log %q", got)
				}
			})
		})
	}
}

// TestHide hides the author of a text.
func TestHide(t *testing.T) {
	eachKind(t, func(w *world, kind Kind, _ Verb) {
		ref, other := w.post(kind, "g_eve", "one"), w.post(kind, "g_eve", "two")
		want := moderation.HiddenOwner{Owner: "g_eve", Name: "Eve", Since: store.At(start)}
		for i, r := range []Ref{ref, ref, other} {
			got, added, err := w.Hide(w.t.Context(), "g_ana", r)
			if d := cmp.Diff(want, got); d != "" || added != (i == 0) || err != nil {
				w.t.Errorf("call %d: added %t, %v (-want +got):\n%s", i, added, err, d)
			}
			w.now = w.now.Add(time.Hour)
		}
		if _, _, err := w.Hide(w.t.Context(), "g_eve", ref); !errors.Is(err, ErrOwn) {
			w.t.Errorf("oneself: %v", err)
		}
		if _, _, err := w.Hide(w.t.Context(), "g_ana", Ref{kind, "A.br", "x"}); !errors.Is(err, ErrNoText) {
			w.t.Errorf("an unknown text: %v", err)
		}
		h, err := moderation.HiddenBy(w.t.Context(), w.db, "g_ana")
		if d := cmp.Diff([]moderation.HiddenOwner{want}, h.Owners); d != "" || err != nil {
			w.t.Errorf("%v (-want +got):\n%s", err, d)
		}
	})
}

// TestRemoveReports deletes the reports of one owner alone.
func TestRemoveReports(t *testing.T) {
	backends(t, func(w *world, _ int) {
		ref := w.post(Comment, "g_eve", "spam")
		w.report("g_ana", ref, "spam", true)
		w.report("g_bob", ref, "hate", true)
		list, err := ReportsBy(w.t.Context(), w.db, "g_ana")
		want := []Report{{Ref: ref, Owner: "g_ana", Reason: "spam", At: store.At(start), ExpireAt: store.At(start.Add(KeepFor))}}
		if d := cmp.Diff(want, list); d != "" || err != nil {
			w.t.Errorf("%v (-want +got):\n%s", err, d)
		}
		for range 2 {
			if err := RemoveReports(w.t.Context(), w.db, "g_ana"); err != nil {
				w.t.Fatal(err)
			}
		}
		if w.count(reportsCollection) != 1 || w.count("owners/g_ana/kept") != 0 || w.count("owners/g_bob/kept") != 1 {
			w.t.Errorf("%d reports are left", w.count(reportsCollection))
		}
		if got := w.cases(); len(got) != 1 || got[0].Reports != 2 {
			w.t.Errorf("cases %+v", got)
		}
	})
}

// TestBroken passes on failures of the database.
func TestBroken(t *testing.T) {
	w := newWorld(t, storetest.Broken())
	ref := Ref{Comment, "A.br", "cm_" + strings.Repeat("a", 26)}
	_, e1 := w.Report(t.Context(), "g_ana", ref, "spam")
	_, _, e2 := w.Act(t.Context(), Order{Verb: Mute, Ref: ref, Hours: 1, Reason: "x", By: "x"})
	_, _, e3 := w.Hide(t.Context(), "g_ana", ref)
	_, _, e4 := w.Cases(t.Context(), 0, 10)
	_, _, e5 := w.Log(t.Context(), 0, 10)
	_, e6 := ReportsBy(t.Context(), w.db, "g_ana")
	e7 := RemoveReports(t.Context(), w.db, "g_ana")
	for i, err := range []error{e1, e2, e3, e4, e5, e6, e7} {
		if !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("call %d: %v", i+1, err)
		}
	}
}
