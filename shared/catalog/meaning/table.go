package meaning

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
)

// A Catalog is what the table is made from: the vocabularies of a catalog, with
// how many records have a value.
type Catalog struct {
	Countries, Languages []catalog.Term
	Categories           []catalog.Category
	Subdivisions         []catalog.Subdivision
	Cities               []catalog.City

	// Count returns how many records have a value of a filter.
	// Values without records are left out of the table.
	Count func(id filter.ID, value string) int
}

// New makes the table of a catalog. It takes about 20 ms for the real one.
func New(c Catalog) *Meanings {
	t := &table{Catalog: c, entries: map[string]*entry{}, bit: map[string]int{}, namers: map[string]namer{}}
	t.addCountries()
	t.addLanguages()
	t.addCategories()
	t.addPlaces()
	t.addGenres()
	t.addKinds()
	return t.finish()
}

// A table is Meanings in the making.
type table struct {
	Catalog
	entries map[string]*entry
	bit     map[string]int // of Languages, by code
	codes   []string
	namers  map[string]namer // by the tag of their language
	buf     []byte
}

type entry struct {
	senses []Sense
	spoken Languages
}

// maxWords is how many words a phrase may have: the languages that fold letter
// by letter need more than the others.
const maxWords = 6

// add adds a phrase that names a value of a filter. Language is the ISO 639-3
// code of the language that it belongs to; empty when it says nothing about it.
func (t *table) add(text, language string, id filter.ID, value string, strength int) {
	t.buf = fold.AppendWords(t.buf[:0], text)
	t.addFolded(string(t.buf), language, id, value, strength)
}

func (t *table) addFolded(text, language string, id filter.ID, value string, strength int) {
	if text == "" || len(text) > maxPhrase || strings.Count(text, " ") >= maxWords {
		return
	}
	if most, ok := ceilings()[ceiling{filter.All[id].Name, text}]; ok {
		strength = min(strength, most)
	}
	e := t.entries[text]
	if e == nil {
		e = new(entry)
		t.entries[text] = e
	}
	if len(text) > len("usa") { // codes belong to no language
		e.spoken |= t.language(language)
	}
	i := slices.IndexFunc(e.senses, func(s Sense) bool { return s.Filter == id && s.Value == value })
	if i < 0 {
		i = len(e.senses)
		e.senses = append(e.senses, Sense{Filter: id, Value: value})
	}
	e.senses[i].Strength = max(e.senses[i].Strength, uint8(strength))
}

// spokenFrom is the number of records from which a language is one of the 64
// that Languages has bits for.
const spokenFrom = 50

// language returns the set of one language; of a rare one it is empty.
func (t *table) language(code string) Languages {
	bit, ok := t.bit[code]
	if !ok {
		if bit = 64; code != "" && len(t.codes) < 64 && t.Count(filter.Language, code) >= spokenFrom {
			bit = len(t.codes)
			t.codes = append(t.codes, code)
		}
		t.bit[code] = bit
	}
	return 1 << bit
}

// finish orders the senses of each phrase, adds the beginnings of phrases, and
// lets equal lists of senses share their memory.
func (t *table) finish() *Meanings {
	m := &Meanings{phrases: make(map[string]phrase, len(t.entries)+len(t.entries)/4), senses: [][]Sense{nil}, spoken: t.codes}
	known := map[string]uint32{}
	for text, e := range t.entries {
		slices.SortFunc(e.senses, func(a, b Sense) int {
			return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Filter, b.Filter), strings.Compare(a.Value, b.Value))
		})
		var key strings.Builder
		for _, s := range e.senses {
			key.WriteString(s.Value)
			key.WriteByte(0)
			key.WriteByte(byte(s.Filter))
			key.WriteByte(s.Strength)
		}
		at, ok := known[key.String()]
		if !ok {
			at = uint32(len(m.senses))
			known[key.String()] = at
			m.senses = append(m.senses, slices.Clip(e.senses))
		}
		m.phrases[text] = phrase{at, t.distinctive(e.spoken)}
		for i := range len(text) {
			if text[i] == ' ' {
				beginning := text[:i]
				m.phrases[beginning] = m.phrases[beginning] // with its senses, or without any
			}
		}
	}
	return m
}

// maxSpoken is how many languages a word may belong to and still say which
// language the caller writes in.
const maxSpoken = 3

// distinctive returns set, or nothing for a word of English and another
// language or of many languages: it is international.
func (t *table) distinctive(set Languages) Languages {
	n := bits.OnesCount64(uint64(set))
	if n > maxSpoken || n > 1 && set&t.language("eng") != 0 {
		return 0
	}
	return set
}
