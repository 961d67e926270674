package takedown

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/outbox"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)

const operator = "operator@mira.example"

// A post is a mail server that keeps what it took.
type post struct {
	mu   sync.Mutex
	got  []mail.Message
	down bool
}

func (p *post) Send(_ context.Context, m mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.down {
		return mail.ErrNotSent
	}
	p.got = append(p.got, m)
	return nil
}

// to returns the contents of the mails to an address.
func (p *post) to(address string) (all []mail.Content) {
	for _, m := range p.got {
		if m.To == address {
			all = append(all, m.Content)
		}
	}
	return all
}

// A world is a desk with its mail server, its log and a clock.
type world struct {
	t *testing.T
	*Desk
	post  *post
	plain store.DB
	log   bytes.Buffer
	clock time.Time
}

// each runs a test on each backend. The clock is that of the machine at first, since
// databases delete by their own.
func each(t *testing.T, test func(t *testing.T, w *world)) {
	wiretest.Each(t, os.Getenv("FIRESTORE_EMULATOR_HOST"), func(t *testing.T, db store.DB, _ int) {
		w := &world{t: t, post: &post{}, plain: db, clock: time.Now()}
		w.Desk = &Desk{
			DB: sealed.DB(db, keyringtest.Ring(strings.Repeat("k", 32))), Mail: w.post, To: operator, Base: "https://mira.example",
			Log: slog.New(slog.NewTextHandler(&w.log, nil)), Now: func() time.Time { return w.clock },
		}
		test(t, w)
	})
}

var stream = catalog.StreamID(1).String()

var named = []Target{
	{Given: "https://mira.example/c/Aurora.br", Kind: block.Channel, Value: "Aurora.br", Name: "Aurora"},
	{Given: stream, Kind: block.Stream, Value: stream},
	{Given: "evil.example", Kind: block.Host, Value: "evil.example", Streams: 2},
	{Given: "Nobody knows"},
}

var request = Request{
	Kind: Copyright, Name: "Ana Holder", Organization: "Rights of Ana", Email: "ana@holder.example", Text: "It is mine. Really.",
	Signature: "Ana B. Holder", Locale: i18n.FR, Targets: named,
}

