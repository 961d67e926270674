package search

import (
	"bytes"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index/layout/recordtext"
	"miramundo.dev/shared/catalog/prior"
	"miramundo.dev/shared/catalog/snapshot"
)

// An explanation takes a score apart with the scorer that made it, and repeats none
// of its rules. What a circumstance is worth is the difference to the score without
// it, such as that of a caller without a country. Which name matched is found by
// scoring one name at a time. That takes many times as long as the score, which only
// operators wait for.

// Explain returns what the place of a record of the page is made of. The query must
// be that of the page.
func (p *Page) Explain(q *Query, doc uint32) *catalog.Explanation {
	e := p.engine
	facts := e.now.Facts(doc)
	x := &catalog.Explanation{Rating: int(e.now.Ratings[doc]), Live: int(e.now.Ratings[doc]) - prior.Of(&facts)}
	for _, part := range prior.Explain(&facts) {
		x.Parts = append(x.Parts, catalog.RatingPart(part))
	}
	if q.Relevant() {
		p.explainScore(x, q, doc)
	}
	return x
}

// explainScore adds to x what the score of doc is made of, if it was scored.
func (p *Page) explainScore(x *catalog.Explanation, q *Query, doc uint32) {
	c := p.engine.newScorer(p.scratch, q)
	rd, score := c.bestReading(doc)
	if rd == nil {
		return
	}
	x.Score, x.Text = &score, c.explainText(doc, rd)
	worth := func(change func(*scorer)) int {
		without := c
		change(&without)
		return score - without.score(doc, rd)
	}
	x.Country = worth(func(c *scorer) { c.near = 0 })
	x.Language = worth(func(c *scorer) { c.language, c.forScript = 0, 0 })
	x.Playable = worth(func(c *scorer) { c.playable = true })
	x.RatingPoints = score - x.Text.Points + rd.cost - x.Country - x.Language - x.Playable
}

// bestReading returns the reading by which doc was scored best, and that score; nil when
// doc was not a candidate.
func (c *scorer) bestReading(doc uint32) (rd *reading, score int) {
	at, _ := slices.BinarySearchFunc(c.r.candidates, doc, func(x candidate, doc uint32) int { return int(x.doc) - int(doc) })
	for _, x := range c.r.candidates[at:] {
		if x.doc != doc {
			break
		}
		if n := c.score(doc, &c.r.readings[x.reading]); rd == nil || n > score {
			rd, score = &c.r.readings[x.reading], n
		}
	}
	return rd, score
}

// explainText returns how doc answers a reading.
func (c *scorer) explainText(doc uint32, rd *reading) *catalog.ExplainedText {
	x := &catalog.ExplainedText{Points: c.match(doc, rd), Reading: rd.text(), Cost: rd.cost, Values: c.valuesOf(doc, rd)}
	for _, n := range c.r.named {
		if n.doc == doc {
			x.Exact, x.By, x.Name = true, classNames[n.class], c.nameLike(doc, n.class)
			return x
		}
	}
	one := *c
	one.only = -1 // none
	if one.match(doc, rd) == x.Points {
		x.By = "several_names"
		if sensed, _ := c.sensed(doc, rd); sensed == 1<<len(rd.slots)-1 {
			x.By = "values"
		}
		return x
	}
	one.only = 0
	for names := c.e.namesOf(doc, new([]byte)); names.next(); {
		one.only++
		if one.match(doc, rd) == x.Points {
			x.By, x.Name = classNames[names.class], string(recordtext.Unhyphenate(slices.Clone(names.words)))
			return x
		}
	}
	return x
}

// classNames are the classes of names as explanations have them.
var classNames = [...]string{
	snapshot.OwnName: "name", snapshot.OtherName: "other_name", snapshot.NameOfFeed: "feed_name", snapshot.Romanised: "romanised_name",
}

// nameLike returns the name of doc of a class that is the query, folded.
func (c *scorer) nameLike(doc uint32, class snapshot.NameClass) string {
	record := c.e.ix.Record(int(doc))
	for name := range snapshot.Names(&record) {
		if words := fold.Words(fold.Spoken(name.Text)); name.Class == class && bytes.Equal(snapshot.AppendKey(nil, words), c.r.key) {
			return words
		}
	}
	return ""
}

// text returns rd as people can read it: the words that are looked for in names,
// those in place of a misspelled one with slashes between them, and the values that
// words are taken for where they are not looked for.
func (rd *reading) text() string {
	var words []string
	for i := range rd.slots {
		switch t := &rd.slots[i]; {
		case t.far:
			words = append(words, string(bytes.Join(t.spellings[:t.count], []byte("/"))))
		case len(t.word) > 0:
			words = append(words, string(t.word))
		default:
			words = append(words, t.senses[0].text())
		}
	}
	return strings.Join(words, " ")
}

// text returns the filter and the value of s.
func (s *sense) text() string { return filter.All[s.Filter].Name + "=" + s.Value }

// valuesOf returns the values that fill slots of a reading and that doc has.
func (c *scorer) valuesOf(doc uint32, rd *reading) []string {
	values := []string{}
	for i := range rd.slots {
		for k := range rd.slots[i].senses {
			if s := &rd.slots[i].senses[k]; s.Has(doc) {
				values = append(values, s.text())
			}
		}
	}
	return values
}
