package layout

import (
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/layout/posting"
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
	for i := uint32(1); i < uint32(ix.Values.Len()); i++ {
		if number, ok := genre.FindBytes(ix.Values.At(i)); ok {
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
	ofTag := make(map[uint32]genre.Set, len(ix.Postings[filter.Tag].Values))
	for _, tag := range ix.Postings[filter.Tag].Values {
		ofTag[tag] = genre.OfTag(ix.Text(tag))
	}
	lists, sets := map[uint32]uint32{}, map[genre.Set]uint32{}
	ix.Genres.SetOf = make([]uint32, len(ix.Stations.TagList))
	for station, list := range ix.Stations.TagList {
		at, ok := lists[list]
		if !ok {
			set := genre.Set{}
			for _, tag := range ix.Lists.At(list) {
				set = set.Union(ofTag[tag])
			}
			if at, ok = sets[set]; !ok {
				at = uint32(len(ix.Genres.Sets))
				ix.Genres.Sets = append(ix.Genres.Sets, set)
				sets[set] = at
			}
			lists[list] = at
		}
		ix.Genres.SetOf[station] = at
	}
}

// genrePairs adds the genres of each station as values.
func (ix *Index) genrePairs(dst []posting.Posting) []posting.Posting {
	ix.setGenres()
	for _, doc := range ix.Radio.Append(nil) {
		for number := range ix.GenresOf(doc).Numbers() {
			dst = append(dst, posting.Posting{Value: ix.Genres.values[number], Doc: doc})
		}
	}
	return dst
}
