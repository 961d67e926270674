// Package genre sorts the free tags of radio stations into a curated vocabulary
// of genres.
//
// Tags are written by whoever enters a station: eleven thousand different ones,
// in many languages and spellings. genres.txt lists, for each genre, the phrases
// that mean it; a tag has the genres of the phrases that are found in it, word by
// word and the longest first, after both were folded by package fold. The labels
// of genres are texts of package i18n. The ids are part of addresses and of the
// API, and never change; genres are numbered in the order of the file.
package genre

import (
	"bytes"
	_ "embed"
	"iter"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/i18n"
)

// A Genre is a kind of music or of talk.
type Genre struct {
	ID   string
	Name catalog.Labels
}

// A Set is a set of genres, one bit for each by its number.
type Set [2]uint64

// Add adds the genre with a number.
func (s *Set) Add(number int) { s[number/64] |= 1 << (number % 64) }

// Union returns the genres of s and of t.
func (s Set) Union(t Set) Set { return Set{s[0] | t[0], s[1] | t[1]} }

// Len returns how many genres s has.
func (s Set) Len() int { return bits.OnesCount64(s[0]) + bits.OnesCount64(s[1]) }

// Numbers yields the numbers of the genres of s, ascending.
func (s Set) Numbers() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// All returns every genre, by number. The caller must not change it.
func All() []Genre { return vocabulary().genres }

// Find returns the number of the genre with an id.
func Find(id string) (int, bool) {
	number, ok := vocabulary().byID[id]
	return number, ok
}

// FindBytes is Find for an id in bytes, without allocating.
func FindBytes(id []byte) (int, bool) {
	number, ok := vocabulary().byID[string(id)]
	return number, ok
}

// Label returns the name of the genre with an id in a locale.
func Label(id string, l i18n.Locale) (string, bool) {
	number, ok := Find(id)
	if !ok {
		return "", false
	}
	return All()[number].Name[l], true
}

// Of returns the ids of the genres that tags mean, in the order of the
// vocabulary. It is nil when they mean none.
func Of(tags []string) (ids []string) {
	var set Set
	for _, tag := range tags {
		set = set.Union(OfTag(tag))
	}
	for number := range set.Numbers() {
		ids = append(ids, All()[number].ID)
	}
	return ids
}

// OfTag returns the genres that a tag means.
func OfTag[T string | []byte](tag T) (found Set) {
	var buf [128]byte
	v := vocabulary()
	words := fold.AppendWords(buf[:0], tag)
	if p, ok := v.phrases[string(words)]; ok {
		return p.Genres
	}
	for len(words) > 0 {
		n := v.longest(words, &found)
		words = bytes.TrimPrefix(words[n:], []byte(" "))
	}
	return found
}

// Phrases yields the folded phrases that mean genres, with these and whether
// the phrase must be all of a tag.
func Phrases() iter.Seq2[string, Phrase] {
	return func(yield func(string, Phrase) bool) {
		for text, p := range vocabulary().phrases {
			if !yield(text, p) {
				return
			}
		}
	}
}

// A Phrase is what a run of words means.
type Phrase struct {
	Genres Set
	Whole  bool // it means them only when it is all of a tag
}

// words is the vocabulary of genres.txt.
type words struct {
	genres  []Genre
	byID    map[string]int
	phrases map[string]Phrase
	most    int // words of the longest phrase
}

// longest adds to found the genres of the longest phrase that words begin
// with, and returns the length of that phrase, or of the first word when no
// phrase does.
func (v *words) longest(text []byte, found *Set) int {
	first, end, best := 0, 0, 0
	for range v.most {
		if at := bytes.IndexByte(text[end:], ' '); at >= 0 {
			end += at
		} else {
			end = len(text)
		}
		if first == 0 {
			first = end
		}
		if p, ok := v.phrases[string(text[:end])]; ok && !p.Whole {
			best = end
		}
		if end == len(text) {
			break
		}
		end++
	}
	if best == 0 {
		return first
	}
	*found = found.Union(v.phrases[string(text[:best])].Genres)
	return best
}

//go:embed genres.txt
var file string

// vocabulary returns the vocabulary, which is parsed when it is first needed.
var vocabulary = sync.OnceValue(func() *words {
	v := &words{byID: map[string]int{}, phrases: map[string]Phrase{}}
	for entry := range strings.SplitSeq(strings.ReplaceAll(file, "\n\t", " "), "\n") {
		id, phrases, ok := strings.Cut(entry, ": ")
		if !ok || strings.HasPrefix(entry, "#") {
			continue
		}
		v.open(id)
		for phrase := range strings.SplitSeq(phrases, ",") {
			text, whole := strings.CutPrefix(strings.TrimSpace(phrase), "=")
			v.add(text, whole)
		}
	}
	return v
})

// open begins the genre with an id, whose id and labels are its first phrases.
func (v *words) open(id string) {
	g := Genre{ID: id}
	v.byID[id] = len(v.genres)
	for i, l := range i18n.Locales {
		g.Name[i] = l.T("genre."+id, nil)
	}
	v.genres = append(v.genres, g)
	for _, text := range append(slices.Clone(g.Name[:]), id) {
		v.add(text, false)
	}
}

// add adds a phrase of the last genre. A phrase of several genres means all of
// them.
func (v *words) add(text string, whole bool) {
	text = fold.Words(text)
	if text == "" {
		return
	}
	p, known := v.phrases[text]
	p.Whole = whole && (!known || p.Whole)
	p.Genres.Add(len(v.genres) - 1)
	v.phrases[text] = p
	v.most = max(v.most, 1+strings.Count(text, " "))
}
