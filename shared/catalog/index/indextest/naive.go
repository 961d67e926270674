// Package indextest knows what a search should answer: by looking at every
// record, one after the other, with nothing prepared.
//
// It is for tests and measurements of package index, and shares no code with
// it but the folding of words, the weights of ratings and the table of filters, which
// declares what a filter means. It does not answer searches by relevance for words,
// whose answers are judged and not computed.
package indextest

import (
	"cmp"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/prior"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/i18n"
)

// A Naive answers searches from the records of a register.
type Naive struct {
	reg   *catalog.Register
	links catalog.LinkBase

	docs []doc // by folded name, then id
}

type doc struct {
	*catalog.Record
	name   string   // folded
	words  []string // of all names
	rating int

	health             *catalog.MeasuredHealth
	playable, schedule bool
	site               *string // of its programmes
	logo               string
}

// NewNaive returns an oracle for what a view of reg should answer. It knows no
// blocks: leave out of reg what o blocks.
func NewNaive(reg *catalog.Register, o index.Overlay, links catalog.LinkBase) *Naive {
	n, facts := &Naive{reg: reg, links: links}, gather(reg, o)
	for i := range reg.Records {
		r := &reg.Records[i]
		d := doc{Record: r, name: fold.Words(r.Name)}
		d.health, d.playable = facts.health(r), facts.playable(r)
		d.logo = facts.logos[r.ID]
		d.site, d.schedule = facts.guides[r.ID]
		for _, name := range strictNames(r) {
			d.words = append(d.words, strings.Fields(fold.Words(name)+" "+fold.Joined(name))...)
		}
		d.rating = rating(r, &d, facts.uses[r.ID])
		n.docs = append(n.docs, d)
	}
	slices.SortFunc(n.docs, byName)
	return n
}

func byName(a, b doc) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.ID, b.ID)) }

// Matches returns the ids of all that q matches, in order.
func (n *Naive) Matches(q index.Query) []string {
	found := n.matches(q)
	n.sort(found, q)
	ids := []string{}
	for _, d := range found {
		ids = append(ids, d.ID)
	}
	return ids
}

// Page returns the answer to q.
func (n *Naive) Page(q index.Query, locale int) catalog.Page {
	found := n.matches(q)
	n.sort(found, q)
	page := catalog.Page{
		Items: []catalog.Channel{}, Total: len(found), Limit: q.Limit, Offset: q.Offset,
		Facets: n.facets(found, locale), Filters: filters(q), API: n.links.Channels(),
	}
	if next := q.Offset + q.Limit; q.Limit > 0 && next < len(found) {
		address := fmt.Sprintf("%s?%soffset=%d", n.links.Channels(), q.More, next)
		page.NextOffset, page.Next = &next, &address
	}
	for _, d := range found[min(q.Offset, len(found)):min(q.Offset+q.Limit, len(found))] {
		item := n.item(d, locale, q.Crowd)
		if tenths, ok := distance(q, d); ok {
			kilometres := float64(tenths) / 10
			item.DistanceKM = &kilometres
		}
		page.Items = append(page.Items, item)
	}
	return page
}

func (n *Naive) matches(q index.Query) []doc {
	words := strings.Fields(fold.Words(q.Q))
	if q.Q != "" && len(words) == 0 {
		return nil
	}
	var out []doc
	for _, d := range n.docs {
		if n.passes(d, q) && hasAll(d, words) {
			out = append(out, d)
		}
	}
	return out
}

func hasAll(d doc, words []string) bool {
	for _, w := range words {
		if !slices.ContainsFunc(d.words, func(s string) bool { return strings.HasPrefix(s, w) }) {
			return false
		}
	}
	return true
}

// passes reports whether d has all that q selects by, as the table of filters
// declares it.
func (n *Naive) passes(d doc, q index.Query) bool {
	for id, f := range filter.All {
		if f.Match != filter.ByValue {
			continue
		}
		if value := q.Value(filter.ID(id)); value != "" && !slices.Contains(f.Values(d.Record), value) {
			return false
		}
	}
	kind := map[string]bool{"": d.Kind == catalog.TV, "tv": d.Kind == catalog.TV, "radio": d.Kind == catalog.Station, "all": true}
	return kind[q.Kind] && allows(q, d)
}