// file stores a request.
func (w *world) file(r Request) Case {
	w.t.Helper()
	c, _, err := w.File(w.t.Context(), r)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

// counter stores a counter-notice to a case.
func (w *world) counter(number int) Case {
	w.t.Helper()
	return w.file(Request{Name: "Bob", Email: "bob@channel.example", Text: "It is ours.", Signature: "Bob", Locale: i18n.DE, Answers: number})
}

// decide gives an order, and checks whether that changed something.
func (w *world) decide(number int, v Verb, changed bool) Case {
	w.t.Helper()
	c, got, err := w.Decide(w.t.Context(), Order{Number: number, Verb: v, Answer: "The answer.", Reason: "because", By: "Olga"})
	if err != nil || got != changed {
		w.t.Errorf("%s of %d: changed %t, %v; want %t", v, number, got, err, changed)
	}
	return c
}

// blocked returns the values of the blocks in force.
func (w *world) blocked() (all []string) {
	w.t.Helper()
	list, err := block.NewList(w.plain).All(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, b := range list {
		all = append(all, b.Value)
	}
	slices.Sort(all)
	return all
}

func (w *world) wantBlocked(what string, want ...string) {
	w.t.Helper()
	slices.Sort(want)
	if diff := cmp.Diff(want, w.blocked()); diff != "" {
		w.t.Errorf("%s, the blocks (-want +got):\n%s", what, diff)
	}
}

// TestDecision blocks a channel, a stream and a host at once, and lifts them.
func TestDecision(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		c := w.file(request)
		if c.Number != 1 || c.State != Received || !c.Open {
			t.Errorf("the case is %+v", c)
		}
		var before struct{ Revision int64 }
		_ = w.plain.Get(t.Context(), block.Head, &before)
		w.clock = w.clock.Add(time.Hour)
		c = w.decide(1, Block, true)
		want := []Blocking{{block.Channel, "Aurora.br"}, {block.Stream, stream}, {block.Host, "evil.example"}}
		if diff := cmp.Diff(want, c.Blocked); diff != "" || c.State != Blocked || c.Open || !c.DecidedAt.Equal(store.At(w.clock).Time) {
			t.Errorf("the case is %+v (-want +got):\n%s", c, diff)
		}
		w.wantBlocked("blocked", "Aurora.br", stream, "evil.example")
		var after struct{ Revision int64 }
		if err := w.plain.Get(t.Context(), block.Head, &after); err != nil || after.Revision != before.Revision+1 {
			t.Errorf("the revision of the blocks is %d after %d, %v: instances would not see them", after.Revision, before.Revision, err)
		}
		w.decide(1, Block, false)
		if _, changed, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Targets: []Blocking{{block.Host, "Evil.example."}}, Reason: "x", By: "x"}); err != nil || changed {
			t.Errorf("a part of what is blocked: %t, %v", changed, err)
		}
		if _, _, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Targets: []Blocking{{block.Host, "other.example"}}, Reason: "x", By: "x"}); !errors.Is(err, ErrDecided) {
			t.Errorf("something else: %v, want %v", err, ErrDecided)
		}
		w.decide(1, Lift, true)
		w.wantBlocked("lifted")
		w.decide(1, Lift, false)
		w.decide(1, Block, true)
		w.wantBlocked("blocked again", "Aurora.br", stream, "evil.example")

		log, _, err := act.New(act.Options{DB: w.DB, Now: w.Now}).Log(t.Context(), 0, 50)
		if err != nil || len(log) != 3 {
			t.Fatalf("%d entries in the log, %v", len(log), err)
		}
		for _, e := range log {
			if e.Takedown != 1 || e.Reason != "because" || e.By != "Olga" || e.Verb != act.TakedownBlock && e.Verb != act.TakedownLift {
				t.Errorf("the entry %+v", e.Entry)
			}
		}
		link := strings.Split(w.post.to(request.Email)[0].(mail.TakedownReceived).Link, ".")
		wantMails := []mail.Content{
			mail.TakedownReceived{Number: 1, Link: "https://mira.example/fr/retrait#1." + link[len(link)-1]},
			mail.TakedownDecided{Number: 1, Text: "The answer.", Link: "https://mira.example/fr/retrait#1." + link[len(link)-1]},
		}
		if diff := cmp.Diff(wantMails, w.post.to(request.Email)[:2]); diff != "" || len(w.post.got) != 5 {
			t.Errorf("%d mails (-want +got):\n%s", len(w.post.got), diff)
		}
		if diff := cmp.Diff([]mail.Content{mail.TakedownArrived{Number: 1, Link: "https://mira.example/en/operator#takedowns"}}, w.post.to(operator)); diff != "" {
			t.Errorf("to the operator (-want +got):\n%s", diff)
		}
	})
}

// TestSharedBlocks checks that lifting ends only the blocks that nothing else holds.
func TestSharedBlocks(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		own, err := block.New(block.Host, "evil.example", "malware", w.clock)
		if err == nil {
			err = block.NewList(w.plain).Add(t.Context(), own)
		}
		if err != nil {
			t.Fatal(err)
		}
		w.file(request)
		w.file(request)
		w.decide(1, Block, true)
		if _, _, err := w.Decide(t.Context(), Order{Number: 2, Verb: Block, Targets: []Blocking{{block.Channel, "Aurora.br"}}, Reason: "x", By: "x"}); err != nil {
			t.Fatal(err)
		}
		w.decide(1, Lift, true)
		w.wantBlocked("the second request holds the channel, the operator the host", "Aurora.br", "evil.example")
		w.decide(2, Lift, true)
		w.wantBlocked("the block of the operator stays", "evil.example")

		w.decide(1, Block, true)
		mine, _ := block.New(block.Channel, "Aurora.br", "mine now", w.clock)
		if err := block.NewList(w.plain).Add(t.Context(), mine); err != nil {
			t.Fatal(err)
		}
		w.decide(1, Lift, true)
		w.wantBlocked("a block that the operator took over stays", "Aurora.br", "evil.example")
	})
}

