package build

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// goneOf returns what a register says of the channels that are gone, by id.
func goneOf(reg *catalog.Register) map[string]string {
	found := map[string]string{}
	for _, g := range reg.Gone {
		found[g.ID] = fmt.Sprintf("%s|%s|%s|%s", g.Name, g.Reason, g.Since, g.ReplacedBy)
	}
	return found
}

// TestGone checks what becomes of channels that the source does not let us show.
func TestGone(t *testing.T) {
	channel := func(id, closed, replaced string) source.Channel {
		return source.Channel{ID: id, Name: "Name of " + id, Closed: closed, ReplacedBy: replaced}
	}
	ds := &source.Dataset{
		Channels: []source.Channel{
			{ID: "Shown.br", Name: "Shown"},
			channel("Closed.br", "2023-04-05", "Shown.br@HD"),
			channel("Step.br", "2020", "Closed.br"),
			channel("Dead.br", "2019-01-02", "Nowhere.br"),
			channel("RingA.br", "2018-01-02", "RingB.br"),
			channel("RingB.br", "2018-01-03", "RingA.br"),
			channel("Self.br", "2018-01-04", "Self.br"),
			channel("Future.br", "2099-01-01", "Shown.br"),
			channel("Blocked.br", "", "Shown.br"),
			channel("Both.br", "2021-02-03", "Shown.br"),
			channel("ByBlocked.br", "2021-02-04", "Blocked.br"),
			channel("ByAdult.br", "2021-02-05", "Adult.br"),
			{ID: "Adult.br", Name: "Adult", NSFW: true},
			{ID: "AdultClosed.br", Name: "Adult", NSFW: true, Closed: "2020-01-01"},
			{ID: "AdultByCategory.br", Name: "Adult", Categories: []string{"xxx"}, Closed: "2020-01-01"},
			channel("AdultByBlock.br", "", ""),
			channel("NoReason.br", "", ""),
		},
		Blocklist: []source.Block{
			{Channel: "Blocked.br", Reason: "dmca"}, {Channel: "Both.br", Reason: "dmca"}, {Channel: "NoReason.br"},
			{Channel: "AdultByBlock.br", Reason: "dmca"}, {Channel: "AdultByBlock.br", Reason: "NSFW "}, {Channel: "Unlisted.br", Reason: "dmca"},
		},
	}
	reg, _ := Register(ds, nil, now)
	want := map[string]string{
		"Closed.br":    "Name of Closed.br|closed|2023-04-05|Shown.br",
		"Step.br":      "Name of Step.br|closed||Shown.br",
		"Dead.br":      "Name of Dead.br|closed|2019-01-02|",
		"RingA.br":     "Name of RingA.br|closed|2018-01-02|RingB.br",
		"RingB.br":     "Name of RingB.br|closed|2018-01-03|RingA.br",
		"Self.br":      "Name of Self.br|closed|2018-01-04|",
		"Blocked.br":   "Name of Blocked.br|blocked||Shown.br",
		"Both.br":      "Name of Both.br|blocked||Shown.br",
		"ByBlocked.br": "Name of ByBlocked.br|closed|2021-02-04|Blocked.br",
		"ByAdult.br":   "Name of ByAdult.br|closed|2021-02-05|",
	}
	if d := cmp.Diff(want, goneOf(reg)); d != "" {
		t.Errorf("gone (-want +got):\n%s", d)
	}
	if d := cmp.Diff(map[string]string{"Closed.br": "Shown.br", "Step.br": "Shown.br"}, reg.ChannelAliases); d != "" {
		t.Errorf("aliases (-want +got):\n%s", d)
	}
}

