package catalog

import (
	"context"
	"encoding/binary"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/cespare/xxhash/v2"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/library"
)

// Whole lists are files with all channels of a kind, country, category or language, for
// those who download such lists from the registers, with a guide beside each. They are the
// same for every caller, so that caches share them. The version of a list is known without
// writing it: a program that asks every hour is answered 304 until the catalog changes.

// The paths of whole lists.
const (
	bulkPath   = "/lists/{file}"
	bulkByPath = "/lists/{by}/{file}"
)

// maxBulk is how many channels a whole list has at most: more than there are.
const maxBulk = 100_000

// maxGuide is how many channels a guide has at most. Players read a guide whole, and one of
// all countries would take a second to write, and minutes to load.
const maxGuide = 2_000

// bulkAge is how long caches may keep a whole list.
const bulkAge = 15 * time.Minute

// ErrLargeGuide answers for a guide of too many channels.
var ErrLargeGuide = fault.New(fault.NotFound, "guide_too_large")

// bulks are the endpoints of whole lists.
var bulks = []api.Endpoint{
	api.Bind((*Server).bulk, api.Endpoint{
		Name: "get_list_of_kind", Method: "GET", Path: bulkPath, Auth: api.None, Summary: "Get all channels as a playlist",
		Doc: "Returns every channel that matches as a playlist, or their programmes as XMLTV: tv.m3u, radio.m3u, all.m3u, and the same with m3u8, xspf, json, " +
			"xml and xml.gz at the end. All filters of the search apply. It is the same for every caller, and a playlist revalidates without cost.",
		Faults: []*fault.Error{library.ErrNoFeed, ErrLargeGuide, catalog.ErrNotLoaded}, Cache: api.Public(bulkAge), Uncrawled: true,
		Produces: []string{feed.M3UType, feed.XSPFType, feed.GuideType, feed.ArchiveType},
	}),
	api.Bind((*Server).bulkBy, api.Endpoint{
		Name: "get_list_by_value", Method: "GET", Path: bulkByPath, Auth: api.None, Summary: "Get a country's channels as a playlist",
		Doc: "Returns every channel of a country, category, language or network as a playlist, or their programmes as XMLTV, such as country/pt.m3u, " +
			"category/news.xml.gz or language/por.xspf. The filters of the search narrow it, such as kind=radio.",
		Faults: []*fault.Error{library.ErrNoFeed, ErrLargeGuide, catalog.ErrNotLoaded}, Cache: api.Public(bulkAge), Uncrawled: true,
		Produces: []string{feed.M3UType, feed.XSPFType, feed.GuideType, feed.ArchiveType},
	}),
}

