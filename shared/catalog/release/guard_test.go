package release_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/release"
	"miramundo.dev/shared/fault"
)

// TestGuardOfKinds checks that TV and radio are judged apart, by each figure.
func TestGuardOfKinds(t *testing.T) {
	a := &release.Archive{DB: open(t), Now: clock}
	whole := release.Survival{Before: 100, Same: 100, Kept: 100}
	good := release.Release{
		Version: "a0", Channels: 100, Stations: 1000, Playable: 1050, PlayableChannels: 50, PlayableStations: 1000, ChannelIDs: &whole, StationIDs: &whole,
	}
	if refusals, err := a.Check(t.Context(), good); len(refusals) > 0 || err != nil {
		t.Errorf("the first release: %+v, %v", refusals, err)
	}
	if _, err := a.Publish(t.Context(), good, []byte("x"), release.Pointer{}, release.Override{}); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		change func(*release.Release)
		want   []catalog.Refusal
	}{
		{"nothing", func(*release.Release) {}, nil},
		{"a fifth of all", func(r *release.Release) { r.Channels, r.Stations, r.PlayableChannels = 80, 800, 40 }, nil},
		{"TV that no longer plays", func(r *release.Release) { r.Playable, r.PlayableChannels = 1000, 0 }, []catalog.Refusal{
			{File: "iptv-org/streams", Figure: "playable", Value: 0, Before: 50, Limit: 40, Reason: "the catalog would have 0 playable channels where it has 50, and must have 40"},
		}},
		{"stations", func(r *release.Release) { r.Stations, r.PlayableStations = 799, 799 }, []catalog.Refusal{
			{File: "radio-browser/stations", Figure: "records", Value: 799, Before: 1000, Limit: 800, Reason: "the catalog would have 799 stations where it has 1000, and must have 800"},
			{File: "radio-browser/stations", Figure: "playable", Value: 799, Before: 1000, Limit: 800, Reason: "the catalog would have 799 playable stations where it has 1000, and must have 800"},
		}},
		{"ids that lead on", func(r *release.Release) { r.ChannelIDs = &release.Survival{Before: 100, Same: 69, Kept: 100} }, []catalog.Refusal{
			{File: "iptv-org/channels", Figure: "same_ids", Value: 69, Before: 100, Limit: 70, Reason: "69 of the 100 ids of channels would exist unchanged, and 70 must"},
		}},
		{"a few closed channels", func(r *release.Release) { r.ChannelIDs = &release.Survival{Hidden: 200, Shown: 10} }, nil},
		{"closed channels", func(r *release.Release) { r.ChannelIDs = &release.Survival{Hidden: 200, Shown: 11} }, []catalog.Refusal{
			{File: "iptv-org/channels", Figure: "hidden", Value: 11, Before: 200, Limit: 10, Reason: "11 of the 200 channels that are closed or blocked would be shown, and 10 may"},
		}},
		{"ids that are gone", func(r *release.Release) { r.StationIDs = &release.Survival{Before: 100, Same: 79, Kept: 79} }, []catalog.Refusal{
			{File: "radio-browser/stations", Figure: "ids", Value: 79, Before: 100, Limit: 80, Reason: "79 of the 100 ids of stations would exist or lead on, and 80 must"},
		}},
	} {
		next := good
		next.Version = "b0"
		test.change(&next)
		got, err := a.Check(t.Context(), next)
		if diff := cmp.Diff(test.want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", test.name, err, diff)
		}
		if test.want == nil {
			continue
		}
		_, err = a.Publish(t.Context(), next, []byte("x"), release.Pointer{}, release.Override{})
		if diff := cmp.Diff(any(test.want), fault.From(err).Fields["refusals"]); diff != "" || !errors.Is(err, release.ErrRefused) {
			t.Errorf("%s, published: %v (-want +got):\n%s", test.name, err, diff)
		}
	}
}

// TestSurvive checks which ids of the release before count as kept.
func TestSurvive(t *testing.T) {
	ix, err := index.Build(&catalog.Register{Records: []catalog.Record{
		{ID: "same", Name: "A", Origin: "x"}, {ID: "renamed", Name: "B", Origin: "x"}, {ID: "gone", Name: "C", Origin: "x"},
		{ID: "removed", Name: "D", Origin: "a source that was removed"},
		{ID: "radio", Name: "R", Kind: catalog.Station, Radio: &catalog.Radio{}, Origin: "x"},
	}, Gone: []catalog.Gone{
		{ID: "blocked", Name: "E", Reason: catalog.GoneBlocked}, {ID: "closed", Name: "F", Reason: catalog.GoneClosed}, {ID: "vanished", Name: "G", Reason: catalog.GoneVanished},
	}})
	if err != nil {
		t.Fatal(err)
	}
	channels, stations := release.Remember(ix).Survive(&catalog.Register{
		Records:        []catalog.Record{{ID: "same", Origin: "x"}, {ID: "other", Origin: "x"}, {ID: "closed", Origin: "x"}, {ID: "vanished", Origin: "x"}, {ID: "radio", Kind: catalog.Station, Origin: "x"}},
		ChannelAliases: map[string]string{"renamed": "other"},
	})
	want := []*release.Survival{{Before: 3, Same: 1, Kept: 2, Hidden: 2, Shown: 1}, {Before: 1, Same: 1, Kept: 1}}
	if diff := cmp.Diff(want, []*release.Survival{channels, stations}); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestNote writes refusals into the sources of the current release, and nothing
// else.
func TestNote(t *testing.T) {
	a := &release.Archive{DB: open(t), Now: clock}
	tried := catalog.Source{Name: "a/b", Items: 7, SHA256: "new", Kept: true, Problem: "why", Refusals: []catalog.Refusal{{File: "a/b", Limit: 1}}}
	if err := a.Note(t.Context(), []catalog.Source{tried}); err != nil {
		t.Errorf("before the first release: %v", err)
	}
	p := release.Pointer{Sources: []catalog.Source{{Name: "a/b", Items: 9, SHA256: "old"}, {Name: "c/d", Items: 3}}}
	if _, err := a.Publish(t.Context(), release.Release{Version: "a0", Channels: 1}, []byte("x"), p, release.Override{}); err != nil {
		t.Fatal(err)
	}
	if err := a.Note(t.Context(), []catalog.Source{tried}); err != nil {
		t.Fatal(err)
	}
	got, err := a.Current(t.Context())
	want := []catalog.Source{{Name: "a/b", Items: 9, SHA256: "old", Kept: true, Problem: "why", Refusals: tried.Refusals}, {Name: "c/d", Items: 3}}
	if diff := cmp.Diff(want, got.Sources); diff != "" || got.Version != "a0" || err != nil {
		t.Errorf("version %s, %v, sources (-want +got):\n%s", got.Version, err, diff)
	}
}
