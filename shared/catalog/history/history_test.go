package history_test

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/storetest"
	"miramundo.dev/shared/wire/wiretest"
)

// A service is a catalog whose releases are published and compared.
type service struct {
	t   *testing.T
	db  *storetest.Faulty
	now time.Time
}

func start(t *testing.T) *service {
	return &service{t, storetest.NewFaulty(wiretest.OpenDB(t)), wiretest.Epoch()}
}

func (s *service) clock() time.Time { return s.now }

func (s *service) archive() *release.Archive { return &release.Archive{DB: s.db, Now: s.clock} }

// publish makes a register the current release.
func (s *service) publish(reg catalog.Register) {
	s.t.Helper()
	ix, err := index.Build(&reg)
	if err != nil {
		s.t.Fatal(err)
	}
	data, err := ix.Encode()
	if err != nil {
		s.t.Fatal(err)
	}
	shown, err := s.archive().Publish(s.t.Context(), release.Release{Version: ix.Version(), Channels: ix.Len(), Playable: 1}, data, release.Pointer{}, release.Override{Force: true})
	if err != nil || !shown {
		s.t.Fatalf("shown %t, %v", shown, err)
	}
}

// run runs the job an hour later.
func (s *service) run() (*history.Report, error) {
	s.now = s.now.Add(time.Hour)
	j := history.NewJob(history.Options{DB: s.db, Archive: s.archive(), Now: s.clock})
	rep, err := job.NewRunner(s.db, slog.New(slog.DiscardHandler), s.clock, j).Run(s.t.Context(), history.Name, job.Order{})
	if rep == nil {
		return nil, err
	}
	return rep.Result.(*history.Report), err
}

// record publishes a register and runs the job.
func (s *service) record(records ...catalog.Record) *history.Report {
	s.t.Helper()
	s.publish(catalog.Register{Records: records})
	rep, err := s.run()
	if err != nil {
		s.t.Fatal(err)
	}
	return rep
}

func all(*history.Change) bool { return true }

// read returns a page as text: the operation, id and place of each change.
func (s *service) read(l *history.Log, since string, limit int) (lines []string, p *history.Page) {
	s.t.Helper()
	c, err := history.ParseCursor(since)
	if err != nil {
		s.t.Fatal(err)
	}
	if p, err = l.After(s.t.Context(), c, limit, all); err != nil {
		s.t.Fatal(err)
	}
	for _, e := range p.Entries {
		lines = append(lines, fmt.Sprintf("%s %s %s", e.Op, e.ID, e.Next))
	}
	return lines, p
}

func (s *service) log() *history.Log { return history.NewLog(s.db, s.clock) }

func channel(id string, change ...func(*catalog.Record)) catalog.Record {
	r := catalog.Record{ID: id, Name: "Channel " + id, Country: "BR"}
	for _, f := range change {
		f(&r)
	}
	return r
}

func build(t *testing.T, reg catalog.Register) *index.Index {
	t.Helper()
	ix, err := index.Build(&reg)
	if err != nil {
		t.Fatal(err)
	}
	return ix
}