// TestSteps checks which decisions follow which.
func TestSteps(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for name, test := range map[string]struct {
			before []Verb
			can    []Verb
			notice bool
		}{
			"new":                {nil, []Verb{Block, Refuse, Ask}, false},
			"asked":              {[]Verb{Ask}, []Verb{Block, Refuse, Ask}, false},
			"asked twice":        {[]Verb{Ask, Ask}, []Verb{Block, Refuse, Ask}, false},
			"refused":            {[]Verb{Refuse}, []Verb{Block}, false},
			"blocked":            {[]Verb{Block}, []Verb{Lift}, false},
			"lifted":             {[]Verb{Block, Lift}, []Verb{Block}, false},
			"a new notice":       {nil, []Verb{Refuse, Ask, Accept}, true},
			"a refused notice":   {[]Verb{Refuse}, []Verb{Accept}, true},
			"an accepted notice": {[]Verb{Accept}, nil, true},
		} {
			t.Run(name, func(t *testing.T) {
				w.t = t
				c := w.file(request)
				if test.notice {
					w.decide(c.Number, Block, true)
					c = w.counter(c.Number)
				}
				for _, v := range test.before {
					c = w.decide(c.Number, v, true)
				}
				if diff := cmp.Diff(test.can, c.Verbs()); diff != "" {
					t.Errorf("the decisions that are possible (-want +got):\n%s", diff)
				}
				for _, v := range verbs {
					if slices.Contains(test.can, v) || steps[v].to == c.State {
						continue
					}
					if _, _, err := w.Decide(t.Context(), Order{Number: c.Number, Verb: v, Reason: "x", By: "x"}); !errors.Is(err, ErrDecided) {
						t.Errorf("%s: %v, want %v", v, err, ErrDecided)
					}
				}
			})
		}
	})
}

// TestCounterNotice goes from a block to a counter-notice that ends it.
func TestCounterNotice(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.file(request)
		if _, _, err := w.File(t.Context(), Request{Answers: 1}); !errors.Is(err, ErrNotBlocked) {
			t.Errorf("a notice to what is not blocked: %v", err)
		}
		if _, _, err := w.File(t.Context(), Request{Answers: 9}); !errors.Is(err, ErrNoCase) {
			t.Errorf("a notice to nothing: %v", err)
		}
		w.decide(1, Block, true)
		refused, accepted := w.counter(1), w.counter(1)
		if _, _, err := w.File(t.Context(), Request{Answers: refused.Number}); !errors.Is(err, ErrNotBlocked) {
			t.Errorf("a notice to a notice: %v", err)
		}
		w.decide(refused.Number, Refuse, true)
		w.wantBlocked("after a refusal", "Aurora.br", stream, "evil.example")
		w.decide(accepted.Number, Accept, true)
		w.wantBlocked("after the notice was accepted")

		list, totals, err := w.Public(t.Context(), 0, 50)
		if err != nil || len(list) != 3 {
			t.Fatalf("%d entries, %v", len(list), err)
		}
		first := list[2]
		if first.State != Lifted || len(first.Answered) != 2 || first.Answered[0].State != Refused || first.Answered[1].State != Accepted {
			t.Errorf("the entry %+v", first)
		}
		want := Totals{Last: 3, Requests: map[State]int{Received: 0, Blocked: 0, Lifted: 1}, Notices: map[State]int{Received: 0, Refused: 1, Accepted: 1}, Kinds: map[Kind]int{Copyright: 1}}
		if diff := cmp.Diff(want, totals); diff != "" {
			t.Errorf("the totals (-want +got):\n%s", diff)
		}
		told := w.post.to(request.Email)
		if last := told[len(told)-1].(mail.TakedownDecided); last.Text != Draft(i18n.FR, Lift, 1) {
			t.Errorf("the sender of the request is told %q", last.Text)
		}

		w.decide(1, Block, true)
		for range MaxNotices - 2 {
			w.counter(1)
		}
		if _, _, err := w.File(t.Context(), Request{Answers: 1}); !errors.Is(err, ErrManyNotices) {
			t.Errorf("one notice too many: %v", err)
		}
	})
}

// TestPages walks through the log and the queue.
func TestPages(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if list, totals, err := w.Public(t.Context(), 0, 5); err != nil || len(list) != 0 || totals.Last != 0 {
			t.Errorf("an empty log is %v, %+v, %v", list, totals, err)
		}
		for range 5 {
			w.file(request)
		}
		w.decide(2, Refuse, true)
		for _, test := range []struct {
			skip, limit int
			log, queue  []int
		}{
			{0, 2, []int{5, 4}, []int{1, 3}},
			{2, 2, []int{3, 2}, []int{4, 5}},
			{4, 2, []int{1}, nil},
			{100_000_000, 50, nil, nil},
		} {
			var log, queue []int
			list, _, err := w.Public(t.Context(), test.skip, test.limit)
			for _, e := range list {
				log = append(log, e.Number)
			}
			waiting, total, e := w.Queue(t.Context(), test.skip, test.limit)
			for _, c := range waiting {
				queue = append(queue, c.Number)
			}
			if err := errors.Join(err, e); err != nil || total != 4 {
				t.Errorf("%d wait, %v", total, err)
			}
			if diff := cmp.Diff([][]int{test.log, test.queue}, [][]int{log, queue}); diff != "" {
				t.Errorf("after %d (-want +got):\n%s", test.skip, diff)
			}
		}
	})
}

