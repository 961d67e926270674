package show

import (
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/genre"
	"miramundo.dev/shared/catalog/index/layout"
	"miramundo.dev/shared/catalog/rank"
)

// Channel returns the detail record of a channel, by its id or by one that it
// once had, with its streams in the order in which c should try them. It
// reports false when no such channel is shown.
func (v *View) Channel(id string, locale int, c rank.Caller) (*catalog.ChannelFull, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return nil, false
	}
	locale = layout.SupportedLocale(locale)
	r := v.record(doc)
	full := &catalog.ChannelFull{
		Channel: *v.channel(doc, &r, locale),
		Links:   catalog.Links{Self: v.links.Channel(r.ID), App: v.links.Page(r.ID), APIIndex: v.links.Index()},
	}
	start, _ := v.ix.Streams.Of(doc)
	order := rank.Order(&r, v.candidates(&r, start), c)
	full.Streams = make([]catalog.Stream, len(order))
	for k, s := range order {
		full.Streams[k] = v.streamOf(start+uint32(s.At), s.Stream)
	}
	return full, true
}

// Item returns a channel as search shows it, by its id or by one that it once
// had. It reports false when no such channel is shown.
func (v *View) Item(id string, locale int) (*catalog.Channel, bool) {
	doc, ok := v.now.Shown(id)
	if !ok {
		return nil, false
	}
	r := v.ix.Record(int(doc))
	return v.channel(doc, &r, layout.SupportedLocale(locale)), true
}

// channel returns record doc, which is r, as the interface shows it.
func (v *View) channel(doc uint32, r *catalog.Record, locale int) *catalog.Channel {
	return &catalog.Channel{
		ID: r.ID, Name: r.Name, AltNames: orEmpty(r.AltNames), Country: catalog.TextOrNil(r.Country),
		Categories: orEmpty(r.Categories), CategoryLabels: v.categoryLabels(r.Categories, locale),
		Languages: orEmpty(r.Languages), LanguageLabels: v.languageLabels(r.Languages, locale),
		Website: catalog.TextOrNil(r.Website), PlayableHint: v.now.Playable.Has(doc), Slug: slug(r),
		Network: catalog.TextOrNil(r.Network), Owners: orEmpty(r.Owners), Launched: catalog.TextOrNil(r.Launched), ReplacedBy: catalog.TextOrNil(r.ReplacedBy),
		FeedName: catalog.TextOrNil(r.FeedName), FeedFormat: catalog.TextOrNil(r.FeedFormat),
		Timezones: orEmpty(r.Timezones), BroadcastArea: orEmpty(r.BroadcastArea), Quality: r.Quality,
		HasGuide: r.HasGuide || v.now.IsScheduled(doc), GuideSite: v.guideSite(doc, r.GuideSite), GuideLang: catalog.TextOrNil(r.GuideLang),
		Subdivision: catalog.TextOrNil(r.Subdivision), City: catalog.TextOrNil(r.City), Kind: r.Kind.String(), Radio: v.radioStation(doc, r.Radio, locale),
		Origin: r.Origin, Social: new(catalog.Social), API: v.links.Channel(r.ID),
		LogoURL: v.logoURL(doc), HealthExt: v.now.HealthOf(doc),
	}
}

// radioStation returns r with the genres of record doc; nil for a TV channel.
func (v *View) radioStation(doc uint32, r *catalog.Radio, locale int) *catalog.RadioStation {
	if r == nil {
		return nil
	}
	shown := &catalog.RadioStation{Radio: *r, Genres: []catalog.StationGenre{}}
	for number := range v.ix.GenresOf(doc).Numbers() {
		g := genre.All()[number]
		shown.Genres = append(shown.Genres, catalog.StationGenre{ID: g.ID, Name: g.Name[locale]})
	}
	return shown
}

// guideSite returns the site of the guide of record doc: where its programmes come
// from or, while none are known, where the register says that they are published.
func (v *View) guideSite(doc uint32, published string) *string {
	if v.now.IsScheduled(doc) {
		published = v.now.GuideSite(doc)
	}
	return catalog.TextOrNil(published)
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// slug returns the readable identifier of r: the words of its name and its
// country. It is nil when the name has neither letter nor digit.
func slug(r *catalog.Record) *string {
	words := fold.Words(r.Name)
	if words == "" {
		return nil
	}
	if r.Country != "" {
		words += " " + fold.Words(r.Country)
	}
	s := strings.ReplaceAll(words, " ", "-")
	return &s
}

func (v *View) categoryLabels(ids []string, locale int) []string {
	out := make([]string, len(ids))
	for i, id := range ids {
		out[i] = v.categoryLabel(id, locale)
	}
	return out
}

// categoryLabel returns the name of a category; its id when it has no name.
func (v *View) categoryLabel(id string, locale int) string {
	if name, ok := v.CategoryName(id, locale); ok {
		return name
	}
	return id
}

func (v *View) languageLabels(codes []string, locale int) []string {
	out := make([]string, len(codes))
	for i, code := range codes {
		out[i] = layout.Label(v.ix.Vocabulary.Languages, code, locale)
	}
	return out
}

// streamOf returns stream i, which is r, as the interface shows it.
func (v *View) streamOf(i uint32, r *catalog.StreamRecord) catalog.Stream {
	s := catalog.Stream{
		ID: r.ID.String(), Feed: catalog.TextOrNil(r.Feed), Title: catalog.TextOrNil(r.Title), URL: v.links.Stream(r.ID), PlayURL: catalog.TextOrNil(v.links.Play(r)),
		Quality: catalog.TextOrNil(r.Quality), NeedsHeaders: r.Referrer+r.UserAgent != "", Label: catalog.TextOrNil(r.Label),
		Scheme: scheme(r.URL), Kind: r.Kind, PlayableHint: v.now.Usable(i), Origin: r.Origin,
	}
	if s.Scheme == "http" || s.Scheme == "https" {
		s.ProviderURL = catalog.TextOrNil(r.URL)
	} else {
		s.Scheme = scheme(v.links.Hop)
	}
	s.LegacyURL = v.player(r)
	if r.Kind == catalog.StreamYouTube {
		s.Scheme = "youtube"
		if y, ok := catalog.ParseYouTube(r.URL); ok {
			s.YouTube = &y
		}
	}
	if m := v.now.Measurement(i); m != nil {
		h := m.Health
		s.HealthExt = &h
	}
	return s
}
