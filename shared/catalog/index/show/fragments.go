package show

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"sync"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/catalog/snapshot"
)

const null = "null"

// Fragments are the members of JSON that show what records share, written once
// for each group of records. A member begins with its comma.
type Fragments struct {
	topicText, tongueText                               snapshot.Texts // by group and locale
	houseText, pastText, feedText, stateText, soundText snapshot.Texts // by group

	genres []quoted // by genre: a catalog.StationGenre, by locale

	originOf []uint32 // by state: position in origins
	origins  []uint32 // values
}

// A renderer writes the members of groups.
type renderer struct {
	values     *snapshot.Texts // escaped
	lists      *snapshot.Lists
	categories map[uint32]*quoted // by value
	languages  map[uint32]*quoted
	locale     int
	buf        []byte
}

// quoted are labels, or what has a label, as JSON by locale.
type quoted [layout.Locales][]byte

// quote returns the labels of a code; where there are none, the code.
func quote(code string, names *catalog.Labels) *quoted {
	q := new(quoted)
	for i, name := range names {
		q[i] = jsontext.Quote(nil, cmp.Or(name, code))
	}
	return q
}

// NewFragments renders the groups of ix.
func NewFragments(ix *layout.Index) *Fragments {
	r := &renderer{values: &ix.Values, lists: &ix.Lists}
	r.categories = quotedLabels(ix, ix.Topics, snapshot.TopicCategoryList, func(code string) *catalog.Labels {
		if i, ok := ix.Category(code); ok {
			return &ix.Categories[i].Name
		}
		return new(catalog.Labels)
	})
	r.languages = quotedLabels(ix, ix.Tongues, snapshot.TongueList, func(code string) *catalog.Labels {
		return layout.LabelsOf(ix.Vocabulary.Languages, code)
	})
	var tongues snapshot.Texts // which take about as long as all others
	var all sync.WaitGroup
	other := *r
	all.Go(func() { tongues = other.renderLocales(&ix.Tongues, other.tongue) })
	f := &Fragments{
		topicText: r.renderLocales(&ix.Topics, r.topic),
		houseText: r.render(&ix.Houses, r.house),
		pastText:  r.render(&ix.Pasts, r.past),
		feedText:  r.render(&ix.Feeds, r.feed),
		stateText: r.render(&ix.States, r.state),
		soundText: r.render(&ix.Sounds, r.sound),
		genres:    quotedGenres(),
	}
	for i := range uint32(ix.States.Len()) {
		f.originOf = append(f.originOf, f.origin(ix.States.Row(i)[snapshot.StateOrigin]))
	}
	all.Wait()
	f.tongueText = tongues
	return f
}

// quotedLabels returns the labels of all codes in the lists of a column of t.
func quotedLabels(ix *layout.Index, t snapshot.Table, column int, of func(code string) *catalog.Labels) map[uint32]*quoted {
	m := map[uint32]*quoted{}
	for i := range uint32(t.Len()) {
		for _, value := range ix.Lists.At(t.Row(i)[column]) {
			if m[value] == nil {
				code := ix.Text(value)
				m[value] = quote(code, of(code))
			}
		}
	}
	return m
}

// quotedGenres returns every genre as stations show it, by its number.
func quotedGenres() []quoted {
	all := make([]quoted, len(genre.All()))
	for number, g := range genre.All() {
		for l, name := range g.Name {
			all[number][l] = jsontext.AppendValue(nil, catalog.StationGenre{ID: g.ID, Name: name})
		}
	}
	return all
}

// origin returns the position of an origin in origins.
func (f *Fragments) origin(value uint32) uint32 {
	for i, v := range f.origins {
		if v == value {
			return uint32(i)
		}
	}
	f.origins = append(f.origins, value)
	return uint32(len(f.origins) - 1)
}

// render returns the members of each row of t.
func (r *renderer) render(t *snapshot.Table, one func(dst []byte, cells []uint32) []byte) snapshot.Texts {
	ends := make([]uint32, 0, t.Len())
	r.buf = r.buf[:0]
	for i := range uint32(t.Len()) {
		r.buf = one(doubled(r.buf), t.Row(i))
		ends = append(ends, uint32(len(r.buf)))
	}
	return snapshot.Texts{Bytes: bytes.Clone(r.buf), Ends: ends}
}

// doubled returns b with room for the members of a group, twice as much as before when
// there was little: append alone would add a quarter, and copy five times as much.
func doubled(b []byte) []byte {
	const room = 4 << 10
	if cap(b)-len(b) < room {
		b = slices.Grow(b, max(len(b), room))
	}
	return b
}

