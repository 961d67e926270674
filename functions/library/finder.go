package library

import (
	"hash/maphash"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
)

// finders caches the finder of the last index, because making one reads the whole
// catalog.
type finders struct {
	mu   sync.Mutex
	last *finder
}

// of returns the finder of ix. Concurrent calls for a new index wait while one of
// them makes it.
func (f *finders) of(ix *index.Index) *finder {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.last == nil || f.last.ix != ix {
		f.last = newFinder(ix)
	}
	return f.last
}

// A finder finds the records of an index by the addresses of their streams and by
// their names. To be small it maps hashes to records, and compares the record with
// what was asked for before it returns it.
type finder struct {
	ix    *index.Index
	seed  maphash.Seed
	urls  map[uint64]uint32 // from the address of a stream to its record
	names map[uint64]uint32 // from kind, country and folded name to a record, or to ambiguous
}

// ambiguous stands for several records with one name.
const ambiguous = ^uint32(0)

func newFinder(ix *index.Index) *finder {
	f := &finder{ix: ix, seed: maphash.MakeSeed(), urls: make(map[uint64]uint32, ix.StreamLen()), names: make(map[uint64]uint32, 2*ix.Len())}
	for i, r := range ix.Records() {
		for k := range r.Streams {
			h := maphash.String(f.seed, address(r.Streams[k].URL))
			if _, taken := f.urls[h]; !taken {
				f.urls[h] = uint32(i)
			}
		}
		name := fold.Words(r.Name)
		f.put(nameKey(r.Kind, r.Country, name), uint32(i))
		f.put(nameKey(r.Kind, "", name), uint32(i))
	}
	return f
}

func (f *finder) put(key string, record uint32) {
	h := maphash.String(f.seed, key)
	if _, taken := f.names[h]; taken {
		record = ambiguous
	}
	f.names[h] = record
}

func nameKey(kind catalog.Kind, country, words string) string {
	return kind.String() + "\n" + country + "\n" + words
}

// address returns a URL in the form by which addresses are compared: without the
// scheme and the fragment, with the host in lower case.
func address(url string) string {
	_, rest, ok := strings.Cut(url, "://")
	if !ok {
		return url
	}
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest+"/", "/?")
	return strings.ToLower(rest[:end]) + rest[end:]
}

// byURL returns the record with a stream at an address, and that stream.
func (f *finder) byURL(url string) (r catalog.Record, s catalog.StreamRecord, ok bool) {
	at := address(url)
	i, ok := f.urls[maphash.String(f.seed, at)]
	if !ok {
		return r, s, false
	}
	r = f.ix.Record(int(i))
	for _, s := range r.Streams {
		if address(s.URL) == at {
			return r, s, true
		}
	}
	return r, s, false
}

// Reasons for which a channel is not found.
const (
	notInCatalog  = "not_in_catalog"
	ambiguousName = "ambiguous_name"
)

// byName returns the id of the only record with a name, in a country or, when that
// is empty, anywhere. When there is not exactly one, it returns the reason.
func (f *finder) byName(kind catalog.Kind, country, name string) (id, reason string) {
	words := fold.Words(name)
	if words == "" {
		return "", notInCatalog
	}
	i, ok := f.names[maphash.String(f.seed, nameKey(kind, country, words))]
	switch {
	case !ok:
		return "", notInCatalog
	case i == ambiguous:
		return "", ambiguousName
	}
	r := f.ix.Record(int(i))
	if r.Kind != kind || country != "" && r.Country != country || fold.Words(r.Name) != words {
		return "", notInCatalog // another name with the same hash
	}
	return r.ID, ""
}