// TestTombstones follows channels that vanish from the source, reload by reload.
func TestTombstones(t *testing.T) {
	listed := func(ids ...string) *source.Dataset {
		ds := &source.Dataset{}
		for _, id := range ids {
			ds.Channels = append(ds.Channels, source.Channel{ID: id, Name: "Name of " + id, Country: "BR"})
		}
		return ds
	}
	var reg *catalog.Register
	day := now
	reload := func(ds *source.Dataset, want map[string]string) {
		t.Helper()
		reg, _ = Register(ds, reg, day)
		if d := cmp.Diff(want, goneOf(reg)); d != "" {
			t.Errorf("%s: gone (-want +got):\n%s", day.Format(time.DateOnly), d)
		}
		day = day.AddDate(0, 0, 1)
	}
	reload(listed("A.br", "B.br", "C.br", "D.br"), map[string]string{})
	reg.ChannelAliases["Former.br"] = "B.br"
	b := "Name of B.br|vanished|2026-03-16|"
	reload(listed("A.br", "C.br", "D.br"), map[string]string{"B.br": b, "Former.br": b + "B.br"})
	adult := listed("A.br", "C.br", "D.br")
	adult.Channels[1].NSFW = true
	adult.Blocklist = []source.Block{{Channel: "D.br", Reason: "dmca"}}
	blocked := "Name of D.br|blocked||"
	reload(adult, map[string]string{"B.br": b, "Former.br": b + "B.br", "D.br": blocked})
	reload(listed("A.br"), map[string]string{"B.br": b, "Former.br": b + "B.br", "D.br": blocked})
	unlisted := &source.Dataset{Blocklist: []source.Block{{Channel: "A.br", Reason: "dmca"}}}
	before := reg
	reload(unlisted, map[string]string{"A.br": "Name of A.br|blocked|2026-03-19|", "B.br": b, "Former.br": b + "B.br", "D.br": blocked})
	reg = before
	reload(listed("A.br", "B.br", "C.br"), map[string]string{"D.br": blocked})
	if to := reg.ChannelAliases["Former.br"]; to != "B.br" {
		t.Errorf("Former.br is an alias of %q, want B.br, which is back", to)
	}
	reload(listed("A.br", "B.br", "C.br", "Former.br"), map[string]string{"D.br": blocked})
}

// TestBarred checks that an id that led to another channel leads nowhere once its
// source lists it as blocked or adult, and is not named when it is adult.
func TestBarred(t *testing.T) {
	load := func(prev *catalog.Register, id string, old ...source.Channel) *catalog.Register {
		reg, _ := Register(&source.Dataset{
			Channels:  append(old, source.Channel{ID: id, Name: "Same"}),
			Streams:   []source.Stream{{Channel: id, URL: "https://x.example/1"}},
			Blocklist: []source.Block{{Channel: "Blocked.br", Reason: "dmca"}},
		}, prev, now)
		return reg
	}
	for _, test := range []struct {
		old   source.Channel
		leads bool
		gone  map[string]string
	}{
		{source.Channel{ID: "Blocked.br", Name: "Old"}, false, map[string]string{"Blocked.br": "Old|blocked||"}},
		{source.Channel{ID: "Blocked.br"}, false, map[string]string{}}, // its row says nothing more
		{source.Channel{ID: "Adult.br", Name: "Old", NSFW: true}, false, map[string]string{}},
		{source.Channel{ID: "Closed.br", Name: "Old", Closed: "2020-01-02"}, true, map[string]string{"Closed.br": "Old|closed|2020-01-02|"}},
	} {
		reg := load(nil, "New.br")
		reg.ChannelAliases = map[string]string{test.old.ID: "New.br"}
		reg = load(reg, "New.br", test.old)
		if _, leads := reg.ChannelAliases[test.old.ID]; leads != test.leads {
			t.Errorf("%s leads on: %v, want %v", test.old.ID, leads, test.leads)
		}
		if d := cmp.Diff(test.gone, goneOf(reg)); d != "" {
			t.Errorf("%s: gone (-want +got):\n%s", test.old.ID, d)
		}
	}
}

// TestTombstonesAreBounded checks that a register remembers the channels that
// vanished last, however many an earlier register holds.
func TestTombstonesAreBounded(t *testing.T) {
	prev := &catalog.Register{}
	for i := range 100_000 {
		prev.Gone = append(prev.Gone, catalog.Gone{ID: fmt.Sprintf("Gone%d.br", i), Name: "Gone", Reason: catalog.GoneVanished, Since: "2025-01-01"})
	}
	prev.Gone[77_777].Since = "2025-01-02"
	prev.Records = []catalog.Record{{ID: "Last.br", Name: "Last"}}
	reg, _ := Register(&source.Dataset{}, prev, now)
	if len(reg.Gone) != maxTombstones {
		t.Errorf("%d channels are remembered, want %d", len(reg.Gone), maxTombstones)
	}
	for _, id := range []string{"Last.br", "Gone77777.br"} {
		if _, ok := findGone(reg.Gone, id); !ok {
			t.Errorf("%s is forgotten", id)
		}
	}
}
