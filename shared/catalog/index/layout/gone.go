package layout

import (
	"bytes"
	"cmp"
	"slices"
	"sort"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/snapshot"
)

// A goneTable finds the channels that are known but not shown, by id and by the
// words of their names. There are a few thousand of them, against a hundred
// thousand records, and no filter or order applies to them: they stay outside
// the structures that search uses.
//
// The folded names of all channels stand one after the other in text, each
// ended by a newline. The start of each word is in starts, in the order of the
// text from there, so that the words with a prefix are one range of starts.
type goneTable struct {
	columns snapshot.Gone
	text    []byte
	ends    []uint32 // by channel: the end of its names in text
	starts  []uint32
}

func newGoneTable(c *snapshot.Gone) goneTable {
	t := goneTable{columns: *c, ends: make([]uint32, 0, c.Len())}
	for i := range uint32(c.Len()) {
		t.add(c.Names.At(i))
		for k, end := c.AltNames.Span(i); k < end; k++ {
			t.add(c.AltNames.Items.At(k))
		}
		t.ends = append(t.ends, uint32(len(t.text)))
	}
	t.text, t.starts = slices.Clip(t.text), slices.Clip(t.starts)
	slices.SortFunc(t.starts, func(a, b uint32) int { return cmp.Or(bytes.Compare(t.key(a), t.key(b)), cmp.Compare(a, b)) })
	return t
}

// add appends the folded words of a name to the text.
func (t *goneTable) add(name []byte) {
	start := len(t.text)
	t.text = fold.AppendWords(t.text, name)
	for i := start; i < len(t.text); i++ {
		if i == start || t.text[i-1] == ' ' {
			t.starts = append(t.starts, uint32(i))
		}
	}
	t.text = append(t.text, '\n')
}

// key returns the text by which the word at start is sorted: what follows the
// longest word of a query makes no difference.
func (t *goneTable) key(start uint32) []byte {
	return t.text[start:min(len(t.text), int(start)+fold.MaxWord)]
}

// names returns the folded names of channel i.
func (t *goneTable) names(i uint32) []byte {
	start := uint32(0)
	if i > 0 {
		start = t.ends[i-1]
	}
	return t.text[start:t.ends[i]]
}

// beginning returns the starts of the words that begin with prefix.
func (t *goneTable) beginning(prefix []byte) []uint32 {
	first := sort.Search(len(t.starts), func(i int) bool { return bytes.Compare(t.key(t.starts[i]), prefix) >= 0 })
	rest := t.starts[first:]
	return rest[:sort.Search(len(rest), func(i int) bool { return !bytes.HasPrefix(t.key(rest[i]), prefix) })]
}

// Gone returns the channel that is known by an id but not shown. An id that a
// record has is never gone.
func (ix *Index) Gone(id string) (catalog.Gone, bool) {
	ids := &ix.gone.columns.IDs
	i, ok := sort.Find(ids.Len(), func(i int) int { return bytes.Compare([]byte(id), ids.At(uint32(i))) })
	if !ok {
		return catalog.Gone{}, false
	}
	if _, shown := ix.Find(id); shown {
		return catalog.Gone{}, false
	}
	return ix.goneAt(uint32(i)), true
}

// Bounds of GoneNamed, which keep it below 50 µs for any query.
const (
	maxGoneWords      = 12  // of a query that are required; the rest are ignored
	maxGoneCandidates = 128 // matches that are compared, of the query as a phrase and of its rarest word each
)

// GoneNamed returns at most limit channels that are known but not shown, whose
// names have words that begin with each word of the query. First come those with
// exactly that name, then with that alternative name, then those whose name
// begins with the query, then those whose own name has all the words, and the
// shorter name before the longer. Of words that hundreds of names have, not all
// matches are compared. Words need not be folded. No word matches nothing.
func (ix *Index) GoneNamed(words string, limit int) []catalog.Gone {
	t := &ix.gone
	query := fold.AppendWords(nil, words)
	wanted := bytes.Fields(query)
	wanted = wanted[:min(len(wanted), maxGoneWords)]
	if len(wanted) == 0 || limit <= 0 {
		return nil
	}
	var found []uint64 // merit, then channel
	for _, starts := range [][]uint32{t.beginning(query[:min(len(query), fold.MaxWord)]), t.rarest(wanted)} {
		for _, start := range starts[:min(len(starts), maxGoneCandidates)] {
			i, _ := slices.BinarySearch(t.ends, start+1)
			if names := t.names(uint32(i)); hasWords(names, wanted) {
				found = append(found, merit(names, query, wanted)<<32|uint64(i))
			}
		}
	}
	slices.Sort(found)
	found = slices.Compact(found)
	out := make([]catalog.Gone, 0, min(len(found), limit))
	for _, key := range found[:min(len(found), limit)] {
		out = append(out, ix.goneAt(uint32(key)))
	}
	return out
}

