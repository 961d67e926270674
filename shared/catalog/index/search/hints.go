package search

import (
	"bytes"
	"maps"
	"slices"

	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/catalog/snapshot"
)

// This file says how a search by relevance came to its results, for package hint:
// which words it took for values of filters, which words it corrected or left out,
// and which records have the query as a name without being shown. It reads what
// the search left in its memory, so its methods must be called before Release.

const (
	firstResults  = 5   // results that are looked at to see what a query meant
	beyondName    = 200 // strength of a sense that counts although a channel has the query as its name
	kindStrength  = 128 // of a sense that is a kind: "canal" and "station" are mostly parts of names
	maxCorrection = 2   // different corrections of a query
)

// An Understanding is a run of typed words that was taken for a value of a filter.
type Understanding struct {
	meaning.Sense
	Words []string // as they were typed, folded
}

// AsTyped returns how many records a search by relevance found before words were
// corrected or left out.
func (p *Page) AsTyped() int { return p.scratch.relevance.asTyped }

// FoundLittle reports whether fewer than three records were found before words were
// corrected or left out, none of which has the query as a name.
func (p *Page) FoundLittle() bool {
	r := &p.scratch.relevance
	return r.asTyped < fewFound && len(r.named) == 0
}

// Named reports whether a record that was found has the whole query as a name.
func (p *Page) Named() bool { return len(p.scratch.relevance.named) > 0 }

// Words returns the typed words, folded, and for each whether it is to be taken
// literally.
func (p *Page) Words() (words []string, literal []bool) {
	for _, w := range p.scratch.relevance.typed {
		words, literal = append(words, string(w.text)), append(literal, w.literal)
	}
	return words, literal
}

// Understood returns the typed words that were taken for values of filters, in
// order and without overlaps: the longer run of words first, and of its senses the
// strongest that one of the first results has. When one of the first results has the
// whole query as a name, only a sense that the whole query has almost beyond doubt is
// returned: "france 24" and "sky news" are names, "brasil" is a country whatever is
// called so.
func (p *Page) Understood(q *Query) (list []Understanding) {
	r := &p.scratch.relevance
	if len(r.spans) == 0 {
		return nil
	}
	best := p.bestResults(q)
	exact := slices.ContainsFunc(r.named, func(n named) bool { return slices.Contains(best, n.doc) })
	for from := 0; from < len(r.typed); {
		sense, to := p.senseFrom(from, best, exact)
		if to == from {
			from++
			continue
		}
		u := Understanding{Sense: sense}
		for _, w := range r.typed[from:to] {
			u.Words = append(u.Words, string(w.text))
		}
		list, from = append(list, u), to
	}
	return list
}

// bestResults returns the first results of the search, whatever its page.
func (p *Page) bestResults(q *Query) (docs []uint32) {
	r := &p.scratch.relevance
	if len(r.scored) == 0 {
		p.engine.scoreAll(p.scratch, q)
	}
	for _, key := range r.scored[:min(len(r.scored), firstResults)] {
		docs = append(docs, uint32(key))
	}
	return docs
}

// senseFrom returns what the longest run of typed words from a position means, and
// where the run ends; from when no run means anything.
func (p *Page) senseFrom(from int, best []uint32, exact bool) (sense meaning.Sense, to int) {
	r := &p.scratch.relevance
	to = from
	for i := range r.spans {
		sp := &r.spans[i]
		whole := sp.From == 0 && sp.To == len(r.typed)
		if sp.From != from || sp.To <= to || exact && !whole {
			continue
		}
		for _, s := range sp.Senses {
			if s.Strength >= leastStrength(s.Filter, exact) && p.engine.anyHas(best, s) {
				sense, to = s, sp.To
				break
			}
		}
	}
	return sense, to
}

// leastStrength returns how strong a sense for a filter must be to be shown to
// callers. Exact says that a channel has the query as its name.
func leastStrength(id filter.ID, exact bool) uint8 {
	switch {
	case exact:
		return beyondName
	case id == filter.Kind:
		return kindStrength
	}
	return minStrength
}

