package oversearch

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// knownItems is the number of searches of each kind for a record that exists.
const knownItems = 1000

// firstResults is the number of results that a visitor sees at once.
const firstResults = 5

// relevancePart measures how often a search by relevance finds the record that a
// visitor looks for, by its full name and by the names that visitors type. A full
// name need not be first: a record that is much better known may be.
func relevancePart(t *report.Report, v *index.View, reg *catalog.Register) {
	t.Head("looked for by", "rank 1 %", "in 5 %", "page 1 %", "found %")
	r := rand.New(rand.NewPCG(seedChosen, 4))
	for _, c := range []struct {
		name    string
		of      func(*rand.Rand, *catalog.Record) string
		reached func(*lookups) bool // nil without a goal
	}{
		{"full name", func(_ *rand.Rand, d *catalog.Record) string { return d.Name }, func(l *lookups) bool { return l.share(l.five) >= 98 }},
		{"name, last word cut to 3 letters", cutName, nil},
		{"alternative name", func(r *rand.Rand, d *catalog.Record) string { return first(d.AltNames) }, nil},
		{"one letter wrong", typo, mostFound},
		{"two words written as one", glued, mostFound},
		{"a word parted", parted, mostFound},
	} {
		var l lookups
		for range 100 * knownItems {
			d := &reg.Records[r.IntN(len(reg.Records))]
			if q := c.of(r, d); q != "" {
				l.add(rankOf(v, d, q))
			}
			if l.asked == knownItems {
				break
			}
		}
		cells := []string{c.name}
		for _, n := range []int{l.first, l.five, l.page, l.found} {
			cells = append(cells, fmt.Sprintf("%.1f", l.share(n)))
		}
		if c.reached != nil {
			cells = append(cells, report.Verdict(c.reached(&l)))
		}
		t.Row(cells...)
	}
}

// lookups count searches for a known record by where they find it.
type lookups struct{ asked, first, five, page, found int }

func (l *lookups) add(rank, total int) {
	l.asked++
	for _, c := range []struct {
		count *int
		is    bool
	}{{&l.first, rank == 0}, {&l.five, rank >= 0 && rank < firstResults}, {&l.page, rank >= 0}, {&l.found, total > 0}} {
		if c.is {
			*c.count++
		}
	}
}

// share returns n as a share of the searches, in percent.
func (l *lookups) share(n int) float64 { return 100 * float64(n) / float64(max(l.asked, 1)) }

func mostFound(l *lookups) bool { return l.share(l.found) >= 95 }

// rankOf returns the position of d, or of a record with the same name, on the
// first page of a search for q; -1 when neither is there. It also returns how
// many records the search finds.
func rankOf(v *index.View, d *catalog.Record, q string) (rank, total int) {
	docs, total := v.Find(index.Query{Selection: filter.Selection{Q: q, Kind: "all", Sort: "relevance"}, Limit: pageSize})
	return slices.IndexFunc(docs, func(doc uint32) bool { return v.Index().Record(int(doc)).Name == d.Name }), total
}

func cutName(_ *rand.Rand, d *catalog.Record) string {
	words := strings.Fields(d.Name)
	if len(words) < 2 {
		return ""
	}
	words[len(words)-1] = letters(words[len(words)-1], 3)
	return strings.Join(words, " ")
}

// longWord returns the position of the longest word of at least 5 letters of
// the Latin alphabet, or -1.
func longWord(words []string) int {
	best := -1
	for i, w := range words {
		plain := strings.IndexFunc(w, func(r rune) bool { return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') }) < 0
		if plain && len(w) >= 5 && (best < 0 || len(w) > len(words[best])) {
			best = i
		}
	}
	return best
}

// typo changes, deletes or inserts one letter of the longest word, after its
// first letter.
func typo(r *rand.Rand, d *catalog.Record) string {
	words := strings.Fields(d.Name)
	i := longWord(words)
	if i < 0 {
		return ""
	}
	w := []byte(words[i])
	at := 1 + r.IntN(len(w)-1)
	switch r.IntN(3) {
	case 0:
		w[at] = "xqzkwy"[r.IntN(6)]
	case 1:
		w = slices.Delete(w, at, at+1)
	default:
		w = slices.Insert(w, at, "xqzkwy"[r.IntN(6)])
	}
	words[i] = string(w)
	return strings.Join(words, " ")
}

// glued writes the first two words of the name as one.
func glued(_ *rand.Rand, d *catalog.Record) string {
	words := strings.Fields(d.Name)
	if len(words) < 2 {
		return ""
	}
	return strings.Join(append([]string{words[0] + words[1]}, words[2:]...), " ")
}

// parted splits the longest word of the name into two.
func parted(r *rand.Rand, d *catalog.Record) string {
	words := strings.Fields(d.Name)
	i := longWord(words)
	if i < 0 {
		return ""
	}
	at := 2 + r.IntN(len(words[i])-3)
	words[i] = words[i][:at] + " " + words[i][at:]
	return strings.Join(words, " ")
}
