package layout

import (
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/meaning"
)

// Meanings returns what words name in this index. The first call takes about
// 20 ms and should be made before the index is searched.
func (ix *Index) Meanings() *meaning.Meanings { return ix.meanings() }

// understand makes the table of the words that name values which records have.
func (ix *Index) understand() *meaning.Meanings {
	v := &ix.Vocabulary
	return meaning.New(meaning.Catalog{
		Countries: v.Countries, Languages: v.Languages, Categories: ix.Categories,
		Subdivisions: v.SubdivisionList(), Cities: v.CityList(),
		Count: ix.count,
	})
}

// count returns how many records have a value of a filter.
func (ix *Index) count(id filter.ID, text string) int {
	value, ok := ix.ValueNumber(text)
	if !ok || id >= filter.Count {
		return 0
	}
	set, _ := ix.Postings[id].Set(value)
	return set.Size
}