// GoneExactly returns at most limit channels that are known but not shown, and whose
// own name is exactly the words of a query. It takes about a microsecond.
func (ix *Index) GoneExactly(words string, limit int) (out []catalog.Gone) {
	t := &ix.gone
	line := append(fold.AppendWords(nil, words), '\n')
	if len(line) == 1 {
		return nil
	}
	for _, start := range t.beginning(line[:min(len(line), fold.MaxWord)]) {
		if len(out) == limit {
			break
		}
		i, _ := slices.BinarySearch(t.ends, start+1)
		if bytes.HasPrefix(t.names(uint32(i)), line) {
			out = append(out, ix.goneAt(uint32(i)))
		}
	}
	return out
}

// rarest returns the starts of the words that begin with one of wanted: with
// that which has the fewest.
func (t *goneTable) rarest(wanted [][]byte) []uint32 {
	best := t.beginning(wanted[0])
	for _, w := range wanted[1:] {
		if starts := t.beginning(w); len(starts) < len(best) {
			best = starts
		}
	}
	return best
}

// hasWords reports whether names have a word that begins with each of wanted.
func hasWords(names []byte, wanted [][]byte) bool {
	for _, w := range wanted {
		if !hasWord(names, w) {
			return false
		}
	}
	return true
}

func hasWord(names, prefix []byte) bool {
	for at := 0; ; at++ {
		i := bytes.Index(names[at:], prefix)
		if i < 0 {
			return false
		}
		if at += i; at == 0 || names[at-1] == ' ' || names[at-1] == '\n' {
			return true
		}
	}
}

// merit returns how well names, of which the first is the channel's own, answer
// a query, the lowest first: 24 bits of the length of the name under 8 bits of
// how it matches.
func merit(names, query []byte, wanted [][]byte) uint64 {
	name, others, _ := bytes.Cut(names, []byte{'\n'})
	how := uint64(4)
	switch {
	case bytes.Equal(name, query):
		how = 0
	case hasLine(others, query):
		how = 1
	case bytes.HasPrefix(name, query):
		how = 2
	case hasWords(name, wanted):
		how = 3
	}
	return how<<24 | uint64(min(len(name), 1<<24-1))
}

// hasLine reports whether one of the lines of text equals line.
func hasLine(text, line []byte) bool {
	for len(text) > 0 {
		var next []byte
		if next, text, _ = bytes.Cut(text, []byte{'\n'}); bytes.Equal(next, line) {
			return true
		}
	}
	return false
}

// goneAt returns channel i of those that are gone, as the register had it.
func (ix *Index) goneAt(i uint32) catalog.Gone {
	c := &ix.gone.columns
	facts := c.Facts.Row(i)
	g := catalog.Gone{
		ID:         string(c.IDs.At(i)),
		Kind:       catalog.Kind(facts[snapshot.GoneKind]),
		Name:       string(c.Names.At(i)),
		Country:    ix.Text(facts[snapshot.GoneCountry]),
		Reason:     snapshot.GoneReasons[facts[snapshot.GoneReason]],
		Since:      ix.Text(facts[snapshot.GoneSince]),
		ReplacedBy: ix.Text(facts[snapshot.GoneReplacedBy]),
	}
	for k, end := c.AltNames.Span(i); k < end; k++ {
		g.AltNames = append(g.AltNames, string(c.AltNames.Items.At(k)))
	}
	return g
}

// GoneList returns all channels that are gone, by id.
func (ix *Index) GoneList() []catalog.Gone {
	list := make([]catalog.Gone, 0, ix.gone.columns.Len())
	for i := range uint32(ix.gone.columns.Len()) {
		list = append(list, ix.goneAt(i))
	}
	return list
}
