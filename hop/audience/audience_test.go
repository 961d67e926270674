package audience

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/wire"
)

const secret = "a secret of at least 32 characters"

// abandon ends c as SIGKILL does: what is queued is lost.
func (c *Counter) abandon() {
	c.cancel()
	c.once.Do(func() { close(c.closing) })
	c.done.Wait()
}

func caller(n int) identity.Caller {
	return identity.Caller{Addr: netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}), UserAgent: fmt.Sprint("VLC/", n>>8), Country: "BR"}
}

// A tape is a bus that records what is published, and may fail or hang.
type tape struct {
	bus.Bus
	mu        sync.Mutex
	events    map[string][]bus.Event // by topic
	sizes     []int                  // of what was published at a time
	fails     bool
	half      bool // the first event of what fails is published all the same
	hangs     bool
	published int // calls
}

func (b *tape) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.published++
	if b.hangs {
		b.mu.Unlock()
		<-ctx.Done()
		b.mu.Lock()
		return ctx.Err()
	}
	if b.events == nil {
		b.events = map[string][]bus.Event{}
	}
	if b.fails {
		if b.half {
			b.events[topic] = append(b.events[topic], events[0])
		}
		return bustest.ErrBroken
	}
	b.events[topic] = append(b.events[topic], events...)
	b.sizes = append(b.sizes, len(events))
	return nil
}

func (b *tape) set(f func(*tape)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f(b)
}

func (b *tape) plays(t *testing.T) (all []social.Play) {
	t.Helper()
	return read(t, b, social.Plays, social.PlayOf)
}

func (b *tape) latencies(t *testing.T) (all []social.Latency) {
	t.Helper()
	return read(t, b, social.Latencies, social.LatencyOf)
}

func read[T any](t *testing.T, b *tape, topic string, of func(bus.Event) (T, error)) (all []T) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range b.events[topic] {
		v, err := of(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func keys(plays []social.Play) []string {
	var all []string
	for _, p := range plays {
		all = append(all, p.Key)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// A log is what was logged.
type logged struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logged) count(text string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Count(l.b.String(), text)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// start returns a counter that the test need not close.
func start(t *testing.T, b bus.Bus, change func(*Options)) (*Counter, *logged) {
	t.Helper()
	var l logged
	o := Options{Bus: b, People: identity.NewPeople(keyringtest.Ring(secret)), Log: slog.New(slog.NewTextHandler(&l, nil)), Remembered: 1 << 10}
	if change != nil {
		change(&o)
	}
	c := New(o)
	t.Cleanup(c.abandon)
	return c, &l
}

// after lets d pass in a bubble, and waits until all goroutines are idle.
func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func TestPlayOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b tape
		var played []string
		c, _ := start(t, &b, func(o *Options) { o.Played = func(key string, _ time.Time) { played = append(played, key) } })
		at := time.Now().UTC()
		for range 3 {
			c.Play(caller(1), "a")
			c.Play(caller(1), "b")
			c.Play(caller(2), "a")
			guest := caller(1)
			guest.Guest = "ipt_x"
			c.Play(guest, "a")
			c.Play(identity.Caller{Guest: "ipt_x", Country: "t1"}, "a")
		}
		if after(gatherTime - 1); len(b.plays(t)) != 0 {
			t.Error("plays are published before others could come")
		}
		after(1)
		want := []social.Play{
			{Channel: "a", Day: "2000-01-01", Country: "BR", At: at},
			{Channel: "b", Day: "2000-01-01", Country: "BR", At: at},
			{Channel: "a", Day: "2000-01-01", Country: "BR", At: at},
			{Channel: "a", Day: "2000-01-01", Country: "BR", At: at},
		}
		got := b.plays(t)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(social.Play{}, "Key", "Network")); diff != "" {
			t.Errorf("plays (-want +got):\n%s", diff)
		}
		if got[0].Network == "" || got[0].Network == got[1].Network || got[0].Network != got[2].Network || got[0].Network != got[3].Network {
			t.Errorf("the networks of two callers in one /24 are %+v", got)
		}
		if len(keys(got)) != len(want) {
			t.Errorf("keys are %v, want %d", keys(got), len(want))
		}
		c.Play(caller(1), "a")
		if after(time.Hour); len(b.plays(t)) != len(want) {
			t.Error("a play is published again an hour later")
		}
		var published []string
		for _, p := range got {
			published = append(published, p.Key)
		}
		if diff := cmp.Diff(published, played); diff != "" {
			t.Errorf("plays that are reported (-published +reported):\n%s", diff)
		}
	})
}

func TestMidnight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b tape
		c, _ := start(t, &b, nil)
		after(24*time.Hour - time.Nanosecond)
		c.Play(caller(1), "a")
		c.Latency("a", "BR", time.Second)
		after(time.Nanosecond)
		c.Play(caller(1), "a")
		c.Play(caller(1), "a")
		c.Latency("a", "BR", time.Second)
		after(time.Minute)
		plays := b.plays(t)
		if len(plays) != 2 || plays[0].Day != "2000-01-01" || plays[1].Day != "2000-01-02" || plays[0].Key == plays[1].Key {
			t.Errorf("plays around midnight: %+v", plays)
		}
		days := map[string]int{}
		for _, l := range b.latencies(t) {
			days[l.Day] += l.Samples
		}
		if diff := cmp.Diff(map[string]int{"2000-01-01": 1, "2000-01-02": 1}, days); diff != "" {
			t.Errorf("latencies around midnight (-want +got):\n%s", diff)
		}
	})
}