// TestSecret checks who may read a status, and that what the sender wrote is gone after a
// year, while the log stays.
func TestSecret(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.file(request)
		_, r, err := w.Read(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if c, got, err := w.Status(t.Context(), 1, r.Secret); err != nil || c.Number != 1 || !cmp.Equal(got, r) {
			t.Errorf("the status is %+v, %+v, %v", c, got, err)
		}
		for _, test := range []struct {
			number int
			secret string
		}{{1, ""}, {1, r.Secret[1:]}, {1, r.Secret + "x"}, {2, r.Secret}, {0, r.Secret}} {
			if _, got, err := w.Status(t.Context(), test.number, test.secret); !errors.Is(err, ErrNoCase) || got != nil {
				t.Errorf("%d with %q: %v", test.number, test.secret, err)
			}
		}
		if err := w.plain.Delete(t.Context(), recordPath(1)); err != nil { // as the database does after a year
			t.Fatal(err)
		}
		if _, _, err := w.Status(t.Context(), 1, r.Secret); !errors.Is(err, ErrNoCase) {
			t.Errorf("a request that was deleted: %v", err)
		}
		if _, _, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Reason: "x", By: "x"}); !errors.Is(err, ErrNoTargets) {
			t.Errorf("a request that was deleted names nothing: %v", err)
		}
		w.decide(1, Refuse, true)
		if list, _, err := w.Public(t.Context(), 0, 1); err != nil || list[0].State != Refused {
			t.Errorf("the log is %+v, %v", list, err)
		}
	})
}

// TestNames checks that nothing that names a person is readable in the database, in the
// public log, or in the log of the service.
func TestNames(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post.down = true
		w.file(request)
		w.decide(1, Block, true)
		w.counter(1)
		public, totals, err := w.Public(t.Context(), 0, 10)
		if err != nil {
			t.Fatal(err)
		}
		said, _ := json.Marshal([]any{public, totals})
		text := string(said) + w.log.String()
		kept := 0
		for _, collection := range []store.Path{cases, records, letters, "takedown_totals", "acts", "blocks"} {
			for doc, err := range w.plain.Query(t.Context(), store.Query{Collection: collection}) {
				var raw json.RawMessage
				if err == nil {
					err = doc.Decode(&raw)
				}
				if err != nil {
					t.Fatal(err)
				}
				kept++
				text += string(raw)
			}
		}
		if kept < 10 || !strings.Contains(w.log.String(), "sent later") {
			t.Errorf("%d documents, the log is %s", kept, &w.log)
		}
		for _, secret := range []string{"Ana", "holder.example", "Rights of", "Really", "Bob", "channel.example", "ours", "The answer", "QW5h"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q can be read in: %s", secret, text)
			}
		}
	})
}

// TestMail checks that what the mail server refuses is sent by the job, once.
func TestMail(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.post.down = true
		w.file(request)
		if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{}) {
			t.Errorf("the job takes up a mail of this minute: %+v, %v", done, err)
		}
		for _, wait := range []time.Duration{1, 2, 4} {
			w.clock = w.clock.Add(wait * time.Minute)
			if done, err := w.Run(t.Context()); !errors.Is(err, mail.ErrNotSent) || done != (outbox.Result{Failed: 2}) {
				t.Errorf("the job of a server that refuses: %+v, %v", done, err)
			}
		}
		w.post.down = false
		w.clock = w.clock.Add(time.Hour)
		if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{Sent: 2}) || len(w.post.got) != 2 {
			t.Errorf("the job: %+v, %v, %d mails", done, err, len(w.post.got))
		}
		if done, err := w.Run(t.Context()); err != nil || done != (outbox.Result{}) {
			t.Errorf("the job again: %+v, %v", done, err)
		}
		w.Mail = nil
		if _, _, err := w.File(t.Context(), request); !errors.Is(err, ErrMail) {
			t.Errorf("without mail: %v", err)
		}
		if totals, err := w.Totals(t.Context()); err != nil || totals.Last != 1 {
			t.Errorf("without mail something was stored: %+v, %v", totals, err)
		}
	})
}

