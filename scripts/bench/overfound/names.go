package overfound

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"miramundo.dev/scripts/bench/report"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/source"
)

// Besides the judged queries, a search must find each channel by the names of
// its feeds, and each station by the names of the entries that were folded into
// it. All these names of the sources are asked, as far as they are not the name
// of the record itself, and a sample of the names and alternative names of the
// records. A name that several records bear is found when any of them is: no page
// could show all.

// goalNames is the share of these names that must find a bearer, in percent.
const goalNames = 99.0

// sampled is how many names are asked of those that every record has.
const sampled = 4000

// mostListed bounds how many names that are not found are listed.
const mostListed = 200

// A nameSet is a set of names, with the records that bear each.
type nameSet struct {
	title   string
	kind    string
	goal    bool                       // the design has a goal for it
	bearers map[string]map[string]bool // ids by folded name
	asked   []askedName
}

// An askedName is a name by which the record with an id must be found.
type askedName struct{ text, id string }

func newNameSet(title string, kind catalog.Kind, records map[string]*catalog.Record) *nameSet {
	n := &nameSet{title: title, kind: kind.String(), goal: true, bearers: map[string]map[string]bool{}}
	for id, r := range records {
		if r.Kind == kind {
			n.bear(r.Name, id)
			for _, name := range r.AltNames {
				n.bear(name, id)
			}
		}
	}
	return n
}

// bear notes that the record with an id bears a name.
func (n *nameSet) bear(name, id string) {
	key := fold.Words(name)
	if n.bearers[key] == nil {
		n.bearers[key] = map[string]bool{}
	}
	n.bearers[key][id] = true
}

// ask adds a name by which r must be found.
func (n *nameSet) ask(name string, r *catalog.Record) {
	if key := fold.Words(name); key == "" || key == fold.Words(r.Name) {
		return
	}
	n.bear(name, r.ID)
	n.asked = append(n.asked, askedName{name, r.ID})
}

// feedNames returns the names of channels with those of their other feeds.
func feedNames(ds *source.Dataset, records map[string]*catalog.Record) *nameSet {
	n := newNameSet("channel + name of another feed", catalog.TV, records)
	for i := range ds.Feeds {
		f := &ds.Feeds[i]
		r := records[f.Channel]
		if r == nil || r.Kind != catalog.TV {
			continue
		}
		if !f.Main {
			n.ask(r.Name+" "+f.Name, r)
		}
		for _, name := range f.AltNames {
			n.ask(r.Name+" "+name, r)
		}
	}
	return n
}

// foldedNames returns the names of the entries that were folded into stations.
func foldedNames(ds *source.Dataset, reg *catalog.Register, records map[string]*catalog.Record) *nameSet {
	n := newNameSet("name of a folded station", catalog.Station, records)
	for i := range ds.Stations {
		s := &ds.Stations[i]
		if r := records[reg.ChannelAliases["rb."+strings.ToLower(s.UUID)]]; r != nil {
			n.ask(s.Name, r)
		}
	}
	return n
}

// ownNames returns a sample of the names of records of a kind, the same for the
// same records: either their names or their alternative names.
func ownNames(kind catalog.Kind, alternative bool, s *searcher, records map[string]*catalog.Record) *nameSet {
	n := newNameSet("name of a "+kind.String()+" record", kind, records)
	if n.goal = false; alternative {
		n.title = "alternative " + n.title
	}
	for i := range s.records {
		r := &s.records[i]
		names := []string{r.Name}
		if alternative {
			names = r.AltNames
		}
		for _, name := range names {
			if r.Kind == kind && fold.Words(name) != "" {
				n.asked = append(n.asked, askedName{name, r.ID})
			}
		}
	}
	pick := rand.New(rand.NewPCG(1, 1))
	pick.Shuffle(len(n.asked), func(i, k int) { n.asked[i], n.asked[k] = n.asked[k], n.asked[i] })
	n.asked = n.asked[:min(len(n.asked), sampled)]
	return n
}

// namesPart asks the names of all sets, prints the shares that are found, and
// returns whether the goal is reached.
func namesPart(t *report.Report, s *searcher, o Options) bool {
	records := map[string]*catalog.Record{}
	for i := range s.records {
		records[s.records[i].ID] = &s.records[i]
	}
	t.Head("names", "asked", "first %", "in 5 %", "zero %")
	reached := true
	sets := []*nameSet{
		feedNames(o.Dataset, records), foldedNames(o.Dataset, o.Register, records),
		ownNames(catalog.TV, false, s, records), ownNames(catalog.TV, true, s, records),
		ownNames(catalog.Station, false, s, records), ownNames(catalog.Station, true, s, records),
	}
	lostOf := map[*nameSet][]askedName{}
	for _, set := range sets {
		sum, lost := s.askNames(set, records)
		cells := []string{set.title, fmt.Sprint(sum.asked)}
		for _, n := range []int{sum.first, sum.five, sum.zero} {
			cells = append(cells, fmt.Sprintf("%.1f", sum.percent(n)))
		}
		if set.goal {
			ok := sum.percent(sum.five) >= goalNames
			reached, cells = reached && ok, append(cells, report.Verdict(ok))
		}
		t.Row(cells...)
		lostOf[set] = lost
	}
	for _, set := range sets {
		if o.Misses {
			listNames(t, set, lostOf[set])
		}
	}
	return reached
}

// askNames asks the names of set, and returns the shares and the names that are
// not found. A record without a stream that plays is asked among all records.
func (s *searcher) askNames(set *nameSet, records map[string]*catalog.Record) (sum share, lost []askedName) {
	for _, name := range set.asked {
		sel := filter.Selection{Q: name.text, Kind: set.kind, Playable: records[name.id].Playable(), Sort: "relevance"}
		sel.Normalize()
		docs, total := s.view.Find(index.Query{Selection: sel, Limit: shown})
		r := result{place: nowhere, total: total}
		for i, doc := range docs {
			if set.bearers[fold.Words(name.text)][s.records[doc].ID] {
				r.place = place(i)
				break
			}
		}
		if sum.add(&r); r.place == nowhere {
			lost = append(lost, name)
		}
	}
	return sum, lost
}

// listNames prints names that are not found, evenly chosen when there are many.
func listNames(t *report.Report, set *nameSet, lost []askedName) {
	step := max(1, len(lost)/mostListed)
	for i := 0; i < len(lost); i += step {
		t.Note("%s\tmissed\t%s %s\t%s", set.title, set.kind, lost[i].text, lost[i].id)
	}
}