// anyHas reports whether one of docs has the value of a sense.
func (e *Engine) anyHas(docs []uint32, s meaning.Sense) bool {
	set, ok := e.setOf(s)
	return ok && slices.ContainsFunc(docs, set.Has)
}

// Corrections returns by which words of names the search replaced typed words that
// seem misspelled, each as a map from typed words. They are taken from the first
// results, so that each correction finds something.
func (p *Page) Corrections(q *Query) (list []map[string]string) {
	r := &p.scratch.relevance
	if !slices.ContainsFunc(r.readings, func(rd reading) bool { return rd.replaced() > 0 }) {
		return nil
	}
	for _, doc := range p.bestResults(q) {
		for i := range r.readings {
			if r.readings[i].replaced() == 0 {
				continue
			}
			words := p.correction(doc, &r.readings[i])
			known := slices.ContainsFunc(list, func(c map[string]string) bool { return sameWords(c, words) })
			if len(words) > 0 && !known && len(list) < maxCorrection {
				list = append(list, words)
			}
		}
	}
	return list
}

// replaced returns in how many slots a reading has other words than the typed ones.
func (rd *reading) replaced() (n int) {
	for i := range rd.slots {
		if rd.slots[i].far {
			n++
		}
	}
	return n
}

// correction returns the words of the names of doc that a reading looked for in
// place of typed ones; nil when no name has them all.
func (p *Page) correction(doc uint32, rd *reading) map[string]string {
	r := &p.scratch.relevance
	for names := p.engine.namesOf(doc, &r.folded); names.next(); {
		r.words = recordtext.Unhyphenate(append(r.words[:0], names.words...))
		words := map[string]string{}
		for i := range rd.slots {
			t := &rd.slots[i]
			if !t.far {
				continue
			}
			for _, spelling := range t.spellings[:t.count] {
				if hasWord(r.words, spelling) {
					words[string(t.word)] = string(spelling)
					break
				}
			}
		}
		if len(words) == rd.replaced() {
			r.partJoined(words)
			maps.DeleteFunc(words, func(typed, word string) bool { return typed == word })
			return words
		}
	}
	return nil
}

// partJoined replaces, in a map from words that were looked for, two typed words
// that were read as one: the first stands for both, the second is removed.
func (r *relevance) partJoined(words map[string]string) {
	for i := range max(len(r.typed)-1, 0) {
		first, second := string(r.typed[i].text), string(r.typed[i+1].text)
		if word, ok := words[first+second]; ok {
			delete(words, first+second)
			words[first], words[second] = word, ""
		}
	}
}

// hasWord reports whether folded words have a word.
func hasWord(words, word []byte) bool {
	for w := range bytes.FieldsSeq(words) {
		if bytes.Equal(w, word) {
			return true
		}
	}
	return false
}

func sameWords(a, b map[string]string) bool {
	for typed, word := range a {
		if b[typed] != word {
			return false
		}
	}
	return len(a) == len(b)
}

// Dropped returns typed words that the search left out, one list for each attempt.
// When it found nothing at all, these are the words that no name has.
func (p *Page) Dropped() (list [][]string) {
	r := &p.scratch.relevance
	if p.Total == 0 {
		var nowhere []string
		for _, w := range r.typed {
			if p.engine.frequency(w.text) == 0 {
				nowhere = append(nowhere, string(w.text))
			}
		}
		if len(nowhere) > 0 {
			return [][]string{nowhere}
		}
	}
	for i := range r.readings {
		rd := &r.readings[i]
		if rd.cost < costDropped || rd.replaced() > 0 {
			continue
		}
		var out []string
		for _, w := range r.typed {
			if !slices.ContainsFunc(rd.slots, func(t slot) bool { return bytes.Equal(t.word, w.text) }) {
				out = append(out, string(w.text))
			}
		}
		list = append(list, out)
	}
	return list
}