func TestBatches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b tape
		c, _ := start(t, &b, nil)
		for n := range 250 {
			c.Play(caller(n), "a")
		}
		after(gatherTime)
		if diff := cmp.Diff([]int{100, 100, 50}, b.sizes); diff != "" {
			t.Errorf("sizes of batches (-want +got):\n%s", diff)
		}
	})
}

// TestBusFails has the bus fail for an hour: plays and latencies wait,
// retries are rare, and the failure is logged now and then.
func TestBusFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := tape{fails: true, half: true}
		c, l := start(t, &b, nil)
		for n := range 150 {
			c.Play(caller(n), "a")
			c.Latency("a", "BR", time.Second)
			after(time.Minute / 2)
		}
		if n := l.count("events wait"); n == 0 || n > 2*75 {
			t.Errorf("%d log records", n)
		}
		if b.published > 2*(75*2+20) {
			t.Errorf("the bus that fails is asked %d times in 75 minutes", b.published)
		}
		b.set(func(b *tape) { b.fails = false })
		after(2 * maxBackoff)
		if got := len(keys(b.plays(t))); got != 150 {
			t.Errorf("%d plays published, want 150", got)
		}
		samples := map[string]int{}
		for _, l := range b.latencies(t) {
			samples[l.Key] = l.Samples
		}
		total := 0
		for _, n := range samples {
			total += n
		}
		if total != 150 {
			t.Errorf("%d samples published, want 150", total)
		}
	})
}

// TestOverflow queues more plays than fit: the dropped ones are counted, and
// published when they come again.
func TestOverflow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := tape{fails: true}
		c, l := start(t, &b, func(o *Options) { o.Waiting, o.Sums = 5, 1 })
		for range 3 {
			for n := range 8 {
				c.Play(caller(n), "a")
			}
		}
		for _, country := range []string{"BR", "PT"} {
			c.Latency("a", country, time.Second)
		}
		after(2 * logPause)
		if l.count("events are lost") != 2 || l.count("topic=plays events=9") != 1 || l.count("topic=latencies events=1") != 1 {
			t.Errorf("log:\n%s", l)
		}
		b.set(func(b *tape) { b.fails = false })
		if after(2 * maxBackoff); len(keys(b.plays(t))) != 5 {
			t.Errorf("%d plays published, want 5", len(keys(b.plays(t))))
		}
		for n := range 8 {
			c.Play(caller(n), "a")
		}
		if after(gatherTime); len(b.plays(t)) != 8 || len(keys(b.plays(t))) != 8 {
			t.Errorf("%d plays published in the end, want 8", len(b.plays(t)))
		}
	})
}

// TestNeverBlocks has a bus that hangs: Play and Latency return at once, and
// Close gives up in time and says what is lost.
func TestNeverBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := tape{hangs: true}
		c, _ := start(t, &b, nil)
		begin := time.Now()
		for n := range 300 {
			c.Play(caller(n), "a")
			c.Latency("a", "BR", time.Second)
		}
		if time.Since(begin) != 0 {
			t.Errorf("Play and Latency took %s", time.Since(begin))
		}
		after(time.Minute)
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		begin = time.Now()
		err := c.Close(ctx)
		if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "300 plays and 1 sums") {
			t.Errorf("Close = %v", err)
		}
		if time.Since(begin) != 3*time.Second {
			t.Errorf("Close took %s", time.Since(begin))
		}
	})
}

// TestClose checks that queued events are published at once, also when the
// bus fails at first, and that Close may be called again.
func TestClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := tape{fails: true}
		c, _ := start(t, &b, nil)
		for n := range 250 {
			c.Play(caller(n), "a")
			c.Latency("a", "BR", time.Second)
		}
		after(10 * time.Minute)
		time.AfterFunc(time.Second, func() { b.set(func(b *tape) { b.fails = false }) })
		begin := time.Now()
		if err := errors.Join(c.Close(t.Context()), c.Close(t.Context())); err != nil {
			t.Fatal(err)
		}
		if d := time.Since(begin); d > 2*time.Second {
			t.Errorf("Close took %s with a bus that failed for one second", d)
		}
		if plays, sums := b.plays(t), b.latencies(t); len(plays) != 250 || len(sums) != 1 || sums[0].Samples != 250 {
			t.Errorf("%d plays and sums %+v", len(plays), sums)
		}
	})
}

