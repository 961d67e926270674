package sitefiles

import (
	"context"
	"encoding/xml"
	"fmt"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const openSearchType = "application/opensearchdescription+xml"

// openSearch are the endpoints of the descriptions by which browsers add the search to
// theirs, one for each language.
var openSearch = []api.Endpoint{
	api.Bind((*Server).openSearch, api.Endpoint{
		Method: "GET", Path: page.OpenSearch + "{file}", Auth: api.None, Page: true,
		Summary: "Get the description of the search",
		Doc: "Returns the OpenSearch 1.1 description of the search in one language, by which browsers and other programs search the catalog. " +
			"The file name is the language tag followed by .xml.",
		Faults: []*fault.Error{fault.ErrNotFound}, Cache: api.Public(time.Hour), Produces: []string{openSearchType},
	}),
}

// A searchDescription is an OpenSearch 1.1 description document.
type searchDescription struct {
	XMLName     xml.Name      `xml:"http://a9.com/-/spec/opensearch/1.1/ OpenSearchDescription"`
	ShortName   string        `xml:"ShortName"` // at most 16 characters
	LongName    string        `xml:"LongName"`  // at most 48
	Description string        `xml:"Description"`
	Language    string        `xml:"Language"`
	Input       string        `xml:"InputEncoding"`
	Output      string        `xml:"OutputEncoding"`
	Images      []searchImage `xml:"Image"`
	URLs        []searchURL   `xml:"Url"`
}

// faviconSide is the side of the smallest image of the favicon, in pixels.
const faviconSide = 16

// A searchImage is an icon of the search.
type searchImage struct {
	Width  int    `xml:"width,attr"`
	Height int    `xml:"height,attr"`
	Type   string `xml:"type,attr"`
	URL    string `xml:",chardata"`
}

// A searchURL is the address of results in one form. {searchTerms} takes the place of the
// words.
type searchURL struct {
	Type     string `xml:"type,attr"`
	Rel      string `xml:"rel,attr"`
	Offset   int    `xml:"indexOffset,attr"` // the number of the first result
	Template string `xml:"template,attr"`
}

// openSearch returns the description of the language in the file's name.
func (s *Server) openSearch(_ context.Context, in fileIn) (api.Content, error) {
	l, ok := in.locale(page.OpenSearchExt)
	if !ok {
		return api.Content{}, fault.ErrNotFound
	}
	data, err := xml.Marshal(s.searchDescriptionOf(l))
	if err != nil {
		return api.Content{}, err
	}
	return contentOf(openSearchType, append([]byte(xml.Header), data...)), nil
}

// searchDescriptionOf returns the description of the search in a language.
func (s *Server) searchDescriptionOf(l i18n.Locale) searchDescription {
	base, terms := s.Links.Base, "q={searchTerms}"
	results := fmt.Sprintf("?%s&sort=relevance&kind=all&lang=%s&limit={count?}&offset={startIndex?}", terms, l.Tag())
	return searchDescription{
		ShortName: page.Service, LongName: l.T("seo.app_name", nil), Description: l.T("seo.app_description", nil),
		Language: l.HTML(), Input: "UTF-8", Output: "UTF-8",
		Images: []searchImage{
			{faviconSide, faviconSide, "image/vnd.microsoft.icon", base + faviconPath},
			{smallIcon, smallIcon, "image/png", base + page.IconPath(smallIcon)},
		},
		URLs: []searchURL{
			{"text/html", "results", 0, base + site.Home.Path(l, "") + "?" + terms},
			{page.SuggestionsType, "suggestions", 0, base + page.SuggestionsPath + "?" + terms + "&lang=" + l.Tag()},
			{"application/json", "results", 0, base + catalog.ChannelsPath + results},
			{feed.M3UType, "results", 0, base + catalog.ChannelsPath + "." + feed.M3U + results},
			{openSearchType, "self", 0, base + page.OpenSearchPath(l)},
		},
	}
}