// TestAtOnce sends requests at once, and decides one of them by several operators: no
// number is given twice, and one of the operators is first.
func TestAtOnce(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		var g errgroup.Group
		for range 6 {
			g.Go(func() error { _, _, err := w.File(t.Context(), request); return err })
		}
		if err := g.Wait(); err != nil {
			t.Fatal(err)
		}
		var first atomic.Int32
		for range 4 {
			g.Go(func() error {
				_, changed, err := w.Decide(t.Context(), Order{Number: 3, Verb: Block, Reason: "x", By: "x"})
				if changed {
					first.Add(1)
				}
				return err
			})
		}
		if err := g.Wait(); err != nil || first.Load() != 1 {
			t.Errorf("%d decisions changed something, %v", first.Load(), err)
		}
		if list, totals, err := w.Public(t.Context(), 0, 10); err != nil || len(list) != 6 || totals.Last != 6 {
			t.Errorf("%d entries, %+v, %v", len(list), totals, err)
		}
	})
}

// halfDone is a database whose transactions fail before they end.
type halfDone struct{ store.DB }

var errHalf = errors.New("the connection broke")

func (h halfDone) Update(ctx context.Context, f func(store.Tx) error) error {
	return h.DB.Update(ctx, func(tx store.Tx) error { return errors.Join(f(tx), errHalf) })
}

// TestHalfDone checks that a transaction that fails leaves nothing and sends nothing.
func TestHalfDone(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.file(request)
		mails, whole := len(w.post.got), w.DB
		w.DB = halfDone{w.DB}
		if _, _, err := w.File(t.Context(), request); !errors.Is(err, errHalf) {
			t.Errorf("File: %v", err)
		}
		if _, changed, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Answer: "x", Reason: "x", By: "x"}); !errors.Is(err, errHalf) || changed {
			t.Errorf("Decide: %t, %v", changed, err)
		}
		w.DB = whole
		w.wantBlocked("after a failure")
		if totals, err := w.Totals(t.Context()); err != nil || totals.Last != 1 || totals.Requests[Blocked] != 0 || len(w.post.got) != mails {
			t.Errorf("%+v, %d mails, %v", totals, len(w.post.got), err)
		}
		w.DB = storetest.Broken()
		if _, _, err := w.File(t.Context(), request); err == nil || len(w.post.got) != mails {
			t.Errorf("without a database: %v, %d mails", err, len(w.post.got))
		}
	})
}

// TestTargets checks what an operator may name.
func TestTargets(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		w.file(request)
		var many []Blocking
		for i := range MaxTargets + 1 {
			many = append(many, Blocking{block.Host, fmt.Sprintf("h%d.example", i)})
		}
		for name, test := range map[string]struct {
			targets []Blocking
			want    error
		}{
			"none":         {[]Blocking{}, ErrNoTargets},
			"too many":     {many, ErrNoTargets},
			"a bad kind":   {[]Blocking{{"country", "BR"}}, block.ErrInvalid},
			"a bad host":   {[]Blocking{{block.Host, "http://evil.example/"}}, block.ErrInvalid},
			"a bad stream": {[]Blocking{{block.Stream, "s_../x"}}, block.ErrInvalid},
		} {
			if _, _, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Targets: test.targets, Reason: "x", By: "x"}); !errors.Is(err, test.want) {
				t.Errorf("%s: %v, want %v", name, err, test.want)
			}
		}
		if _, _, err := w.Decide(t.Context(), Order{Number: 7, Verb: Block}); !errors.Is(err, ErrNoCase) {
			t.Errorf("an unknown number: %v", err)
		}
		w.wantBlocked("nothing was decided")
		same := []Blocking{{block.Host, "Evil.Example."}, {block.Host, "evil.example"}}
		if c, _, err := w.Decide(t.Context(), Order{Number: 1, Verb: Block, Targets: same, Reason: "x", By: "x"}); err != nil || len(c.Blocked) != 1 {
			t.Errorf("a host twice: %+v, %v", c, err)
		}
	})
}
