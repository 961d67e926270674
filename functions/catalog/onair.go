package catalog

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	paging "miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social/kept"
)

const nowPath = "/api/guide/now"

// The page of programmes on air is made in three steps: the index selects the
// channels with a guide that match the filters, in the order of their names;
// favorites=1 keeps those of the caller; then the guide says what each shows, or,
// with q, yields matching programmes, of which those on the selected channels are
// kept. Only the channels of the page itself are rendered.

// maxFound is the greatest number of programmes that a search finds, the first
// ones by start. A prefix of a single letter matches half of all titles.
const maxFound = 1000

type guideNowIn struct {
	Q         string `query:"q" maxLength:"200" description:"Beginnings of words of a programme's title. With q, the items are the matching programmes, at most 1000: first those on air, then by start."`
	Country   string `query:"country" maxLength:"32" description:"Country of the channel, ISO 3166-1 alpha-2."`
	Category  string `query:"category" maxLength:"64" description:"Catalog category id of the channel."`
	Kind      string `query:"kind" default:"tv" enum:"tv,radio,all" description:"Kind of channel; radio stations are included only by radio and all."`
	Playable  bool   `query:"playable" default:"0" description:"1 keeps only channels with a usable stream."`
	Favorites bool   `query:"favorites" default:"0" description:"1 keeps only the caller's favorites, and needs a credential."`
	paging.In
	Lang string `query:"lang" maxLength:"16" description:"Language of the labels: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

// An airing is a channel with its current programmes or, with q, a matching
// programme with its channel.
type airing struct {
	ChannelID      string             `json:"channel_id"`
	Name           string             `json:"name" description:"Name of the channel."`
	Kind           string             `json:"kind" enum:"tv,radio"`
	Country        *string            `json:"country" description:"ISO 3166-1 alpha-2."`
	Categories     []string           `json:"categories" nullable:"false" description:"Catalog category ids."`
	CategoryLabels []string           `json:"category_labels" nullable:"false" description:"The same ids in the caller's language."`
	LogoURL        *string            `json:"logo_url" format:"uri"`
	PlayableHint   bool               `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Programme      *catalog.Programme `json:"programa,omitempty" description:"Programme that matches q; only with q."`
	OnAir          *bool              `json:"on_air,omitempty" description:"Whether the programme that matches q is on air; only with q."`
	Now            *catalog.Programme `json:"agora" description:"Programme on air; with q it may be null."`
	After          *catalog.Programme `json:"a_seguir" description:"Next programme; null at the end of the guide."`
	API            string             `json:"api" format:"uri" description:"Detail record of the channel."`
}

// A nowPage is a page of airings.
type nowPage struct {
	Items []airing `json:"items" nullable:"false"`
	paging.Position
}

// nowFor is how long caches keep a page of programmes on air: programmes begin at
// full minutes.
const nowFor = 30 * time.Second

// A nowSheet is a page of airings with its Cache-Control, which depends on
// whether the page is the caller's own.
type nowSheet struct {
	nowPage
	cache api.Cache
}

// nextAddress returns the address of the page after the one at a position, which repeats
// the query of r; nil on the last page.
func nextAddress(p paging.Position, r *http.Request) *string {
	if p.NextOffset == nil {
		return nil
	}
	next := p.API + "?" + nextQuery(r.URL.RawQuery) + "offset=" + strconv.Itoa(*p.NextOffset)
	return &next
}

// Schema returns the shape of the page.
func (nowSheet) Schema() any { return nowPage{} }

// Reply writes the page.
func (s nowSheet) Reply(w http.ResponseWriter, r *http.Request) error {
	s.Next = nextAddress(s.Position, r)
	text, err := plain(s.nowPage)
	if err != nil {
		return err
	}
	w.Header().Set("Cache-Control", string(s.cache))
	return api.WriteJSON(w, r, text)
}

func (s *Server) guideNow(ctx context.Context, in guideNowIn) (out nowSheet, err error) {
	v, err := s.Catalog.View()
	if err != nil {
		return out, err
	}
	out.cache = api.Public(nowFor)
	t := timetable{Server: s, view: v, now: s.Now(), locale: int(api.LocaleOf(ctx)), in: in.In}
	q := s.query(filter.Selection{Country: in.Country, Category: in.Category, Kind: in.Kind, Playable: in.Playable}, 0, 0)
	q.Scheduled = true
	for _, doc := range v.Matches(q) {
		t.channels = append(t.channels, v.ID(doc))
	}
	if in.Favorites {
		out.cache = api.Private
		if err := t.keepFavorites(ctx); err != nil {
			return out, err
		}
	}
	if words := strings.TrimSpace(in.Q); words != "" {
		t.search(words)
	} else {
		t.listing()
	}
	out.nowPage = nowPage{t.items, in.Of(t.total, s.Links.Base+nowPath)}
	return out, nil
}

// A timetable collects a page of airings at one time.
type timetable struct {
	*Server
	view     *index.View
	now      time.Time
	locale   int
	in       paging.In
	channels []string // the ids that match the filters, by name
	items    []airing // of the page
	total    int      // matches so far, on all pages
}

// keepFavorites keeps the channels that are favorites of the caller, by their
// current ids. It reads the database.
func (t *timetable) keepFavorites(ctx context.Context) error {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return err
	}
	f, err := kept.LoadFavorites(ctx, t.DB, owner)
	if err != nil {
		return fault.OrUnavailable(err)
	}
	mine := make(map[string]bool, len(f.Rows))
	for _, r := range f.Rows {
		if id, ok := t.view.Current(r.Channel); ok {
			mine[id] = true
		}
	}
	all := t.channels
	t.channels = nil
	for _, id := range all {
		if mine[id] {
			t.channels = append(t.channels, id)
		}
	}
	return nil
}

// listing fills the page with the channels that have a current programme.
func (t *timetable) listing() {
	t.items = []airing{}
	for _, id := range t.channels {
		if t.Guide.OnAir(id, t.now) && t.next() {
			t.items = append(t.items, t.airing(id))
		}
	}
}

// search fills the page with the programmes of the channels that match q, and
// stops after maxFound of them.
func (t *timetable) search(q string) {
	t.items = []airing{}
	on := make(map[string]bool, len(t.channels))
	for _, id := range t.channels {
		on[id] = true
	}
	for hit := range t.Guide.Find(q, t.now) {
		if !on[hit.Channel] {
			continue
		}
		if t.next() {
			t.items = append(t.items, t.found(&hit))
		}
		if t.total == maxFound {
			return
		}
	}
}

// next counts a match, and reports whether it is on the page.
func (t *timetable) next() bool {
	t.total++
	return t.total > t.in.Offset && len(t.items) < t.in.Limit
}

// airing returns a channel with its current and next programme. It is empty when
// the channel has left the catalog.
func (t *timetable) airing(id string) airing {
	c, ok := t.view.Item(id, t.locale)
	if !ok {
		return airing{}
	}
	a := airing{
		ChannelID: c.ID, Name: c.Name, Kind: c.Kind, Country: c.Country, Categories: c.Categories, CategoryLabels: c.CategoryLabels,
		LogoURL: c.LogoURL, PlayableHint: c.PlayableHint, API: c.API,
	}
	if shown := t.Guide.Now(c.ID, t.now); shown != nil {
		a.Now, a.After = shown.Now, shown.After
	}
	return a
}

// found returns a matching programme with its channel.
func (t *timetable) found(hit *guide.Hit) airing {
	a := t.airing(hit.Channel)
	on := !hit.Start.After(t.now)
	a.Programme, a.OnAir = hit.Wire(), &on
	return a
}
