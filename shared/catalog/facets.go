package catalog

// Facets are the entries of the lists of filter values, such as
// GET /api/countries. Countries, languages, categories and genres are named in the
// caller's language, places and networks as the source names them.

// A CountryFacet is a country that has channels.
type CountryFacet struct {
	Code  string `json:"code" description:"ISO 3166-1 alpha-2."`
	Name  string `json:"name"`
	Count int    `json:"count" description:"Playable channels."`
	Flag  string `json:"flag" format:"uri" description:"Its flag, as SVG."`
}

// A LanguageFacet is a language that channels broadcast in.
type LanguageFacet struct {
	Code  string `json:"code" description:"ISO 639-3."`
	Name  string `json:"name"`
	Count int    `json:"count" description:"Playable channels."`
}

// A NetworkFacet is a network that channels belong to.
type NetworkFacet struct {
	Name  string `json:"name"`
	Count int    `json:"count" description:"Playable channels."`
}

// A QualityFacet is a quality of streams: a number of picture lines for TV, a
// codec or a bitrate for radio. Its count is of streams, not of channels.
type QualityFacet struct {
	ID    string `json:"id" description:"Value of the quality filter, such as 1080p, MP3 or 128k."`
	Name  string `json:"name"`
	Count int    `json:"count" description:"Streams."`
}

// A TagFacet is a tag of radio stations.
type TagFacet struct {
	ID    string `json:"id" description:"The tag in lower case, as in the source."`
	Name  string `json:"name"`
	Count int    `json:"count" description:"Playable stations."`
}

// A GenreFacet is a genre that radio stations have.
type GenreFacet struct {
	ID    string `json:"id" description:"Value of the filter genre, such as classic-rock."`
	Name  string `json:"name"`
	Count int    `json:"count" description:"Playable stations."`
}

// A CategoryFacet is an entry of the vocabulary of categories.
type CategoryFacet struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description *string `json:"description" description:"Description of the category; null when there is no text."`
	Icon        *string `json:"icon" description:"Name of the category's icon; null when it has no icon."`
}

// A SubdivisionFacet is a state or province that has channels.
type SubdivisionFacet struct {
	Code    string `json:"code" description:"ISO 3166-2."`
	Country string `json:"country" description:"ISO 3166-1 alpha-2."`
	Name    string `json:"name"`
	Count   int    `json:"count" description:"Playable channels."`
}

// A CityFacet is a city that has channels.
type CityFacet struct {
	Code        string  `json:"code" description:"UN/LOCODE."`
	Country     string  `json:"country" description:"ISO 3166-1 alpha-2."`
	Subdivision *string `json:"subdivision" description:"State or province as ISO 3166-2; null when it is not known."`
	Name        string  `json:"name"`
	Count       int     `json:"count" description:"Playable channels."`
}
