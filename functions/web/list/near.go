package list

import (
	"context"
	"html/template"
	"math/rand/v2"
	"net/http"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The home page is the same for every visitor, so that caches can keep it. The shelves
// of the visitor's country are a piece of HTML with an address of its own, which is the
// same for everybody in that country; the script adds it to the page.

// nearEndpoints are the shelves of a country.
var nearEndpoints = page.Parts("/near/{id}", "Show the shelves of a country",
	"Returns the part of the home page about one country as HTML: what is on now, its popular TV channels and its popular stations.",
	(*Server).near, catalog.ErrNotLoaded, fault.ErrNotFound)

// surpriseEndpoints are, for each locale, the redirect to a channel that is chosen at
// random.
var surpriseEndpoints = func() (all []api.Endpoint) {
	for _, l := range i18n.Locales {
		all = append(all, api.Bind(func(s *Server, _ context.Context, in surpriseIn) (surprise, error) { return s.surprise(l, in) }, api.Endpoint{
			Method: "GET", Path: page.Below(l, page.Surprise), Auth: api.None, Page: true,
			Summary: "Open a channel at random (" + l.Tag() + ")",
			Doc:     "Redirects to the page of a popular TV channel, or of a popular station, that is chosen at random.",
			Faults:  []*fault.Error{catalog.ErrNotLoaded, fault.ErrNotFound}, Produces: []string{"text/html"}, Status: http.StatusFound,
		}))
	}
	return all
}()

type nearIn struct {
	Country string `path:"id" maxLength:"2" description:"ISO 3166-1 alpha-2, in upper case."`
}

// A near holds the shelves of a country.
type near struct {
	Shelves []shelf
	Options template.HTML // the options of the menu of countries, the current one selected
}

// nearReach is among how many of a country's most popular channels those that are on
// now are looked for.
const nearReach = 200

// near shows the shelves of a country that has channels.
func (s *Server) near(l i18n.Locale, in nearIn) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	v := s.Pages.View(site.Country, l, nil)
	v.Name = in.Country
	if v.Country(in.Country) == "" {
		return nil, fault.ErrNotFound
	}
	name := v.CountryName(in.Country)
	body := near{}
	add := func(id string, w wanted, cards []index.Card) {
		if len(cards) > 0 {
			body.Shelves = append(body.Shelves, shelf{"near-" + id, v.T("home.near_"+id, "country", name), w.address(), s.cards(v, cards[:min(len(cards), shelfSize)])})
		}
	}
	tv := (&listIn{}).wantedOf(v.Country(in.Country), in.Country)
	tv.Playable = true
	popular := snapshot.Cards(s.query(tv, nearReach), int(l)).Cards
	if on := s.onNow(popular); len(on) >= shelfLeast {
		add("on", tv, on)
	}
	add("tv", tv, popular)
	radio := tv.withKind(filter.Radio)
	add("radio", radio, snapshot.Cards(s.query(radio, shelfSize), int(l)).Cards)
	if len(body.Shelves) == 0 {
		return nil, fault.ErrNotFound
	}
	key := menuKey{filter.Country, filter.Any, l}
	rest := s.memo.Get(snapshot, key, func() any { return optionsHTML(optionsOf(snapshot, key)) }).(template.HTML)
	body.Options = template.HTML(`<option selected value="`+in.Country+`">`+template.HTMLEscapeString(name)+`</option>`) + rest
	v.Body = body
	return v.ShowPart("_near.html")
}

// onNow returns the channels of which a programme is on now, in the same order.
func (s *Server) onNow(cards []index.Card) (on []index.Card) {
	now := s.Now()
	for _, c := range cards {
		if s.Guides.OnAir(c.ID, now) {
			on = append(on, c)
		}
	}
	return on
}

type surpriseIn struct {
	Kind string `query:"kind" enum:"tv,radio" default:"tv" description:"Kind of channel."`
}

// surpriseReach is among how many of the most popular channels one is chosen.
const surpriseReach = 400

// surprise chooses a channel of a kind at random.
func (s *Server) surprise(l i18n.Locale, in surpriseIn) (surprise, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return surprise{}, err
	}
	w := (&listIn{}).wanted("").withKind(in.Kind)
	w.Playable = true
	docs, _ := snapshot.Find(s.query(w, surpriseReach))
	if len(docs) == 0 {
		return surprise{}, fault.ErrNotFound
	}
	c := snapshot.Card(docs[rand.N(len(docs))], int(l))
	return surprise{site.Channel.Path(l, c.ID)}, nil
}

// A surprise is a redirect that is another one each time.
type surprise struct{ path string }

// Reply writes the redirect.
func (s surprise) Reply(w http.ResponseWriter, _ *http.Request) error {
	return api.Redirect(w, s.path, http.StatusFound)
}
