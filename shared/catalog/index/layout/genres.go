package layout

import (
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/layout/posting"
	"miramundo.dev/shared/catalog/jsontext"
)

// Genres are not stored in a snapshot: they follow from the tags of stations, so
// that a better vocabulary takes effect with the next process. When a snapshot is
// loaded, each distinct tag is looked up once, each distinct list of tags makes one
// set, and a station refers to its set. The ids of genres become values like any
// other, behind those of the snapshot, so that the filter by genre finds its
// records as the other filters do.

// GenreColumns hold the genres of stations.
type GenreColumns struct {
	Sets   []genre.Set // the distinct sets of genres that stations have
	SetOf  []uint32    // by the number that Row.Station gives: which of Sets
	values []uint32    // by genre: the value that is its id
}

// GenresOf returns the genres of record doc; none of a TV channel.
func (ix *Index) GenresOf(doc uint32) genre.Set {
	if !ix.Radio.Has(doc) {
		return genre.Set{}
	}
	return ix.Genres.Sets[ix.Genres.SetOf[ix.Rows[doc].Station]]
}

// setGenreValues gives each genre the value that is its id: one of the snapshot,
// since tags may read the same, or else a new one.
func (ix *Index) setGenreValues() {
	ix.Genres.values = make([]uint32, len(genre.All()))
	longest := 0
	for _, g := range genre.All() {
		longest = max(longest, len(g.ID))
	}
	for i := uint32(1); i < uint32(ix.Values.Len()); i++ {
		id := ix.Values.At(i)
		if len(id) > longest { // as most are: hosts
			continue
		}
		if number, ok := genre.FindBytes(id); ok {
			ix.Genres.values[number] = i
		}
	}
	for number, g := range genre.All() {
		if ix.Genres.values[number] == 0 {
			ix.Genres.values[number] = uint32(ix.Values.Len())
			ix.Values.Bytes = append(ix.Values.Bytes, g.ID...)
			ix.Values.Ends = append(ix.Values.Ends, uint32(len(ix.Values.Bytes)))
		}
	}
}

// genreRoom returns how many texts and bytes setGenreValues may add.
func genreRoom() (texts, size int) {
	for _, g := range genre.All() {
		size += len(g.ID)
	}
	return len(genre.All()), size
}

// setGenres notes the genres of each station. It must follow the postings by
// tag, which name every tag once.
func (ix *Index) setGenres() {
	ofTag := make([]genre.Set, ix.Values.Len()) // by value
	var buf []byte
	for _, tag := range ix.Postings[filter.Tag].Values {
		buf = jsontext.AppendText(buf[:0], ix.Values.At(tag))
		ofTag[tag] = genre.OfTag(buf)
	}
	ofList := make([]uint32, len(ix.Lists.Ends)) // 1 + which of Sets, or 0
	sets := map[genre.Set]uint32{}
	ix.Genres.SetOf = make([]uint32, len(ix.Stations.TagList))
	for station, list := range ix.Stations.TagList {
		if ofList[list] == 0 {
			set := genre.Set{}
			for _, tag := range ix.Lists.At(list) {
				set = set.Union(ofTag[tag])
			}
			at, ok := sets[set]
			if !ok {
				at = uint32(len(ix.Genres.Sets))
				ix.Genres.Sets = append(ix.Genres.Sets, set)
				sets[set] = at
			}
			ofList[list] = at + 1
		}
		ix.Genres.SetOf[station] = ofList[list] - 1
	}
}

// genrePairs adds the genres of each station as values.
func (ix *Index) genrePairs(dst []posting.Posting) []posting.Posting {
	ix.setGenres()
	for doc := range uint32(ix.N) {
		if !ix.Radio.Has(doc) {
			continue
		}
		for number := range ix.GenresOf(doc).Numbers() {
			dst = append(dst, posting.Posting{Value: ix.Genres.values[number], Doc: doc})
		}
	}
	return dst
}