// TestCompare checks each operation and each member of a record.
func TestCompare(t *testing.T) {
	five := 5
	radio := func(tags ...string) *catalog.Radio { return &catalog.Radio{Tags: tags, Votes: len(tags)} }
	before := catalog.Register{Records: []catalog.Record{
		channel("Same.br"), channel("Old.br"), channel("Closed.br"), channel("Joined.br"), channel("Into.br"), channel("Lost.br"),
		channel("Name.br"), channel("Site.br"), {ID: "rb.1", Kind: catalog.Station, Name: "R", Radio: radio("a")},
		{ID: "rb.2", Kind: catalog.Station, Name: "S", Radio: radio("a", "b")},
		channel("Stream.br", func(r *catalog.Record) { r.Streams = []catalog.StreamRecord{{ID: 1, URL: "https://a.example/1"}} }),
		channel("Check.br", func(r *catalog.Record) {
			r.Streams = []catalog.StreamRecord{{ID: 2, URL: "https://a.example/2", Playable: true}, {ID: 3, URL: "https://a.example/3"}}
		}),
	}}
	after := catalog.Register{
		Records: []catalog.Record{
			channel("Same.br"), channel("New.br", func(r *catalog.Record) { r.Network = "N" }), channel("Into.br"), channel("Fresh.br"),
			channel("Name.br", func(r *catalog.Record) { r.Name = "Another" }),
			channel("Site.br", func(r *catalog.Record) { r.Website, r.Categories = "https://x.example", []string{"news"} }),
			{ID: "rb.1", Kind: catalog.Station, Name: "R", Radio: &catalog.Radio{Tags: []string{"a"}, Votes: 9, Clicks: 9}},
			{ID: "rb.2", Kind: catalog.Station, Name: "S", Radio: &catalog.Radio{Tags: []string{"a", "b"}, Bitrate: &five}},
			channel("Stream.br", func(r *catalog.Record) { r.Streams = []catalog.StreamRecord{{ID: 1, URL: "https://b.example/1"}} }),
			channel("Check.br", func(r *catalog.Record) {
				r.Streams = []catalog.StreamRecord{{ID: 3, URL: "https://a.example/3"}, {ID: 2, URL: "https://a.example/2"}}
			}),
		},
		Categories:     []catalog.Category{{ID: "news"}},
		ChannelAliases: map[string]string{"Old.br": "New.br", "Joined.br": "Into.br"},
		Gone:           []catalog.Gone{{ID: "Closed.br", Name: "Closed", Reason: catalog.GoneClosed}},
	}
	before.Categories = after.Categories
	want := []history.Change{
		{Op: "gone", ID: "Closed.br", Kind: "tv", Name: "Channel Closed.br", Country: "BR", Reason: "closed"},
		{Op: "gone", ID: "Joined.br", Kind: "tv", Name: "Channel Joined.br", Country: "BR", Reason: "merged", Became: "Into.br"},
		{Op: "gone", ID: "Lost.br", Kind: "tv", Name: "Channel Lost.br", Country: "BR", Reason: "vanished"},
		{Op: "renamed", ID: "Name.br", Kind: "tv", Name: "Another", Country: "BR", WasID: "Name.br", WasName: "Channel Name.br"},
		{Op: "renamed", ID: "New.br", Kind: "tv", Name: "Channel New.br", Country: "BR", WasID: "Old.br", WasName: "Channel Old.br", Fields: []string{"network"}},
		{Op: "added", ID: "Fresh.br", Kind: "tv", Name: "Channel Fresh.br", Country: "BR"},
		{Op: "changed", ID: "Site.br", Kind: "tv", Name: "Channel Site.br", Country: "BR", Fields: []string{"website", "categories"}},
		{Op: "changed", ID: "Stream.br", Kind: "tv", Name: "Channel Stream.br", Country: "BR", Fields: []string{"streams"}},
		{Op: "changed", ID: "rb.2", Kind: "radio", Name: "S", Fields: []string{"radio"}},
	}
	if diff := cmp.Diff(want, history.Compare(build(t, before), build(t, after))); diff != "" {
		t.Errorf("changes (-want +got):\n%s", diff)
	}
}

// TestRecord follows releases, and reads the record from its beginning, from places and
// from times.
func TestRecord(t *testing.T) {
	s := start(t)
	if rep, err := s.run(); err != nil || rep.Release != "" {
		t.Fatalf("before the first release: %+v, %v", rep, err)
	}
	if rep := s.record(channel("A.br")); rep.Changes != nil {
		t.Errorf("the first release is compared: %+v", rep)
	}
	begun := s.now
	if rep := s.record(channel("A.br"), channel("B.br"), channel("C.br")); rep.Changes["added"] != 2 {
		t.Errorf("the second release: %+v", rep)
	}
	if rep, err := s.run(); err != nil || rep.Changes != nil {
		t.Errorf("the same release again: %+v, %v", rep, err)
	}
	between := s.now
	s.record(channel("A.br"), channel("B.br"))
	l := s.log()
	for _, test := range []struct {
		name, since string
		limit       int
		want        []string
		next        string
		more, whole bool
	}{
		{"from the beginning", "", 9, []string{"added B.br 1.1", "added C.br 1.2", "gone C.br 2.1"}, "3.0", false, true},
		{"a part", "", 1, []string{"added B.br 1.1"}, "1.1", true, true},
		{"from there on", "1.1", 1, []string{"added C.br 1.2"}, "2.0", true, true},
		{"the last", "1.2", 1, []string{"gone C.br 2.1"}, "3.0", false, true},
		{"after the end", "3.0", 9, nil, "3.0", false, true},
		{"since the beginning", begun.Format(time.RFC3339), 9, []string{"added B.br 1.1", "added C.br 1.2", "gone C.br 2.1"}, "3.0", false, true},
		{"since a time", between.Format(time.RFC3339), 9, []string{"gone C.br 2.1"}, "3.0", false, true},
		{"before the beginning", begun.Add(-time.Minute).Format(time.RFC3339), 1, []string{"added B.br 1.1"}, "1.1", true, false},
		{"since tomorrow", s.now.Add(24 * time.Hour).Format(time.RFC3339), 9, nil, "3.0", false, true},
	} {
		lines, p := s.read(l, test.since, test.limit)
		if diff := cmp.Diff(test.want, lines); diff != "" || p.Next.String() != test.next || p.More != test.more || p.Whole != test.whole || !p.Since.Equal(begun) {
			t.Errorf("%s: next %s, more %t, whole %t, since %s (-want +got):\n%s", test.name, p.Next, p.More, p.Whole, p.Since, diff)
		}
	}
	newest, err := l.Newest(t.Context(), 2, all)
	if err != nil || len(newest) != 2 || newest[0].ID != "C.br" || newest[0].Op != "gone" || newest[1].ID != "C.br" {
		t.Errorf("newest: %+v, %v", newest, err)
	}
	if _, err := l.After(t.Context(), mustParse(t, "4.0"), 9, all); !errors.Is(err, fault.ErrInvalid) {
		t.Errorf("behind the end: %v", err)
	}
}

