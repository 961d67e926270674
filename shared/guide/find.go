package guide

import (
	"iter"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog/fold"
)

// A search scans the folded titles of every shard as one text, without an index
// of words: shards change by the hour. It looks for the longest word of the query, the rarest as a rule, and for each hit
// checks the others within the same title. Hits are packed into numbers whose
// order is that of the answer, so that sorting them needs no comparison function.

// A Hit is a programme found by a search, without its description.
type Hit struct {
	Channel string
	Programme
}

// A search holds the folded words of the titles of a shard, each title after
// a line feed and each word after a space, so that one pass over a text finds
// words and prefixes.
type search struct {
	words string
	ends  []uint32 // of the titles, within words
}

// searchable returns the search of the titles.
func (s *shard) searchable() search {
	var words []byte
	ends := make([]uint32, len(s.titles.ends))
	for i := range ends {
		title := s.titles.at(uint32(i))
		words = append(words, '\n', ' ')
		words = fold.AppendWords(words, title)
		if joined := fold.Joined(title); joined != "" {
			words = append(append(words, ' '), joined...)
		}
		ends[i] = uint32(len(words))
	}
	return search{string(words), ends}
}

// find marks the titles that have every word, or a word that begins with it.
// Each word is given after a space.
func (s *search) find(words []string, found []bool) (any bool) {
	rest := s.words
	for at := 0; ; {
		i := strings.Index(rest[at:], words[0])
		if i < 0 {
			return any
		}
		title, _ := slices.BinarySearch(s.ends, uint32(at+i+1))
		from := 0
		if title > 0 {
			from = int(s.ends[title-1])
		}
		at = int(s.ends[title])
		if hasAll(rest[from:at], words[1:]) {
			found[title], any = true, true
		}
	}
}

func hasAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// Find yields the current and later programmes whose titles have every word
// of q, or a word that begins with it; words are folded as in the catalog's
// search. Current programmes come first, then the others by start. It yields
// nothing when q has no word.
func (l *Live) Find(q string, now time.Time) iter.Seq[Hit] {
	words := strings.Fields(fold.Words(q))
	for i := range words {
		words[i] = " " + words[i]
	}
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) }) // the longest is the rarest, most often
	return func(yield func(Hit) bool) {
		if len(words) == 0 || l == nil {
			return
		}
		f := finder{now: now}
		for _, s := range l.all() {
			f.add(s, words)
		}
		f.yield(yield)
	}
}

// A finder collects hits.
type finder struct {
	now    time.Time
	shards []*shard
	found  []bool   // by title, of one shard
	hits   []uint64 // in the order of the answer
}

// A hit is a number made of, from its highest bits on: the start of the
// programme in seconds, so that current programmes come first; the number of the
// shard; and the number of the show in it, which is far below 2^24.
const (
	startShift = 32
	shardShift = 24
)

// add adds the hits of a shard. Programmes that have ended are skipped.
func (f *finder) add(s *shard, words []string) {
	n := uint64(len(f.shards))
	f.shards = append(f.shards, s)
	f.found = slices.Grow(f.found[:0], len(s.search.ends))[:len(s.search.ends)]
	clear(f.found)
	if !s.search.find(words, f.found) {
		return
	}
	for i := range s.lines {
		line := &s.lines[i]
		if !s.isValid(line, f.now) {
			continue
		}
		first := int(line.from) + stopsAfter(s.shows[line.from:line.to], f.now.Unix())
		for k := first; k < int(line.to); k++ {
			w := s.shows[k]
			if !f.found[w.title] {
				continue
			}
			f.hits = append(f.hits, uint64(w.start)<<startShift|n<<shardShift|uint64(k))
		}
	}
}

// yield yields the hits in order.
func (f *finder) yield(yield func(Hit) bool) {
	slices.Sort(f.hits)
	for _, hit := range f.hits {
		s := f.shards[hit>>shardShift&(1<<(startShift-shardShift)-1)]
		k := int32(hit & (1<<shardShift - 1))
		i, _ := slices.BinarySearchFunc(s.lines, k, func(l line, k int32) int { return int(l.to) - int(k) - 1 })
		if i < len(s.lines) && !yield(Hit{s.lines[i].channel, s.programme(s.shows[k])}) {
			return
		}
	}
}
