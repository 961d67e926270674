package search

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"

	"miramundo.dev/shared/catalog/docset"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/meaning"
	"miramundo.dev/shared/catalog/numeral"
	"miramundo.dev/shared/catalog/snapshot"
	"miramundo.dev/shared/catalog/translit"
)

// A search by relevance takes a query to mean several things at once. Each way
// to read it is a [reading]: the words one by one, two of them written as one, one
// parted where letters meet digits, and so on. A reading is a row of slots, each
// of which a record must fill: with a word of a name in one of some spellings
// ("1", "one", "uno"), or with a value that the words name ("brazil": the
// country). What any reading finds is found; a reading that is farther from what
// was typed costs its records some of their score.

const (
	maxWords     = 10 // of a query; more are not looked at
	maxSpellings = 8  // of a word
	maxReadings  = 24
)

// What a reading costs its records, in points of a score.
const (
	costJoined    = 15  // two words as one
	costParted    = 20  // a word as two
	costNoise     = 80  // without the words that say nothing, such as "live"
	costLatin     = 30  // written in Latin letters
	costCorrected = 130 // a word with letters wrong
	costDropped   = 330 // without a word that is nowhere
)

// A slot is what a reading looks for in the place of some words.
type slot struct {
	word      []byte               // as it was typed
	spellings [maxSpellings][]byte // in names; the first is word
	count     int                  // of spellings
	far       bool                 // the spellings are those of other words, which a misspelled one resembles
	senses    []sense              // what the words name
	from      int                  // position of the words that have the senses; -1 without
}

func (t *slot) add(spelling []byte) {
	if t.count < maxSpellings && !slices.ContainsFunc(t.spellings[:t.count], func(s []byte) bool { return bytes.Equal(s, spelling) }) {
		t.spellings[t.count] = spelling
		t.count++
	}
}

// A sense is a value of a filter that words name, with the records that have it.
type sense struct {
	docset.Set
	meaning.Sense
	span int // of relevance.spans
}

// minStrength is how surely words must name a value for it to be looked for.
const minStrength = 64

// A reading is one way to take a query.
type reading struct {
	slots []slot
	cost  int
}

// A typedWord is a word of a query.
type typedWord struct {
	text    []byte
	literal bool // it means nothing but a word of names
}

// parse parts a query into folded words, each once, and notes the key of all of
// them. Words between quotation marks are to be taken literally.
func (r *relevance) parse(q string) {
	r.text, r.kept = r.text[:0], r.kept[:0]
	r.typed, r.key, r.romanised = r.typed[:0], r.key[:0], ""
	literal := false
	for len(q) > 0 {
		part := q
		if at := indexQuote(q); at >= 0 {
			part, q = q[:at], q[at+1:]
		} else {
			q = ""
		}
		start := len(r.text)
		r.text = fold.AppendWords(r.text, fold.Spoken(part))
		r.key = snapshot.AppendKey(r.key, r.text[start:])
		r.typed = takeWords(r.typed, r.text[start:], literal)
		r.text = append(r.text, ' ')
		literal = !literal
	}
}

// takeWords adds folded words to list, each once.
func takeWords(list []typedWord, words []byte, literal bool) []typedWord {
	for len(words) > 0 && len(list) < maxWords {
		word := words
		if at := bytes.IndexByte(words, ' '); at >= 0 {
			word, words = words[:at:at], words[at+1:]
		} else {
			words = nil
		}
		if !slices.ContainsFunc(list, func(w typedWord) bool { return bytes.Equal(w.text, word) }) {
			list = append(list, typedWord{word, literal})
		}
	}
	return list
}

func indexQuote(q string) int {
	for i := range len(q) {
		if q[i] == '"' {
			return i
		}
	}
	return -1
}

// read notes the readings of the typed words, the plainest first. With counting,
// only the first few are.
func (e *Engine) read(r *relevance, q *Query, counting bool) {
	r.readings, r.slots, r.senses = r.readings[:0], r.slots[:0], r.senses[:0]
	e.understand(r)
	r.begin()
	for i := range r.typed {
		e.put(r, &r.typed[i], i)
	}
	r.end(0)
	e.readWithoutNoise(r)
	if counting {
		return
	}
	e.readPhrases(r)
	e.readLatin(r, q.Q)
	e.noteLanguages(r, q.Q)
	r.otherwise = 0
	for i := range r.spans {
		if sp := &r.spans[i]; sp.From == 0 && sp.To == len(r.typed) && sp.Senses[0].Strength >= sureStrength {
			r.otherwise = lossMeant
		}
	}
}

