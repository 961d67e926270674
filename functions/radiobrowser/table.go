package radiobrowser

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"
	"strings"
	"sync"
	"weak"

	"miramundo.dev/shared/catalog/index"
)

// A table holds the stations of a release with what they are searched by, without those
// that no player opens by an address. It is made when
// the release is first asked for, in about a quarter of a second, and is then read without
// locks: what changes between releases comes from the view.
type table struct {
	of       weak.Pointer[index.Index] // the table does not keep an earlier release in memory
	stations []row                     // in the order of names
	byName   []int32                   // all rows
	byVotes  []int32                   // rows, most votes first
	byClicks []int32                   // rows, most clicks first
}

// A row is a station with its texts as they are compared: in lower case.
type row struct {
	index.Station
	name, country, state, codec string
}

// tables provides the table of the current release.
type tables struct {
	mu   sync.Mutex
	last *table
}

// of returns the table of the release that v shows. While one caller makes it, others wait.
func (t *tables) of(v *index.View) *table {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.last == nil || t.last.of != weak.Make(v.Index()) {
		t.last = newTable(v)
	}
	return t.last
}

func newTable(v *index.View) *table {
	t := &table{of: weak.Make(v.Index())}
	lower := lowering{}
	for s := range v.Stations() {
		if !s.Openable {
			continue
		}
		t.stations = append(t.stations, row{
			Station: s, name: strings.ToLower(s.Name), country: lower.of(s.CountryName), state: lower.of(s.State), codec: lower.of(s.Codec),
		})
	}
	for i := range t.stations {
		t.byName = append(t.byName, int32(i))
	}
	t.byVotes = t.ordered(func(r *row) int { return r.Votes })
	t.byClicks = t.ordered(func(r *row) int { return r.Clicks })
	return t
}

// lowering holds texts in lower case, each once.
type lowering map[string]string

func (l lowering) of(text string) string {
	low, ok := l[text]
	if !ok {
		low = strings.ToLower(text)
		l[text] = low
	}
	return low
}

// ordered returns the rows with the greatest values first, and of equal ones in the order
// of names.
func (t *table) ordered(value func(*row) int) []int32 {
	rows := slices.Clone(t.byName)
	slices.SortStableFunc(rows, func(a, b int32) int { return cmp.Compare(value(&t.stations[b]), value(&t.stations[a])) })
	return rows
}

// find returns the row of a record; false when it is no station.
func (t *table) find(doc uint32) (int32, bool) {
	i := sort.Search(len(t.stations), func(i int) bool { return t.stations[i].Doc >= doc })
	return int32(i), i < len(t.stations) && t.stations[i].Doc == doc
}

// A condition is one that the stations of an answer meet.
type condition func(*row) bool

// where returns the rows of a list that v shows and that meet all conditions, at most so
// many of them.
func (t *table) where(v *index.View, rows []int32, hideBroken bool, most int, all ...condition) []int32 {
	var found []int32
rows:
	for _, i := range rows {
		if len(found) >= most {
			break
		}
		r := &t.stations[i]
		for _, meets := range all {
			if !meets(r) {
				continue rows
			}
		}
		if v.Streamed(r.Doc) && !v.IsBlocked(r.Doc) && (!hideBroken || v.IsPlayable(r.Doc)) {
			found = append(found, i)
		}
	}
	return found
}

// order puts rows, which are in the order of names, in another one. Rows that are equal in
// it stay in the order of names.
func (t *table) order(v *index.View, rows []int32, by string, reverse bool) {
	switch by {
	case "random":
		rand.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		return
	case "name":
		if reverse {
			slices.Reverse(rows)
		}
		return
	}
	compare := t.comparing(v, by)
	if compare == nil {
		return // of what is ordered by, nothing is known: all are equal
	}
	slices.SortStableFunc(rows, func(a, b int32) int {
		if reverse {
			a, b = b, a
		}
		return compare(&t.stations[a], &t.stations[b])
	})
}

// comparing returns how stations are compared in an order; nil for an order of what is not
// known of any station.
func (t *table) comparing(v *index.View, by string) func(a, b *row) int {
	texts := func(text func(*row) string) func(a, b *row) int {
		return func(a, b *row) int { return strings.Compare(text(a), text(b)) }
	}
	numbers := func(number func(*row) int) func(a, b *row) int {
		return func(a, b *row) int { return cmp.Compare(number(a), number(b)) }
	}
	switch by {
	case "homepage":
		return texts(func(r *row) string { return r.Website })
	case "tags":
		return texts(func(r *row) string { return r.Tags })
	case "country":
		return texts(func(r *row) string { return r.country })
	case "state":
		return texts(func(r *row) string { return r.state })
	case "language":
		return texts(func(r *row) string { return r.Languages })
	case "codec":
		return texts(func(r *row) string { return r.codec })
	case "votes":
		return numbers(func(r *row) int { return r.Votes })
	case "clickcount":
		return numbers(func(r *row) int { return r.Clicks })
	case "bitrate":
		return numbers(func(r *row) int { return r.Bitrate })
	case "lastcheckok":
		return numbers(func(r *row) int { return flag(v.IsPlayable(r.Doc)) })
	}
	return nil
}

func flag(set bool) int {
	if set {
		return 1
	}
	return 0
}

// listed reports whether a list of values with commas between them has a value.
func listed(list, value string) bool {
	for one := range strings.SplitSeq(list, ",") {
		if one == value {
			return true
		}
	}
	return false
}
