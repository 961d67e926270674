package meaning

import (
	"bytes"
	"cmp"
	"iter"
	"math"
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

// New makes the table of a catalog. It takes some 30 ms for the real one.
func New(c Catalog) *Meanings {
	t := &table{Catalog: c, entries: make(map[string]*entry, usualPhrases), bit: map[string]int{}, namers: map[string]namer{}}
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

// usualPhrases is how many phrases the table of the real catalog has, about.
const usualPhrases = 18_000

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
	m := &Meanings{ends: []uint32{0}, sets: []Languages{0}, codes: t.codes}
	n, size := t.room()
	m.phrases = newPhraseTable(n, size)
	known, sets := make(map[string]uint32, len(t.entries)/4), map[Languages]uint16{0: 0}
	for text, e := range t.entries {
		slices.SortFunc(e.senses, func(a, b Sense) int {
			return cmp.Or(cmp.Compare(b.Strength, a.Strength), cmp.Compare(a.Filter, b.Filter), strings.Compare(a.Value, b.Value))
		})
		t.buf = appendList(t.buf[:0], e.senses)
		list, ok := known[string(t.buf)]
		if !ok {
			list = m.addList(e.senses)
			known[string(t.buf)] = list
		}
		spoken := t.distinctive(e.spoken)
		if _, ok := sets[spoken]; !ok && len(m.sets) < math.MaxUint16 {
			sets[spoken] = uint16(len(m.sets))
			m.sets = append(m.sets, spoken)
		}
		m.addPhrase(append(t.buf[:0], text...), list, sets[spoken])
	}
	for text := range t.entries {
		for beginning := range beginnings(text) {
			m.addPhrase(append(t.buf[:0], beginning...), 0, 0)
		}
	}
	m.clip()
	return m
}

// addPhrase adds a phrase, unless the table has it.
func (m *Meanings) addPhrase(text []byte, list uint32, spoken uint16) {
	if m.phrases.add(text) {
		m.lists, m.spoken = append(m.lists, list), append(m.spoken, spoken)
	}
}

// clip frees the room that slices were given to grow.
func (m *Meanings) clip() {
	m.phrases.texts, m.phrases.ends = bytes.Clone(m.phrases.texts), slices.Clone(m.phrases.ends)
	m.lists, m.spoken = slices.Clone(m.lists), slices.Clone(m.spoken)
	m.senses, m.ends, m.sets = slices.Clone(m.senses), slices.Clone(m.ends), slices.Clone(m.sets)
}

// room returns how many phrases the entries make with their beginnings, and how
// many bytes: at most, since phrases share beginnings.
func (t *table) room() (n, size int) {
	for text := range t.entries {
		n, size = n+1, size+len(text)
		for beginning := range beginnings(text) {
			if t.entries[beginning] == nil {
				n, size = n+1, size+len(beginning)
			}
		}
	}
	return n, size
}

// beginnings yields the words that a phrase begins with, without the phrase.
func beginnings(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(text) {
			if text[i] == ' ' && !yield(text[:i]) {
				return
			}
		}
	}
}

// addList adds a list of senses, and returns its number.
func (m *Meanings) addList(senses []Sense) uint32 {
	m.senses = append(m.senses, senses...)
	m.ends = append(m.ends, uint32(len(m.senses)))
	return uint32(len(m.ends) - 1)
}

// appendList adds a text to dst that is the same for equal lists only.
func appendList(dst []byte, senses []Sense) []byte {
	for _, s := range senses {
		dst = append(append(dst, s.Value...), 0, byte(s.Filter), s.Strength)
	}
	return dst
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