// sureStrength is how surely words must name a value for it to come before a
// name.
const sureStrength = 220

// begin starts a reading; end completes it.
func (r *relevance) begin() { r.first = len(r.slots) }

func (r *relevance) end(cost int) {
	if len(r.slots) > r.first && len(r.readings) < maxReadings {
		r.readings = append(r.readings, reading{slots: r.slots[r.first:len(r.slots):len(r.slots)], cost: cost})
	}
}

// put adds a slot for a word to the reading that was begun. At is the position of
// the word among the typed ones; -1 for a word that was not typed so.
func (e *Engine) put(r *relevance, w *typedWord, at int) *slot {
	t := slot{word: w.text, from: at}
	t.add(w.text)
	addNumerals(&t)
	if at >= 0 {
		t.senses = e.sensesOf(r, at, at+1)
	}
	r.slots = append(r.slots, t)
	return &r.slots[len(r.slots)-1]
}

// addNumerals adds the other spellings of a number.
func addNumerals(t *slot) {
	if n, ok := smallNumber(t.word); ok {
		for _, word := range numerals[n] {
			t.add(word)
		}
		return
	}
	n, ok := numeral.Of(t.word)
	if !ok {
		return
	}
	t.add(digits[n.Value])
	if !n.Weak {
		for _, word := range numerals[n.Value] {
			t.add(word)
		}
	}
}

// smallNumber returns the number below 256 that digits write.
func smallNumber(word []byte) (n int, ok bool) {
	for _, c := range word {
		if n = 10*n + int(c-'0'); !isDigit(c) || n > 255 {
			return 0, false
		}
	}
	return n, len(word) > 0
}

// numerals are the words for a number, digits its digits.
var numerals, digits = func() (words [256][][]byte, plain [256][]byte) {
	for n := range words {
		for _, word := range numeral.Words(uint8(n)) {
			if of, ok := numeral.Of([]byte(word)); ok && !of.Weak {
				words[n] = append(words[n], []byte(word))
			}
		}
		plain[n] = strconv.AppendInt(nil, int64(n), 10)
	}
	return words, plain
}()

// understand notes what the typed words name, unless they are to be taken
// literally.
func (e *Engine) understand(r *relevance) {
	r.run = r.run[:0]
	for i := range r.typed {
		r.run = append(r.run, r.typed[i].text)
	}
	r.spans = e.ix.Meanings().Append(r.spans[:0], r.run)
	r.spans = slices.DeleteFunc(r.spans, func(sp meaning.Span) bool {
		return slices.ContainsFunc(r.typed[sp.From:sp.To], func(w typedWord) bool { return w.literal })
	})
}

// sensesOf returns what a run of typed words names.
func (e *Engine) sensesOf(r *relevance, from, to int) []sense {
	start := len(r.senses)
	for i := range r.spans {
		sp := &r.spans[i]
		if sp.From != from || sp.To != to {
			continue
		}
		for _, s := range sp.Senses {
			if s.Strength < minStrength {
				break
			}
			if set, ok := e.setOf(s); ok {
				r.senses = append(r.senses, sense{set, s, i})
			}
		}
	}
	return r.senses[start:len(r.senses):len(r.senses)]
}

// setOf returns the records that have the value of a sense.
func (e *Engine) setOf(s meaning.Sense) (docset.Set, bool) {
	if s.Filter == filter.Kind {
		base := &e.unfiltered[kindOf(s.Value)][0]
		return docset.Set{Size: base.Size, Bits: base.Bits}, base.Size > 0
	}
	if s.Filter >= filter.Count {
		return docset.Set{}, false
	}
	value, ok := e.ix.ValueNumber(s.Value)
	if !ok {
		return docset.Set{}, false
	}
	return e.ix.Postings[s.Filter].Set(value)
}