// TestInstances reads on in an instance whose head is older than that of the instance
// that gave the place.
func TestInstances(t *testing.T) {
	s := start(t)
	s.record(channel("A.br"))
	slow := s.log()
	s.read(slow, "", 9)
	before := s.now
	s.record(channel("A.br"), channel("B.br"), channel("C.br"))
	s.now = before.Add(5 * time.Second)
	_, p := s.read(s.log(), "", 1)
	lines, _ := s.read(slow, p.Next.String(), 9)
	if !slices.Equal(lines, []string{"added C.br 1.2"}) {
		t.Errorf("after %s the other instance has %q", p.Next, lines)
	}
}

// TestClockSetBack sets the clock back between the first release and the first set: a
// reader that has the catalog of the first release gets the set by time.
func TestClockSetBack(t *testing.T) {
	s := start(t)
	s.record(channel("A.br"))
	begun := s.now
	s.now = begun.Add(-3 * time.Hour)
	s.record(channel("A.br"), channel("B.br"))
	lines, p := s.read(s.log(), begun.Format(time.RFC3339), 9)
	if !slices.Equal(lines, []string{"added B.br 1.1"}) || !p.Whole {
		t.Errorf("since the first release: %q, whole %t", lines, p.Whole)
	}
}

func mustParse(t *testing.T, s string) history.Cursor {
	t.Helper()
	c, err := history.ParseCursor(s)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCursor takes texts that are not a place or a time.
func TestCursor(t *testing.T) {
	for _, s := range []string{"x", "1", "1.", ".1", "01.0", "0.0", "-1.0", "1.-1", "1.0.0", "2026-11-23", "99999999999.0", "1.0 "} {
		if c, err := history.ParseCursor(s); !errors.Is(err, fault.ErrInvalid) {
			t.Errorf("%q is %v, %v", s, c, err)
		}
	}
	for _, s := range []string{"1.0", "2147483647.5", "2026-11-23T01:02:03Z"} {
		if c := mustParse(t, s); c.String() != s {
			t.Errorf("%q is %s", s, c)
		}
	}
}

// TestKeep drops sets that are too old, and says to readers that something is missing.
func TestKeep(t *testing.T) {
	s := start(t)
	s.record(channel("A.br"))
	s.record(channel("B.br"))
	l := s.log()
	s.read(l, "", 9)
	s.now = s.now.Add(history.KeepFor + time.Hour)
	if rep := s.record(channel("C.br")); rep.Dropped != 1 {
		t.Errorf("dropped: %+v", rep)
	}
	lines, p := s.read(s.log(), "1.1", 9)
	if !slices.Equal(lines, []string{"gone B.br 2.1", "added C.br 2.2"}) || p.Whole {
		t.Errorf("from a dropped set: %q, whole %t", lines, p.Whole)
	}
	if docs := count(t, s.db, "catalog_changes"); docs != 1 {
		t.Errorf("%d sets are stored", docs)
	}
}

func count(t *testing.T, db store.DB, collection string) (n int) {
	t.Helper()
	for _, err := range db.Query(t.Context(), store.Query{Collection: store.Path(collection)}) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestGap publishes so many releases between two runs that the first is not kept any
// more: the record says so, and goes on.
func TestGap(t *testing.T) {
	s := start(t)
	s.record(channel("A.br"))
	for i := range 7 {
		s.now = s.now.Add(time.Minute)
		s.publish(catalog.Register{Records: []catalog.Record{channel(fmt.Sprintf("B%d.br", i))}})
	}
	if rep, err := s.run(); err != nil || !rep.Cut {
		t.Errorf("over a gap: %+v, %v", rep, err)
	}
	s.record(channel("C.br"))
	lines, p := s.read(s.log(), "", 9)
	if !slices.Equal(lines, []string{"gone B6.br 2.1", "added C.br 2.2"}) || p.Whole {
		t.Errorf("read %q, whole %t", lines, p.Whole)
	}
	if _, p := s.read(s.log(), "2.0", 9); !p.Whole {
		t.Error("what follows the gap is not whole")
	}
}

// TestFaults lets each call of the database fail, before and after it was carried out:
// the next run records every change once.
func TestFaults(t *testing.T) {
	for _, done := range []bool{false, true} {
		for n := 1; ; n++ {
			s := start(t)
			s.record(channel("A.br"))
			s.publish(catalog.Register{Records: []catalog.Record{channel("A.br"), channel("B.br")}})
			s.db.Fail(n, done)
			_, failed := s.run()
			s.db.Fail(0, false)
			s.now = s.now.Add(time.Hour) // a lease may be left
			if _, err := s.run(); err != nil {
				t.Fatalf("call %d, done %t: the next run: %v", n, done, err)
			}
			if lines, p := s.read(s.log(), "", 9); len(lines) != 1 || !strings.HasPrefix(lines[0], "added B.br") || !p.Whole {
				t.Errorf("call %d, done %t: %q, whole %t", n, done, lines, p.Whole)
			}
			if failed == nil {
				break
			}
		}
	}
}