// renderLocales is render once for each locale.
func (r *renderer) renderLocales(t *snapshot.Table, one func(dst []byte, cells []uint32) []byte) snapshot.Texts {
	ends := make([]uint32, 0, t.Len()*layout.Locales)
	r.buf = r.buf[:0]
	for i := range uint32(t.Len()) {
		for r.locale = range layout.Locales {
			r.buf = one(doubled(r.buf), t.Row(i))
			ends = append(ends, uint32(len(r.buf)))
		}
	}
	return snapshot.Texts{Bytes: bytes.Clone(r.buf), Ends: ends}
}

// topic writes from the end of alt_names to category_labels.
func (r *renderer) topic(dst []byte, cells []uint32) []byte {
	dst = append(dst, ']')
	dst = r.text(dst, `,"country":`, cells[snapshot.TopicCountry])
	dst = r.list(dst, `,"categories":[`, cells[snapshot.TopicCategoryList])
	return r.labels(dst, `,"category_labels":[`, cells[snapshot.TopicCategoryList], r.categories)
}

// tongue writes from languages to the name of website, without a logo.
func (r *renderer) tongue(dst []byte, cells []uint32) []byte {
	dst = r.list(dst, `,"languages":[`, cells[snapshot.TongueList])
	dst = r.labels(dst, `,"language_labels":[`, cells[snapshot.TongueList], r.languages)
	return append(dst, `,"logo_url":`+noLogo...)
}

// house writes from the end of slug, which is seldom null, to owners.
func (r *renderer) house(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `","network":`, cells[snapshot.HouseNetwork])
	return r.list(dst, `,"owners":[`, cells[snapshot.HouseOwnerList])
}

func (r *renderer) past(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"launched":`, cells[snapshot.PastLaunched])
	return r.text(dst, `,"replaced_by":`, cells[snapshot.PastReplacedBy])
}

func (r *renderer) feed(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"feed_name":`, cells[snapshot.FeedName])
	dst = r.text(dst, `,"feed_format":`, cells[snapshot.FeedFormat])
	dst = r.list(dst, `,"timezones":[`, cells[snapshot.FeedZoneList])
	return r.list(dst, `,"broadcast_area":[`, cells[snapshot.FeedAreaList])
}

func (r *renderer) state(dst []byte, cells []uint32) []byte {
	if q := cells[snapshot.StateQuality]; q != 0 {
		dst = r.text(dst, `,"quality":`, q)
	}
	dst = append(dst, `,"has_guide":`...)
	dst = strconv.AppendBool(dst, cells[snapshot.StateGuide] != 0)
	dst = r.text(dst, `,"guide_site":`, cells[snapshot.StateGuideSite])
	dst = r.text(dst, `,"guide_lang":`, cells[snapshot.StateGuideLang])
	dst = r.text(dst, `,"subdivision":`, cells[snapshot.StateSubdivision])
	dst = r.text(dst, `,"city":`, cells[snapshot.StateCity])
	dst = append(dst, `,"kind":"`...)
	dst = append(dst, catalog.Kind(cells[snapshot.StateKind]).String()...)
	return append(dst, '"')
}

func (r *renderer) sound(dst []byte, cells []uint32) []byte {
	dst = r.text(dst, `,"codec":`, cells[snapshot.SoundCodec])
	dst = append(dst, `,"bitrate":`...)
	if n := cells[snapshot.SoundBitrate]; n != 0 {
		dst = strconv.AppendUint(dst, uint64(n), 10)
	} else {
		dst = append(dst, null...)
	}
	return append(dst, `,"geo":`...)
}

// text writes a member that is a string or null.
func (r *renderer) text(dst []byte, member string, value uint32) []byte {
	dst = append(dst, member...)
	if value == 0 {
		return append(dst, null...)
	}
	dst = append(dst, '"')
	dst = append(dst, r.values.At(value)...)
	return append(dst, '"')
}

// list writes a member that is an array of strings.
func (r *renderer) list(dst []byte, member string, list uint32) []byte {
	dst = append(dst, member...)
	for i, value := range r.lists.At(list) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, r.values.At(value)...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}

// labels writes a member that is the names of codes.
func (r *renderer) labels(dst []byte, member string, list uint32, names map[uint32]*quoted) []byte {
	dst = append(dst, member...)
	for i, value := range r.lists.At(list) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, names[value][r.locale]...)
	}
	return append(dst, ']')
}
