package catalog

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/fault"
)

// similarChannels is the endpoint of the channels that are like another one.
var similarChannels = api.Bind((*Server).similar, api.Endpoint{
	Name: "list_similar_channels", Tool: true,
	Brief:   "items.id items.name items.kind items.country items.reasons.text",
	Method:  "GET",
	Path:    catalog.ChannelsPath + "/{id}/similar",
	Auth:    api.None,
	Summary: "List similar channels",
	Doc: "Returns the playable channels of the same kind that have the most in common with a channel, the most similar first, each with " +
		"the reasons in the caller's language: network, name, categories or genres, place, and the channels that at least five people keep " +
		"together with it. An earlier id of a channel finds it too. It is empty for a channel that has nothing in common with others.",
	Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded},
	Cache:  api.Private,
})

type similarIn struct {
	ID    string `path:"id" description:"The channel's catalog id."`
	Limit int    `query:"limit" default:"12" minimum:"1" cap:"50" description:"Number of channels; more than 50 is reduced to 50."`
	Lang  string `query:"lang" maxLength:"16" description:"Language of the reasons: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

// A similarList is the channels that are like another one.
type similarList struct {
	ChannelID string        `json:"channel_id" description:"Current catalog id of the channel."`
	Items     []similarItem `json:"items" nullable:"false" description:"Similar channels, the most similar first."`
	API       string        `json:"api" format:"uri" description:"Address of this list."`
}

// A similarItem is a channel that is like another one.
type similarItem struct {
	ID           string   `json:"id" description:"Catalog id of the channel."`
	Name         string   `json:"name" description:"Display name."`
	Kind         string   `json:"kind" enum:"tv,radio" description:"tv or radio, that of the channel asked for."`
	Country      *string  `json:"country" description:"ISO 3166-1 alpha-2."`
	Quality      *string  `json:"quality" description:"Best known quality, such as 1080p."`
	LogoURL      *string  `json:"logo_url" format:"uri" description:"Logo served by the service, up to 256 px."`
	PlayableHint bool     `json:"playable_hint" description:"Always true: channels without a usable stream are left out."`
	Reasons      []reason `json:"reasons" nullable:"false" description:"Reasons why the channel is similar, one to three, the most important first."`
	API          string   `json:"api" format:"uri" description:"Address of the channel's detail record."`
}

// A reason says one thing that two channels have in common.
type reason struct {
	Code   string `json:"code" enum:"kept,network,name,category,genre,tag,city,region,country" description:"kept: people keep both channels. name: their names begin alike. Any other code names the shared value; genre and tag are those of radio stations."`
	Text   string `json:"text" description:"The reason in the caller's language, such as Same network: RTP."`
	People *int   `json:"people" description:"Number of people who keep both, at least 5; null for other reasons."`
}

func (s *Server) similar(ctx context.Context, in similarIn) (*similarList, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	locale := api.LocaleOf(ctx)
	c, ok := v.Item(in.ID, int(locale))
	if !ok {
		return nil, v.NotFound(in.ID)
	}
	list := &similarList{ChannelID: c.ID, Items: []similarItem{}, API: c.API + "/similar"}
	for _, found := range (similar.Finder{View: v, Companions: s.Companions}).List(c, locale, in.Limit) {
		item := similarItem{
			ID: found.ID, Name: found.Name, Kind: found.Kind.String(), Country: catalog.TextOrNil(found.Country),
			Quality: catalog.TextOrNil(found.Quality), LogoURL: found.LogoURL, PlayableHint: found.Playable, API: v.Links().Channel(found.ID),
		}
		for _, r := range found.Reasons {
			item.Reasons = append(item.Reasons, reasonOf(r))
		}
		list.Items = append(list.Items, item)
	}
	return list, nil
}

// reasonOf returns a reason as the interface shows it.
func reasonOf(r similar.Reason) reason {
	shown := reason{Code: r.Code, Text: r.Text}
	if r.People > 0 {
		shown.People = &r.People
	}
	return shown
}