// Unshown returns the records of the kind asked for that have the query as a name
// but are not shown: those that the operator blocked and, for a query for playable
// channels, those without a usable stream. When enough was found, only the names that
// are shown count: "weather" is another name of many local channels.
func (p *Page) Unshown(q *Query) (docs []uint32) {
	e, r := p.engine, &p.scratch.relevance
	if len(r.key) == 0 {
		return nil
	}
	for doc, class := range e.ix.Named(r.key) {
		hidden := e.now.IsRemoved(doc) || q.Playable && !e.now.Playable.Has(doc)
		hidden = hidden && (class == snapshot.OwnName || p.FoundLittle())
		if hidden && e.isOfKind(doc, p.kind) && !slices.Contains(docs, doc) && e.hasKey(p.scratch, doc, class) {
			docs = append(docs, doc)
		}
	}
	return docs
}

func (e *Engine) isOfKind(doc uint32, kind int) bool {
	return kind == kindAll || e.ix.Radio.Has(doc) == (kind == kindRadio)
}

// Feed returns the feed whose name matches the query better than any other name of
// a record of the page, and that name in full. It reports false when a name of the
// channel itself matches as well.
func (p *Page) Feed(q *Query, doc uint32) (feed, name string, ok bool) {
	e, r := p.engine, &p.scratch.relevance
	if !e.hasFeedNames(doc) {
		return "", "", false
	}
	best := p.namedFeed(doc)
	if !slices.ContainsFunc(r.named, func(n named) bool { return n.doc == doc }) {
		best = p.matchedFeed(q, doc)
	}
	if best.feed == 0 {
		return "", "", false
	}
	own := jsontext.Text(e.ix.Texts(doc).Part[recordtext.Name])
	return e.ix.Text(best.feed), snapshot.WholeName(own, fold.Words(own), e.ix.Text(best.text)), true
}

// hasFeedNames reports whether names of feeds of a record are known.
func (e *Engine) hasFeedNames(doc uint32) bool {
	past := e.ix.Pasts.Row(e.ix.Rows[doc].Past)
	for pair := range slices.Chunk(e.ix.Lists.At(past[snapshot.PastFeedNameList]), 2) {
		if pair[0] != 0 { // else it is a name of the channel as a whole
			return true
		}
	}
	return false
}

// namedFeed returns the name of a feed that is the query, unless the channel itself
// has the query as a name.
func (p *Page) namedFeed(doc uint32) feedName {
	e, r := p.engine, &p.scratch.relevance
	at := slices.IndexFunc(r.named, func(n named) bool { return n.doc == doc })
	if at < 0 || r.named[at].class != snapshot.NameOfFeed {
		return feedName{}
	}
	for names := e.namesOf(doc, &r.folded); names.next(); {
		r.words = recordtext.Unhyphenate(append(r.words[:0], names.words...))
		p.scratch.name = snapshot.AppendKey(p.scratch.name[:0], r.words)
		if names.class == snapshot.NameOfFeed && bytes.Equal(p.scratch.name, r.key) {
			return feedName{names.feed, names.text}
		}
	}
	return feedName{}
}

// matchedFeed returns the name of a feed that matches better than any other name of
// doc, by the reading that scored doc best; zero when that is not a feed's.
func (p *Page) matchedFeed(q *Query, doc uint32) (best feedName) {
	scorer := p.engine.newScorer(p.scratch, q)
	rd, _ := scorer.bestReading(doc)
	if rd == nil {
		return feedName{}
	}
	scorer.match(doc, rd)
	return scorer.best
}

// Count returns how many records q finds as it is typed, without correcting or
// leaving out words. It takes less time than a page, because nothing is ordered.
func (e *Engine) Count(q *Query) int {
	s := e.scratch()
	defer e.putScratch(s)
	if !q.Relevant() {
		res := e.run(s, q)
		return res.total
	}
	r := &s.relevance
	r.reset()
	if r.parse(q.Q); len(r.typed) == 0 {
		return 0
	}
	res := e.relevant(s, q, true)
	return res.total
}
