package overpeople

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"time"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/store/storetest"
)

// guide is the name of the XMLTV guide beside a feed.
const guide = "guia.xml"

// reads is how often a feed of a full library is read.
const reads = 20

// fullLimit says what limits the figures of a full library.
const fullLimit = `Reading a library of this size from its document, and writing as many entries. The first read after a change does both;
later ones are answered from what was kept. The goals judge the slowest of the formats.`

// full measures a library with as many items as it may have: a write, and each
// feed, read for the first time after a change and again.
func (s *service) full(ctx context.Context, t *report.Report) error {
	token, owner, err := s.guests.Issue()
	if err != nil {
		return err
	}
	plan, err := s.plan()
	if err != nil {
		return err
	}
	l, err := library.Update(ctx, s.parts.DB, owner, time.Now(), func(l *library.Library) error {
		l.Merge(plan)
		return nil
	})
	if err != nil {
		return err
	}
	play, err := endpoint("play_item")
	if err != nil {
		return err
	}
	item := pathOf(play, l.Categories[0].Groups[0].Items[0].ID)
	t.Title(fmt.Sprintf("People: a library of %d items", library.MaxCategories*library.MaxGroups*library.MaxItems))
	t.Limit(fullLimit)
	head(t)
	change := func() error { return s.once(play.Method, item, token) }
	if _, err := s.timed(t, "full library, write", func() error { return nil }, change); err != nil {
		return err
	}
	var slowest struct{ first, again time.Duration }
	for _, format := range slices.Concat(library.Formats, []string{guide}) {
		address := l.Feed("").As(format)
		if format == guide {
			address = strings.TrimSuffix(string(l.Feed("")), "library") + guide
		}
		read := func() error { return s.once(http.MethodGet, address, token) }
		first, err := s.timed(t, "feed "+format+", first", change, read)
		if err != nil {
			return err
		}
		again, err := s.timed(t, "feed "+format+", again", func() error { return nil }, read)
		if err != nil {
			return err
		}
		slowest.first, slowest.again = max(slowest.first, first), max(slowest.again, again)
	}
	t.Judge(report.FeedFirst, millis(slowest.first))
	t.Judge(report.FeedAgain, millis(slowest.again))
	return nil
}

// plan returns a full library: every sub-tab of every folder has all the channels
// that it may have.
func (s *service) plan() ([]library.Category, error) {
	v, err := s.parts.Catalog.View()
	if err != nil {
		return nil, err
	}
	var plan []library.Category
	for i := range library.MaxCategories {
		c := library.Category{Name: fmt.Sprint("Folder ", i)}
		for k := range library.MaxGroups {
			g := library.Group{Name: fmt.Sprint("Tab ", k)}
			for n := range library.MaxItems {
				r := v.Index().Record((i*library.MaxGroups + k + n) % v.Index().Len())
				g.Items = append(g.Items, library.ItemOf(r.ID, r.Name, r.Kind, r.Country))
			}
			c.Groups = append(c.Groups, g)
		}
		plan = append(plan, c)
	}
	return plan, nil
}

// once makes a request once.
func (s *service) once(method, address, token string) error {
	w := httptest.NewRecorder()
	s.ServeHTTP(w, request(method, address, "", token, 0))
	if w.Code != http.StatusOK {
		return fmt.Errorf("%s %s answers %d %.200s", method, address, w.Code, w.Body)
	}
	return nil
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// timed calls prepare and then act, several times, adds the figures of act to t, and
// returns the median of its times.
func (s *service) timed(t *report.Report, name string, prepare, act func() error) (time.Duration, error) {
	took := make([]time.Duration, reads)
	var ops storetest.Ops
	for i := range took {
		if err := prepare(); err != nil {
			return 0, err
		}
		before, start := s.meter.Ops(), time.Now()
		if err := act(); err != nil {
			return 0, err
		}
		took[i] = time.Since(start)
		made := s.meter.Ops().Less(before)
		ops.Reads, ops.Writes, ops.Deletes = ops.Reads+made.Reads, ops.Writes+made.Writes, ops.Deletes+made.Deletes
	}
	slices.Sort(took)
	row(t, name, took[reads/2], took[reads-1], ops, reads)
	return took[reads/2], nil
}