type bulkIn struct {
	File string `path:"file" maxLength:"400" description:"Kind of channels and format, such as tv.m3u, radio.xspf or all.xml.gz; index is the same as tv."`
	filter.Selection
	Lang string `query:"lang" maxLength:"16" description:"Language of the groups: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

type bulkByIn struct {
	By   string `path:"by" enum:"country,category,language,network" description:"Kind of value."`
	File string `path:"file" maxLength:"400" description:"Value and format, such as pt.m3u for a country, news.json for a category, por.xml for a language."`
	filter.Selection
	Lang string `query:"lang" maxLength:"16" description:"Language of the groups: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

// bulkFilters are the filters by the folders of whole lists.
var bulkFilters = map[string]filter.ID{"country": filter.Country, "category": filter.Category, "language": filter.Language, "network": filter.Network}

// bulkFormats are the formats of whole lists, those first whose name ends another's.
var bulkFormats = []string{feed.Archive, feed.XMLTV, feed.M3U8, feed.M3U, feed.XSPF, feed.JSON}

func (s *Server) bulk(ctx context.Context, in bulkIn) (bulkFile, error) {
	name, format, ok := bulkName(in.File)
	if !ok {
		return bulkFile{}, library.ErrNoFeed
	}
	switch name {
	case "index", filter.TV:
		in.Kind = filter.TV
	case filter.Radio, "all":
		in.Kind = map[string]string{filter.Radio: filter.Radio, "all": filter.Any}[name]
	default:
		return bulkFile{}, library.ErrNoFeed
	}
	return s.bulkOf(ctx, in.Selection, in.Lang, "/lists/"+name, format, filter.Kind)
}

func (s *Server) bulkBy(ctx context.Context, in bulkByIn) (bulkFile, error) {
	value, format, ok := bulkName(in.File)
	if !ok {
		return bulkFile{}, library.ErrNoFeed
	}
	v, err := s.Catalog.View()
	if err != nil {
		return bulkFile{}, err
	}
	id := bulkFilters[in.By]
	any := filter.Selection{Kind: filter.Any, Sort: in.Sort}
	*any.Text(id) = value
	if docs, _ := v.Find(s.query(any, 1, 0)); len(docs) == 0 {
		return bulkFile{}, library.ErrNoFeed // nothing has the value
	}
	*in.Text(id) = value
	return s.bulkOf(ctx, in.Selection, in.Lang, "/lists/"+in.By+"/"+url.PathEscape(value), format, id)
}

// bulkName parts the name of a file from its format.
func bulkName(file string) (name, format string, ok bool) {
	for _, format := range bulkFormats {
		if name, ok := strings.CutSuffix(file, "."+format); ok && name != "" {
			return name, format, true
		}
	}
	return "", "", false
}

// bulkOf returns the file of a selection, one filter of which the path says.
func (s *Server) bulkOf(ctx context.Context, selection filter.Selection, lang, path, format string, said filter.ID) (bulkFile, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return bulkFile{}, err
	}
	f := bulkFile{server: s, view: v, now: s.Now(), query: s.query(selection, maxBulk, 0), locale: api.LocaleOf(ctx), format: format, path: path}
	if err := f.query.CheckOrder(); err != nil {
		return bulkFile{}, err
	}
	f.query.Whole = true
	f.state = f.stateNow()
	if f.query.WorksIn != "" { // the order alone would go by the caller's country, and a list is the same for all
		if err := s.setWorks(ctx, v, &f.query); err != nil {
			return bulkFile{}, err
		}
	}
	f.more = addressOf(selection, lang, said)
	if !f.isGuide() {
		f.setTag()
		return f, nil
	}
	f.docs = f.scheduled()
	if len(f.docs) > maxGuide {
		return bulkFile{}, ErrLargeGuide.With("bound", maxGuide)
	}
	// A guide has neither the language nor the address in it.
	f.guide, err = s.guides.get(ctx, f.selected(), f.state, func(ctx context.Context) (writtenGuide, error) {
		if err := f.take(ctx); err != nil {
			return writtenGuide{}, err
		}
		defer f.release()
		return f.write(), nil
	})
	f.tag = f.guide.archive.Tag
	return f, err
}

// takeTime is how long a request waits for the writing of others.
const takeTime = 3 * time.Second

// take waits until f may be written: few are at a time, since each takes megabytes.
func (f *bulkFile) take(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, takeTime)
	defer cancel()
	select {
	case f.server.writing <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fault.ErrUnavailable.Because(ctx.Err())
	}
}

// release lets another file be written.
func (f *bulkFile) release() { <-f.server.writing }