// allows reports whether d has what q asks for by yes or no.
func allows(q index.Query, d doc) bool {
	online := d.health != nil && d.health.Online && !q.Stalled
	if _, ok := distance(q, d); q.Near != "" && !ok {
		return false
	}
	return (!q.Playable || d.playable) && (!q.Guide || d.HasGuide || d.schedule) && (!q.Scheduled || d.schedule) && (!q.Online || online)
}

func (n *Naive) sort(found []doc, q index.Query) {
	var rank func(doc) int
	switch q.Sort {
	case filter.ByDistance:
		if q.Near == "" {
			return
		}
		rank = func(d doc) int {
			tenths, _ := distance(q, d)
			return d.rating - tenths<<16
		}
	case "score":
		rank = score
	case "votes":
		rank = votes
	case filter.ByRelevance, filter.ByPopularity:
		rank = func(d doc) int {
			if q.Sort == filter.ByPopularity && q.Country == "" && q.Home != "" && d.Country == q.Home {
				return d.rating + 1<<16
			}
			return d.rating
		}
	default:
		return
	}
	slices.SortStableFunc(found, func(a, b doc) int { return cmp.Compare(rank(b), rank(a)) })
}

// distance returns how far d is from the place of q, in tenths of a kilometre. It reports
// false when that is not known, or farther than the radius.
func distance(q index.Query, d doc) (tenths int, ok bool) {
	at, ok := q.Place()
	if !ok || d.Radio == nil || d.Radio.Geo == nil {
		return 0, false
	}
	kilometres := at.Metres(*d.Radio.Geo) / 1000
	return int(math.Round(kilometres * 10)), kilometres <= float64(q.Kilometres())
}

// score orders by what was measured, the unmeasured last, and then by rating.
func score(d doc) int {
	if d.health == nil || d.health.Score == nil {
		return d.rating
	}
	return (*d.health.Score+1)<<16 + d.rating
}

// strictNames returns the names of which a search finds the words in every order.
func strictNames(r *catalog.Record) []string {
	names := append([]string{r.Name}, r.AltNames...)
	for _, n := range r.FeedNames {
		if n.Feed == "" {
			names = append(names, n.Name)
		}
	}
	return names
}

// rating rates d, which is used so much, as package prior has it.
func rating(r *catalog.Record, d *doc, use index.Use) int {
	f := prior.Facts{
		Radio: r.Radio != nil, GuideSites: r.GuideSites, Streams: len(r.Streams), AltNames: len(r.AltNames),
		Network: r.Network != "", Website: r.Website != "", Logo: strings.Contains(r.LogoSource, "://"), Country: r.Country != "", Language: len(r.Languages) > 0,
	}
	if r.Radio != nil {
		f.Votes, f.Clicks, f.GuideSites = r.Radio.Votes, r.Radio.Clicks, 0
	} else {
		f.Lines, f.Area = rank.Lines(r.Quality), area(r.BroadcastArea)
	}
	score, offline := -1, false
	if d.health != nil {
		offline = !d.playable
		if d.health.Score != nil {
			score = *d.health.Score
		}
	}
	return prior.Live(prior.Of(&f), score, offline, use.Plays, use.Favorites)
}

func area(areas []string) prior.Area {
	countries := 0
	for _, a := range areas {
		switch {
		case strings.HasPrefix(a, "r/"):
			return prior.International
		case strings.HasPrefix(a, "c/"):
			countries++
		}
	}
	switch {
	case countries > 1:
		return prior.International
	case countries == 1:
		return prior.National
	case len(areas) > 0:
		return prior.Local
	}
	return prior.Unknown
}

func votes(d doc) int {
	if d.Radio == nil {
		return 0
	}
	return d.Radio.Votes
}

func (n *Naive) facets(found []doc, locale int) catalog.Facets {
	counts := map[string]int{}
	for _, d := range found {
		seen := map[string]bool{}
		for _, k := range d.Categories {
			if !seen[k] {
				counts[k]++
			}
			seen[k] = true
		}
	}
	f := catalog.Facets{Categories: []catalog.CategoryCount{}}
	for id, count := range counts {
		k := n.category(id)
		f.Categories = append(f.Categories, catalog.CategoryCount{ID: id, Name: k.Name[locale], Count: count, Icon: nullable(k.Icon)})
	}
	slices.SortFunc(f.Categories, func(a, b catalog.CategoryCount) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.ID, b.ID))
	})
	return f
}

