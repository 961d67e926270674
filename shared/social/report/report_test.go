package report

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/bus/bustest"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire"
	"miramundo.dev/shared/wire/wiretest"
)

var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// A line is a bus that can be cut, and counts the events that it takes by key.
type line struct {
	bus.Bus
	cut  atomic.Bool
	keys map[string]int
}

func (l *line) Publish(ctx context.Context, topic string, events ...bus.Event) error {
	if l.cut.Load() {
		return bustest.ErrBroken
	}
	for _, e := range events {
		r, err := social.ReportOf(e)
		if err != nil || topic != social.Reports {
			return fmt.Errorf("an event of %s that is not a report: %w", topic, err)
		}
		l.keys[r.Key]++
	}
	return l.Bus.Publish(ctx, topic, events...)
}

// open returns a database and an outbox over another view of it.
func open(t *testing.T) (store.DB, *line) {
	t.Helper()
	db, events, err := wire.Open(t.Context(), wire.Config{
		Backend: wire.Embedded, DataDir: filepath.Join(t.TempDir(), "data"), Topology: social.Topology(), Now: wiretest.Epoch,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { events.Close(); db.Close() })
	return db, &line{Bus: events, keys: map[string]int{}}
}

func boxOf(db store.DB, b bus.Bus) *outbox.Outbox {
	return &outbox.Outbox{
		DB: db, Bus: b, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return noon }, Shelves: []outbox.Shelf{Shelf},
	}
}

func aReport(n int) social.Report {
	return social.Report{
		Key: fmt.Sprintf("%064x", n), Channel: "A.br", OK: true, Browser: "Firefox", OS: "Windows", Country: "BR",
		At: noon.Add(-time.Duration(n) * time.Second), Network: "0123456789ab", Doubtful: n%2 == 0,
	}
}

func mustPut(t *testing.T, box *outbox.Outbox, r social.Report) {
	t.Helper()
	if created, err := Put(t.Context(), box, r, "192.0.2.1"); err != nil || !created {
		t.Fatalf("Put = %t, %v", created, err)
	}
}

// TestPutCost holds what a report costs: one write and the deletion that ends
// it, whether or not the bus answers.
func TestPutCost(t *testing.T) {
	db, b := open(t)
	for n, cut := range []bool{false, true} {
		b.cut.Store(cut)
		meter := storetest.NewMeter(db)
		mustPut(t, boxOf(meter, b), aReport(n))
		if diff := cmp.Diff(storetest.Ops{Writes: 1, Deletes: 1}, meter.Ops()); diff != "" {
			t.Errorf("with the bus cut: %t (-want +got):\n%s", cut, diff)
		}
	}
}

// TestPutLeft puts a report whose caller has left: that says nothing about the
// bus, which gets the next one.
func TestPutLeft(t *testing.T) {
	db, b := open(t)
	box := boxOf(db, b)
	left, leave := context.WithCancel(t.Context())
	leave()
	_, _ = Put(left, box, aReport(1), "") // kept or not
	mustPut(t, box, aReport(2))
	if kept, err := Get(t.Context(), db, aReport(2).Key); err != nil || kept.Sent != nil || b.keys[aReport(2).Key] != 1 {
		t.Errorf("the next report waits: %+v, %v", kept, err)
	}
}

// TestPutRefuses keeps nothing of a report that is not valid.
func TestPutRefuses(t *testing.T) {
	db, b := open(t)
	if created, err := Put(t.Context(), boxOf(db, b), social.Report{Key: "x"}, ""); created || !errors.Is(err, bus.ErrEvent) {
		t.Errorf("Put = %t, %v, want ErrEvent", created, err)
	}
}

// TestSweep sends what waits, in more than one batch: with a record among them
// that cannot be sent, and without the database after some writes.
func TestSweep(t *testing.T) {
	const n = 2*sweepBatch + 5
	db, b := open(t)
	b.cut.Store(true)
	box := boxOf(db, b)
	for i := range n {
		mustPut(t, box, aReport(i))
	}
	b.cut.Store(false)
	s := storetest.NewSwitch(db)
	sent := 0
	for writes := range 4 {
		s.OffAfter(writes)
		done, err := boxOf(s, b).Sweep(t.Context())
		if sent += done; done != writes || !errors.Is(err, storetest.ErrBroken) {
			t.Errorf("with %d writes Sweep = %d, %v", writes, done, err)
		}
		s.On()
	}
	rest, err := boxOf(db, b).Sweep(t.Context())
	if err != nil || sent+rest != n || len(b.keys) != n {
		t.Errorf("Sweep = %d after %d, %v; %d of %d were published", rest, sent, err, len(b.keys), n)
	}
	if again, err := boxOf(db, b).Sweep(t.Context()); again != 0 || err != nil {
		t.Errorf("again Sweep = %d, %v", again, err)
	}
}

// TestSweepSpoiled has a record among the others that cannot be published.
func TestSweepSpoiled(t *testing.T) {
	db, b := open(t)
	b.cut.Store(true)
	box := boxOf(db, b)
	for n := range 3 {
		mustPut(t, box, aReport(n))
	}
	b.cut.Store(false)
	if err := db.Set(t.Context(), "reports/0", Record{Sent: new(bool), ExpireAt: store.At(time.Now().Add(time.Hour))}); err != nil {
		t.Fatal(err)
	}
	if n, err := box.Sweep(t.Context()); n != 3 || !errors.Is(err, bus.ErrEvent) {
		t.Errorf("Sweep = %d, %v, want 3 and ErrEvent", n, err)
	}
}

// TestList finds records newest first, by channel and by result.
func TestList(t *testing.T) {
	db, b := open(t)
	for n := range 6 {
		r := aReport(n)
		if r.Channel = fmt.Sprint("Channel", n%2); n >= 3 {
			r.OK, r.Code = false, "geo"
		}
		mustPut(t, boxOf(db, b), r)
	}
	for _, test := range []struct {
		f    Filter
		want []int
	}{
		{Filter{Limit: 9}, []int{0, 1, 2, 3, 4, 5}},
		{Filter{Skip: 2, Limit: 3}, []int{2, 3, 4}},
		{Filter{Channel: "Channel1", Limit: 9}, []int{1, 3, 5}},
		{Filter{Failures: true, Limit: 2}, []int{3, 4}},
		{Filter{Channel: "Channel1", Failures: true, Limit: 9}, []int{3, 5}},
	} {
		records, err := List(t.Context(), db, test.f)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, r := range records {
			got = append(got, int(noon.Sub(r.At.Time)/time.Second))
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", test.f, diff)
		}
	}
}
