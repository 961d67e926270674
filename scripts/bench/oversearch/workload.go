package oversearch

import (
	"math/rand/v2"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// A class is a set of searches of one kind, such as by country.
type class struct {
	name    string
	weight  int // percent of the mix
	queries []index.Query
}

// words reports whether the searches of c have words.
func (c *class) words() bool { return len(c.queries) > 0 && c.queries[0].Q != "" }

// A maker makes a search that finds the given record. It reports false when the
// record does not suit, such as one without a country.
type maker func(r *rand.Rand, d *catalog.Record) (index.Query, bool)

// A recipe makes the searches of a class.
type recipe struct {
	name   string
	weight int
	make   maker
}

// recipes are all classes with the spec's orders. Those with a weight are the mix:
// the requests of a usual day.
var recipes = []recipe{
	{"browse, page 1", 35, browse},
	{"page 500 of all", 5, func(*rand.Rand, *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "all", Playable: true}, Offset: 499 * pageSize}, true
	}},
	{"country", 15, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Country: d.Country}}), d.Country != ""
	}},
	{"category + country", 10, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Country: d.Country, Category: first(d.Categories)}}, d.Country != "" && len(d.Categories) > 0
	}},
	{"language", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Language: first(d.Languages)}}), len(d.Languages) > 0
	}},
	{"network", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Network: d.Network, Kind: "all"}}, d.Network != ""
	}},
	{"quality", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Quality: d.Quality, Kind: "all"}}, d.Quality != ""
	}},
	{"q one word", 15, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Q: word(r, d), Playable: true}}), word(r, d) != ""
	}},
	{"q one word, everything", 0, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Q: word(r, d), Kind: "all"}}, word(r, d) != ""
	}},
	{"q word + prefix", 8, wordAndPrefix},
	{"q of 1-2 letters", 0, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Q: letters(word(r, d), 1+r.IntN(2)), Kind: "all", Playable: true}}, word(r, d) != ""
	}},
	{"q + filters", 5, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Q: word(r, d), Country: d.Country, Language: first(d.Languages)}}), d.Country != "" && word(r, d) != ""
	}},
	{"radio tag", 4, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "radio", Tag: tag(d), Playable: true}}, tag(d) != ""
	}},
	{"sort=score", 2, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		q, _ := browse(r, d)
		q.Sort = "score"
		return q, true
	}},
	{"score + country", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Country: d.Country, Sort: "score"}}), d.Country != ""
	}},
	{"sort=popular", 0, func(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
		q, _ := browse(r, d)
		q.Sort = filter.ByPopularity
		return q, true
	}},
	{"popular + country", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return of(d, index.Query{Selection: filter.Selection{Country: d.Country, Sort: filter.ByPopularity}}), d.Country != ""
	}},
	{"sort=votes (radio)", 1, func(*rand.Rand, *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "radio", Sort: "votes", Playable: true}}, true
	}},
	{"votes + tag", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "radio", Sort: "votes", Tag: tag(d), Playable: true}}, tag(d) != ""
	}},
	{"city", 0, func(_ *rand.Rand, d *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "all", City: d.City}}, d.City != ""
	}},
	{"online + guide", 0, func(*rand.Rand, *catalog.Record) (index.Query, bool) {
		return index.Query{Selection: filter.Selection{Kind: "all", Online: true, Guide: true}}, true
	}},
}

const (
	pageSize   = 20
	perClass   = 100
	maxPerTry  = 200 // records tried for one query, on average
	seedChosen = 42
)

// workload returns perClass searches of every class with the spec's orders, for
// records of reg, the same for the same reg. Classes that few records suit may
// have fewer.
func workload(reg *catalog.Register) []class { return follow(recipes, reg, 1, perClass) }

// follow returns n searches of each recipe.
func follow(recipes []recipe, reg *catalog.Register, seed uint64, n int) []class {
	r := rand.New(rand.NewPCG(seedChosen, seed))
	var out []class
	for _, c := range recipes {
		queries := make([]index.Query, 0, n)
		for range n * maxPerTry {
			q, ok := c.make(r, &reg.Records[r.IntN(len(reg.Records))])
			if q.Limit = pageSize; ok {
				queries = append(queries, q)
			}
			if len(queries) == n {
				break
			}
		}
		out = append(out, class{c.name, c.weight, queries})
	}
	return out
}

func browse(r *rand.Rand, _ *catalog.Record) (index.Query, bool) {
	return index.Query{Selection: filter.Selection{Kind: []string{"tv", "radio", "all"}[r.IntN(3)], Playable: true}}, true
}

func wordAndPrefix(r *rand.Rand, d *catalog.Record) (index.Query, bool) {
	words := strings.Fields(d.Name)
	if len(words) < 2 {
		return index.Query{}, false
	}
	return index.Query{Selection: filter.Selection{Q: words[0] + " " + letters(words[1], 1+r.IntN(3)), Kind: "all"}}, true
}

// of returns q, restricted to the kind of d, and to playable records when d is one.
func of(d *catalog.Record, q index.Query) index.Query {
	q.Kind, q.Playable = d.Kind.String(), d.Playable()
	return q
}

func word(r *rand.Rand, d *catalog.Record) string {
	words := strings.Fields(d.Name)
	if len(words) == 0 {
		return ""
	}
	return words[r.IntN(len(words))]
}

func letters(s string, n int) string {
	r := []rune(s)
	return string(r[:min(n, len(r))])
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func tag(d *catalog.Record) string {
	if d.Radio == nil {
		return ""
	}
	return first(d.Radio.Tags)
}
