package refresh_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/guide/match"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/guide/setting"
	"miramundo.dev/shared/job"
	"miramundo.dev/shared/killtest"
	"miramundo.dev/shared/overlay"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/store/embedded"
)

// killed are the channels of the guides of TestGuideKilled, by their source.
var killed = map[string][]string{"one": channelNames(0, 40), "two": channelNames(30, 70), "three": channelNames(60, 100)}

func channelNames(from, to int) (names []string) {
	for i := from; i < to; i++ {
		names = append(names, fmt.Sprintf("C%d.br", i))
	}
	return names
}

// guideIn returns the job that reads the guides of a folder, each kept by
// itself.
func guideIn(dir string, db store.DB) (refresh.Options, error) {
	sources, err := setting.Parse(filepath.Join(dir, "one.xml") + "," + filepath.Join(dir, "two.xml") + "," + filepath.Join(dir, "three.xml"))
	return refresh.Options{
		DB: db, Sources: sources, Now: func() time.Time { return noon }, Batch: -1,
		Catalog: func(context.Context) (*match.Matcher, error) { return matcherOf(channelNames(0, 100)), nil },
	}, err
}

// writeEdition writes the n-th edition of the guides, each at once.
func writeEdition(dir string, n int) error {
	for name, channels := range killed {
		file := filepath.Join(dir, name+".xml")
		if err := os.WriteFile(file+".new", []byte(xmltvOf(noon, fmt.Sprintf("%s edition %d", name, n), channels...)), 0o600); err != nil {
			return err
		}
		if err := os.Rename(file+".new", file); err != nil {
			return err
		}
	}
	return nil
}

// guideForever is the child: it writes one edition after another and reads it,
// and says which it is about to read.
func guideForever(t *testing.T, dir string) {
	db, err := embedded.Open(filepath.Join(dir, "db"))
	if err != nil {
		t.Fatal(err)
	}
	g, err := guideIn(dir, db)
	if err != nil {
		t.Fatal(err)
	}
	for n := int(time.Now().UnixMicro() % 1_000_000); ; n++ {
		if err := writeEdition(dir, n); err != nil {
			t.Fatal(err)
		}
		killtest.Say("edition of", n)
		if _, err := refresh.NewJob(g).Run(t.Context(), job.Order{}); err != nil {
			t.Fatal(err)
		}
	}
}

// TestGuideKilled kills a process that reads guides at random points. The
// database then holds one whole edition of each channel, a source that is noted
// as read is what all its channels show, and one more run completes the last
// edition.
func TestGuideKilled(t *testing.T) {
	if args, ok := killtest.Child(t); ok {
		guideForever(t, args[0])
	}
	rounds := 6
	if testing.Short() {
		rounds = 2
	}
	dir := t.TempDir()
	rnd := rand.New(rand.NewPCG(9, 9))
	for round := range rounds {
		left := 1 + rnd.IntN(2)
		killtest.Run(t, killtest.Plan{
			Args: []string{dir}, After: time.Duration(rnd.IntN(400)) * time.Millisecond,
			Hear: func(string) bool { left--; return left == 0 },
		})
		checkGuide(t, round, dir)
	}
}

func checkGuide(t *testing.T, round int, dir string) {
	t.Helper()
	db, err := embedded.Open(filepath.Join(dir, "db"))
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	defer db.Close()
	before := editions(t, db)
	g, err := guideIn(dir, db)
	if err != nil {
		t.Fatal(err)
	}
	result, err := refresh.NewJob(g).Run(t.Context(), job.Order{})
	if err != nil {
		t.Fatalf("round %d: %v", round, err)
	}
	after := editions(t, db)
	if len(after) != 100 {
		t.Errorf("round %d: %d channels", round, len(after))
	}
	for _, s := range result.(*refresh.Report).Sources {
		for channel, now := range after {
			if was := before[channel]; s.Unchanged && now.source == s.Name && now != was {
				t.Errorf("round %d: %s is noted as read, and %s showed %v, now %v", round, s.Name, channel, was, now)
			}
		}
	}
	last := map[string]int{}
	for channel, e := range after {
		if n, ok := last[e.source]; ok && n != e.edition {
			t.Errorf("round %d: %s shows edition %d, others %d", round, channel, e.edition, n)
		}
		last[e.source] = e.edition
	}
	if len(last) != 3 {
		t.Errorf("round %d: sources %v", round, last)
	}
}

// An editionOf is what a channel shows.
type editionOf struct {
	source  string
	edition int
}

// editions returns what each channel shows, each the whole of one edition.
func editions(t *testing.T, db store.DB) map[string]editionOf {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	live := guide.Follow(ctx, overlay.NewSet(db, slog.New(slog.DiscardHandler), time.Now))
	found := map[string]editionOf{}
	for channel := range live.Channels(noon) {
		ps := live.Programmes(channel, noon)
		var e editionOf
		if _, err := fmt.Sscanf(ps[0].Title, "%s edition %d", &e.source, &e.edition); err != nil || len(ps) != 36 {
			t.Fatalf("%s shows %d programmes, %q", channel, len(ps), ps[0].Title)
		}
		for _, p := range ps {
			if p.Title != ps[0].Title {
				t.Fatalf("%s shows %q and %q", channel, ps[0].Title, p.Title)
			}
		}
		found[channel] = e
	}
	return found
}