// TestLatencies checks the sums, also when the clock jumps.
func TestLatencies(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var b tape
		c, _ := start(t, &b, nil)
		begin := time.Now().UTC()
		c.Latency("a", "br", 100*time.Millisecond)
		after(time.Second)
		c.Latency("a", "BR", 50*time.Millisecond)
		c.Latency("a", "", 2*time.Hour)
		c.Latency("b", "BR", -time.Hour)
		c.Latency("a/b", "BR", time.Second) // no channel
		if after(8 * time.Second); len(b.latencies(t)) != 0 {
			t.Error("sums are published before they are whole")
		}
		after(time.Second)
		want := []social.Latency{
			{Channel: "a", Day: "2000-01-01", Country: "BR", Samples: 2, SumMS: 150, LastAt: begin.Add(time.Second)},
			{Channel: "a", Day: "2000-01-01", Country: "ZZ", Samples: 1, SumMS: 60_000, LastAt: begin.Add(time.Second)},
			{Channel: "b", Day: "2000-01-01", Country: "BR", Samples: 1, SumMS: 0, LastAt: begin.Add(time.Second)},
		}
		less := func(a, b social.Latency) bool { return a.Channel+a.Country < b.Channel+b.Country }
		got := b.latencies(t)
		if diff := cmp.Diff(want, got, cmpopts.IgnoreFields(social.Latency{}, "Key"), cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("latencies (-want +got):\n%s", diff)
		}
		c.Latency("a", "BR", time.Second)
		if after(sumPeriod); len(b.latencies(t)) != 4 || b.latencies(t)[3].Samples != 1 {
			t.Errorf("the next sum is %+v", b.latencies(t)[3:])
		}
	})
}

// TestNoAddressIsPublished checks that nothing of a caller is published or
// logged.
func TestNoAddressIsPublished(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := tape{fails: true}
		c, l := start(t, &b, func(o *Options) { o.Waiting = 1 })
		who := identity.Caller{Addr: netip.MustParseAddr("2001:db8:aaaa:bbbb::1"), UserAgent: "Telltale/1.0", Country: "2001:db8"}
		c.Play(who, "a")
		c.Play(who, "b")
		c.Play(who, "c d")
		after(time.Hour)
		b.set(func(b *tape) { b.fails = false })
		after(time.Minute)
		who.Guest = "ipt_secret"
		c.Play(who, "c d")
		after(time.Minute)
		all := l.String()
		for _, e := range b.events[social.Plays] {
			all += string(e.Data)
		}
		if !strings.Contains(all, "cannot be encoded") || len(b.events[social.Plays]) != 1 {
			t.Fatalf("nothing was published or logged: %s", all)
		}
		for _, trace := range []string{"2001", "db8", "aaaa", "Telltale", "secret"} {
			if strings.Contains(strings.ReplaceAll(all, "2001-", ""), trace) {
				t.Errorf("%q is in %s", trace, all)
			}
		}
	})
}

// A witness is a bus that records the keys of published plays.
type witness struct {
	bus.Bus
	mu   sync.Mutex
	keys map[string]bool
}

func (w *witness) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	w.mu.Lock()
	for _, e := range events {
		if p, err := social.PlayOf(e); err == nil {
			w.keys[p.Key] = true
		}
	}
	w.mu.Unlock()
	return w.Bus.Publish(ctx, topic, events...)
}

// openBus returns a real bus that delivers everything twice and out of order.
func openBus(t *testing.T) *witness {
	t.Helper()
	db, b, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Topology: social.Topology(), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close(); db.Close() })
	return &witness{Bus: bustest.Unruly(b), keys: map[string]bool{}}
}

// count receives plays until it has all keys, and returns how many keys there
// are of each channel.
func count(t *testing.T, b *witness) map[string]int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var mu sync.Mutex
	seen, channels := map[string]bool{}, map[string]int{}
	err := b.Receive(ctx, social.Plays, func(_ context.Context, e bus.Event) error {
		p, err := social.PlayOf(e)
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		if !seen[p.Key] {
			channels[p.Channel]++
		}
		if seen[p.Key] = true; len(seen) == len(b.keys) {
			cancel()
		}
		return nil
	})
	if err != nil || len(seen) != len(b.keys) {
		t.Errorf("Receive = %v with %d plays of %d", err, len(seen), len(b.keys))
	}
	return channels
}

// TestEveryPlayIsPublishedOnce has several hops, many players at a time, a
// hop that is killed and its successor, and a bus that delivers twice: a
// subscriber that counts keys counts each person, channel and day once.
func TestEveryPlayIsPublishedOnce(t *testing.T) {
	b := openBus(t)
	noon := func() time.Time { return time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC) }
	hop := func() *Counter {
		c, _ := start(t, b, func(o *Options) { o.Now = noon })
		return c
	}
	crowd := func(c *Counter, people int) {
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for n := range people * 3 {
					c.Play(caller(n%people), fmt.Sprint("c", n%3))
				}
			})
		}
		wg.Wait()
	}
	first, second := hop(), hop()
	crowd(first, 30)
	crowd(second, 60)
	if err := second.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	first.abandon()
	successor := hop()
	crowd(successor, 100)
	if err := successor.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := map[string]int{"c0": 100, "c1": 100, "c2": 100}
	if diff := cmp.Diff(want, count(t, b)); diff != "" {
		t.Errorf("plays (-want +got):\n%s", diff)
	}
}