// addressOf returns the parameters of a selection as an address has them, without the
// filter that the path says.
func addressOf(selection filter.Selection, lang string, said filter.ID) string {
	query := url.Values{}
	for _, p := range selection.Pairs() {
		query.Set(p[0], p[1])
	}
	query.Del(filter.All[said].Name)
	if lang != "" {
		query.Set("lang", lang)
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

// A bulkFile is a whole list, which is written when it is sent, or its guide. The version
// of a list is known before: guides of processes differ for a while, so that the version of
// a guide comes from its bytes.
type bulkFile struct {
	server *Server
	view   *index.View
	now    time.Time // of the request
	state  string    // of what the file is written from
	query  index.Query
	locale i18n.Locale
	format string
	path   string   // of the list, without its format
	more   string   // the parameters of its address
	docs   []uint32 // channels of a guide
	tag    string

	guide writtenGuide
}

// Schema returns the shape of a list in JSON.
func (bulkFile) Schema() any { return feed.ChannelList{} }

// ETag returns the version of the file.
func (f bulkFile) ETag() string { return f.tag }

func (f *bulkFile) isGuide() bool { return f.format == feed.XMLTV || f.format == feed.Archive }

// scheduled returns the channels of the list whose programmes are known.
func (f *bulkFile) scheduled() []uint32 {
	q := f.query
	q.Guide = true
	docs, _ := f.view.Find(q)
	return docs
}

// setTag computes the version of a list: a hash of its state, its language and its address.
func (f *bulkFile) setTag() {
	d := xxhash.New()
	_, _ = d.WriteString(strings.Join([]string{f.state, f.locale.Tag(), f.format, f.path, f.more, f.selected()}, "\x00")) // a digest never fails
	f.tag = strconv.FormatUint(d.Sum64(), 16)
}

// stateNow returns a text for the present state of all that files are written from: the
// program, the catalog and, where the file depends on them, the guide, the verdicts and the
// day. It is taken before anything else is read, so that no file is older than its state.
func (f *bulkFile) stateNow() string {
	numbers := binary.LittleEndian.AppendUint64(nil, f.view.Fingerprint())
	if f.query.Stalled {
		numbers = append(numbers, 1)
	}
	if f.query.WorksIn != "" {
		numbers = binary.LittleEndian.AppendUint64(numbers, f.server.Overlay.Version())
	}
	if f.isGuide() {
		numbers = binary.LittleEndian.AppendUint64(numbers, f.server.Guide.Version())
	}
	if f.isGuide() || f.query.WorksIn != "" {
		numbers = f.now.UTC().AppendFormat(numbers, time.DateOnly)
	}
	return f.server.Build + "\x00" + string(numbers)
}

// selected returns all filters and the order as a text.
func (f *bulkFile) selected() string { return string(f.query.AppendJSON(nil)) }

// Reply writes the file.
func (f bulkFile) Reply(w http.ResponseWriter, r *http.Request) error {
	if f.query.Near != "" { // no shared cache needs the places of visitors
		w.Header()["Cache-Control"] = []string{string(api.Private)}
	}
	switch f.format {
	case feed.Archive:
		c := api.Content(f.guide.archive)
		c.File = f.name() + "." + feed.Archive
		return c.Reply(w, r)
	case feed.XMLTV:
		return api.Unpacked{Type: feed.GuideType, Archive: f.guide.archive.Data, Size: f.guide.size, File: f.name() + "." + feed.XMLTV}.Reply(w, r)
	}
	api.Content(f.empty().As(f.format, f.name())).SetHeaders(w)
	if api.NotModified(w, r) {
		return nil
	}
	if err := f.take(r.Context()); err != nil {
		return err
	}
	c := f.list().As(f.format, f.name())
	f.release() // whoever reads slowly keeps nobody from another list
	return api.Write(w, r, c.Type, c.Data)
}

// empty returns the list of the file without its channels.
func (f *bulkFile) empty() *feed.List {
	return &feed.List{
		Name: listName(strings.TrimPrefix(f.path, "/lists/")), Level: feed.Search, Feeds: feed.AddressesOf(f.as), UpdatedAt: f.view.BuiltAt(),
	}
}

// as returns the address of the file in a format.
func (f *bulkFile) as(format string) string {
	return f.view.Links().Base + f.path + "." + format + f.more
}

// name returns the name under which the file would be kept, without its format.
func (f *bulkFile) name() string {
	return strings.ReplaceAll(strings.TrimPrefix(f.path, "/lists/"), "/", "-")
}

// write writes the guide. It begins at midnight UTC, so that it changes with the programmes
// and not with the hour.
func (f *bulkFile) write() (w writtenGuide) {
	l, from := f.list(), f.now.UTC().Truncate(24*time.Hour)
	l.Programmes = func(channel string) iter.Seq[feed.Programme] {
		return func(yield func(feed.Programme) bool) {
			for _, p := range f.server.Guide.Programmes(channel, from) {
				if !yield(feed.Programme(p)) {
					return
				}
			}
		}
	}
	w.archive, w.size = l.Archived(f.name())
	return w
}

// list returns the channels of the file with their best streams for a caller of no known
// country.
func (f *bulkFile) list() *feed.List {
	v, docs := f.view, f.docs
	if !f.isGuide() {
		docs, _ = v.Find(f.query)
	}
	l := f.empty()
	if n := len(f.scheduled()); 0 < n && n <= maxGuide {
		l.Guide = f.as(feed.Archive)
	}
	entries := v.Entries(int(f.locale), rank.Caller{}) // of no country and at no time, as the version says
	l.Entries = slices.Grow(l.Entries, len(docs))
	for _, doc := range docs {
		p := entries.At(doc)
		e := feed.EntryOf(&p.Channel, p.Stream, v.Links())
		e.Group = groupOf(&p.Channel)
		l.Entries = append(l.Entries, e)
	}
	return l
}