func (n *Naive) category(id string) catalog.Category {
	for _, k := range n.reg.Categories {
		if k.ID == id {
			return k
		}
	}
	return catalog.Category{ID: id, Name: catalog.Labels{id, id, id, id, id}}
}

func (n *Naive) item(d doc, locale int, crowd index.Crowd) catalog.Channel {
	site := nullable(d.GuideSite)
	if d.schedule {
		site = d.site
	}
	c := catalog.Channel{
		ID: d.ID, Name: d.Name, AltNames: list(d.AltNames), Country: nullable(d.Country),
		Categories: list(d.Categories), Languages: list(d.Languages), CategoryLabels: []string{}, LanguageLabels: []string{},
		Website: nullable(d.Website), PlayableHint: d.playable, Network: nullable(d.Network), Owners: list(d.Owners),
		Launched: nullable(d.Launched), ReplacedBy: nullable(d.ReplacedBy), FeedName: nullable(d.FeedName),
		FeedFormat: nullable(d.FeedFormat), Timezones: list(d.Timezones), BroadcastArea: list(d.BroadcastArea),
		Quality: d.Quality, HasGuide: d.HasGuide || d.schedule, GuideSite: site, GuideLang: nullable(d.GuideLang),
		Subdivision: nullable(d.Subdivision), City: nullable(d.City), Kind: d.Kind.String(), Origin: d.Origin,
		Social: &catalog.Social{}, API: n.links.Base + catalog.ChannelsPath + "/" + url.PathEscape(d.ID),
	}
	if d.name != "" {
		slug := strings.ReplaceAll(d.name, " ", "-")
		if d.Country != "" {
			slug += "-" + strings.ToLower(d.Country)
		}
		c.Slug = &slug
	}
	for _, k := range d.Categories {
		c.CategoryLabels = append(c.CategoryLabels, n.category(k).Name[locale])
	}
	for _, code := range d.Languages {
		name := code
		for _, t := range n.reg.Languages {
			if t.Code == code {
				name = t.Name[locale]
			}
		}
		c.LanguageLabels = append(c.LanguageLabels, name)
	}
	c.HealthExt = d.health
	if d.logo != "" {
		address := n.links.Base + catalog.LogosPath + url.PathEscape(d.logo)
		c.LogoURL = &address
	}
	if d.Radio != nil {
		c.Radio = withGenres(d.Radio, locale)
	}
	if crowd != nil {
		*c.Social, _ = crowd.Social([]byte(d.ID))
	}
	return c
}

// withGenres returns r with the genres that its tags mean.
func withGenres(r *catalog.Radio, locale int) *catalog.RadioStation {
	shown := catalog.RadioStation{Radio: *r, Genres: []catalog.StationGenre{}}
	for _, id := range genre.Of(r.Tags) {
		name, _ := genre.Label(id, i18n.Locale(locale))
		shown.Genres = append(shown.Genres, catalog.StationGenre{ID: id, Name: name})
	}
	return &shown
}

func filters(q index.Query) catalog.Filters {
	return catalog.Filters{
		Q: nullable(q.Q), Country: nullable(q.Country), Category: nullable(q.Category), Language: nullable(q.Language),
		Network: nullable(q.Network), Quality: nullable(q.Quality), Subdivision: nullable(q.Subdivision), City: nullable(q.City),
		Tag: nullable(q.Tag), Genre: nullable(q.Genre), WorksIn: nullable(q.WorksIn), Guide: q.Guide, Playable: q.Playable, Online: q.Online,
		Sort: cmp.Or(q.Sort, "name"), Kind: cmp.Or(q.Kind, "tv"), Near: nullable(q.Near), Radius: radius(q),
	}
}

func radius(q index.Query) *int {
	if q.Near == "" {
		return nil
	}
	kilometres := q.Kilometres()
	return &kilometres
}

func nullable(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func list(l []string) []string {
	if l == nil {
		return []string{}
	}
	return l
}