// readPhrases reads each run of several words that names a value as that.
func (e *Engine) readPhrases(r *relevance) {
	for i := range r.spans {
		sp := &r.spans[i]
		if sp.To-sp.From < 2 || i > 0 && r.spans[i-1].From == sp.From && r.spans[i-1].To == sp.To {
			continue
		}
		senses := e.sensesOf(r, sp.From, sp.To)
		if len(senses) == 0 {
			continue
		}
		r.begin()
		for k := 0; k < len(r.typed); k++ {
			if k == sp.From {
				r.slots = append(r.slots, slot{senses: senses, from: maxWords*(i+1) + sp.From})
				k = sp.To - 1
			} else if !meaning.Noise(r.typed[k].text) {
				e.put(r, &r.typed[k], k)
			}
		}
		r.end(0)
	}
}

// readWithoutNoise reads the query without the words that say nothing.
func (e *Engine) readWithoutNoise(r *relevance) {
	noise := 0
	for i := range r.typed {
		if !r.typed[i].literal && meaning.Noise(r.typed[i].text) {
			noise++
		}
	}
	if noise == 0 || noise == len(r.typed) || e.saysKindOnly(r) {
		return
	}
	r.begin()
	for i := range r.typed {
		if r.typed[i].literal || !meaning.Noise(r.typed[i].text) {
			e.put(r, &r.typed[i], i)
		}
	}
	r.end(costNoise)
}

// saysKindOnly reports whether all words but noise name a kind of channel, such as
// "tv", which is not enough to look for.
func (e *Engine) saysKindOnly(r *relevance) bool {
	for i := range r.typed {
		if meaning.Noise(r.typed[i].text) {
			continue
		}
		senses := e.sensesOf(r, i, i+1)
		if len(senses) == 0 || senses[0].Filter != filter.Kind {
			return false
		}
	}
	return true
}

// readJoined reads each two neighbours as one word, where names have it.
func (e *Engine) readJoined(r *relevance) {
	for i := 0; i+1 < len(r.typed); i++ {
		joined := r.keep(r.typed[i].text, r.typed[i+1].text)
		if e.frequency(joined) == 0 {
			continue
		}
		r.begin()
		for k := range r.typed {
			switch k {
			case i:
				e.put(r, &typedWord{text: joined}, -1)
			case i + 1:
			default:
				e.put(r, &r.typed[k], k)
			}
		}
		r.end(costJoined)
	}
}

// keep returns the texts as one, in memory of r.
func (r *relevance) keep(texts ...[]byte) []byte {
	from := len(r.kept)
	for _, t := range texts {
		r.kept = append(r.kept, t...)
	}
	return r.kept[from:len(r.kept):len(r.kept)]
}

// readParted reads words as two, where names have both: where letters meet
// digits, or else where the first part is a whole word.
func (e *Engine) readParted(r *relevance) {
	for i := range r.typed {
		word := r.typed[i].text
		r.partings = e.partings(word, r.partings[:0])
		for _, at := range r.partings {
			r.begin()
			for k := range r.typed {
				if k == i {
					e.put(r, &typedWord{text: word[:at:at]}, -1)
					e.put(r, &typedWord{text: word[at:]}, -1)
				} else {
					e.put(r, &r.typed[k], k)
				}
			}
			r.end(costParted)
		}
	}
}

// partings adds to dst where a word may be parted.
func (e *Engine) partings(word []byte, dst []int) []int {
	for at := 1; at < len(word); at++ {
		if isDigit(word[at-1]) != isDigit(word[at]) && utf8.RuneStart(word[at]) {
			return append(dst, at)
		}
	}
	return e.ix.Words.Partings(dst, word)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// readLatin reads a query in another script in Latin letters.
func (e *Engine) readLatin(r *relevance, q string) {
	if r.kept, r.latin = fold.AppendLatin(r.kept, q, ' '); r.latin {
		return
	}
	for i, spelled := range translit.Latin(q) {
		if i == 0 {
			r.romanised = spelled
		}
		r.begin()
		for word := range bytes.FieldsSeq([]byte(spelled)) {
			if len(r.slots)-r.first < maxWords {
				e.put(r, &typedWord{text: word}, -1)
			}
		}
		r.end(costLatin)
	}
}

// frequency returns about how many records have a word that begins with word.
func (e *Engine) frequency(word []byte) int {
	return e.ix.Words.Frequency(word) + e.ix.Others.Frequency(word)
}
