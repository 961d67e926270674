package refresh_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/reference"
	"miramundo.dev/shared/source/collect"
	"miramundo.dev/shared/store/embedded"
)

// realMatcher knows the channels of the real register.
func realMatcher(t testing.TB, data string) *match.Matcher {
	t.Helper()
	ds, err := collect.Load(context.Background(), collect.Plan{IPTVOrg: collect.Folder(filepath.Join(data, "catalog"))}, collect.Options{})
	if err != nil {
		t.Fatal(err)
	}
	main := map[string]string{}
	for _, f := range ds.Feeds {
		if f.Main {
			main[f.Channel] = f.Name
		}
	}
	return match.New(func(yield func(match.Listing) bool) {
		for _, c := range ds.Channels {
			l := match.Listing{ID: c.ID, Names: append([]string{c.Name}, c.AltNames...), Country: catalog.CountryCode(c.Country), Feed: main[c.ID]}
			if !yield(l) {
				return
			}
		}
	}, nil, match.NewDirectory(ds))
}

// TestGuideReal reads real guides at a moment of their days: the British one,
// whose times have no zone, in summer time.
func TestGuideReal(t *testing.T) {
	if testing.Short() {
		t.Skip("the real register takes long with the race detector")
	}
	data := reference.Dir(t)
	m := realMatcher(t, data)
	for i, test := range []struct {
		source               string
		now                  time.Time
		declared             int
		leastChannels, least int // programmes
	}{
		{"freeview-uk-20230417.xml.xz#tz=Europe/London", time.Date(2023, 4, 18, 20, 0, 0, 0, time.UTC), 159, 100, 6000},
		{"mena-thmanyah-20260822.xml.xz", time.Date(2026, 8, 24, 20, 0, 0, 0, time.UTC), 4, 3, 100},
		{"mena-alwan-20260822.xml.xz", time.Date(2026, 8, 22, 20, 0, 0, 0, time.UTC), 100, 0, 0},
	} {
		t.Run(test.source, func(t *testing.T) {
			db, err := embedded.Open(filepath.Join(t.TempDir(), "db"))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			sources, err := setting.Parse(filepath.Join(data, "guide", test.source))
			if err != nil {
				t.Fatal(err)
			}
			g := refresh.Options{
				DB: db, Sources: sources, Now: func() time.Time { return test.now },
				Catalog: func(context.Context) (*match.Matcher, error) { return m, nil },
			}
			result, err := refresh.NewJob(g).Run(t.Context(), job.Order{Force: true})
			if err != nil {
				t.Fatal(err)
			}
			rep := result.(*refresh.Report)
			s := rep.Sources[0]
			t.Logf("%d channels, %d matched, %d with programmes (%d), %d skipped, %v", s.Declared, s.Matched, s.Channels, s.Programmes, s.Skipped, rep.Steps)
			if s.Declared != test.declared || s.Channels < test.leastChannels || s.Programmes < test.least || s.Declared != s.Matched+s.Unmatched {
				t.Errorf("%+v", s)
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			live := guide.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
			checkReal(t, live, test.now, s.Channels)
			if i > 0 {
				return
			}
			morning := test.now.Truncate(24 * time.Hour).Add(5 * time.Hour)
			if on := live.Now("BBCOne.uk", morning); on == nil || on.Now == nil || on.Now.Title != "Breakfast" || on.Now.Start != morning.Format(time.RFC3339) {
				t.Errorf("at six in London in summer, which is five in UTC: %+v", on)
			}
		})
	}
}

func checkReal(t *testing.T, live *guide.Live, now time.Time, channels int) {
	t.Helper()
	ids := slices.Collect(live.Channels(now))
	if len(ids) != channels {
		t.Errorf("%d channels are shown, %d were kept", len(ids), channels)
	}
	for _, id := range ids {
		var last time.Time
		for _, p := range live.Programmes(id, now) {
			if p.Start.Before(last) || !p.Start.Before(p.Stop) || p.Title == "" {
				t.Errorf("%s: %+v behind %v", id, p, last)
			}
			last = p.Stop
		}
	}
}
