package catalog

// The structs of this file are the JSON of the interface. Their field names,
// some of them Portuguese, are a contract with existing callers and never
// change. Slices with nullable:"false" must not be nil when encoded, since nil
// would be written as null. The descriptions become the OpenAPI document.

// TextOrNil returns a pointer to s, or nil, which is null on the wire, when s
// is empty.
func TextOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A Channel is a TV channel or radio station as search results show it. A nil
// pointer is null on the wire; a field with omitempty may be absent.
type Channel struct {
	ID             string          `json:"id" description:"Stable catalog id; the key used throughout the API."`
	Name           string          `json:"name" description:"Display name."`
	AltNames       []string        `json:"alt_names" nullable:"false" description:"Other names."`
	Country        *string         `json:"country" description:"ISO 3166-1 alpha-2."`
	Categories     []string        `json:"categories" nullable:"false" description:"Catalog category ids."`
	CategoryLabels []string        `json:"category_labels" nullable:"false" description:"The same ids in the caller's language."`
	Languages      []string        `json:"languages" nullable:"false" description:"ISO 639-3 codes."`
	LanguageLabels []string        `json:"language_labels" nullable:"false" description:"Names of the languages in the caller's language, where known."`
	LogoURL        *string         `json:"logo_url" format:"uri" description:"Logo served by the service, up to 256 px."`
	Website        *string         `json:"website" description:"Official site."`
	PlayableHint   bool            `json:"playable_hint" description:"Whether the last check found a usable stream."`
	Slug           *string         `json:"slug" description:"Readable identifier, not a public URL and not unique."`
	Network        *string         `json:"network" description:"Network or broadcaster."`
	Owners         []string        `json:"owners" nullable:"false" description:"Operators according to the register."`
	Launched       *string         `json:"launched" description:"YYYY-MM-DD."`
	ReplacedBy     *string         `json:"replaced_by" description:"Id of the channel that replaced this one."`
	FeedName       *string         `json:"feed_name" description:"Name of the main feed when the channel has several."`
	FeedFormat     *string         `json:"feed_format" description:"Format of the main feed, as the source declares it."`
	Timezones      []string        `json:"timezones" nullable:"false" description:"Time zones of the main feed."`
	BroadcastArea  []string        `json:"broadcast_area" nullable:"false" description:"Coverage, in catalog codes."`
	Quality        string          `json:"quality,omitempty" description:"Best known quality, such as 1080p."`
	HasGuide       bool            `json:"has_guide" description:"Whether the channel has a programme guide."`
	GuideSite      *string         `json:"guide_site" description:"Site that the programmes come from, as in the guide of the channel, or that lists them while none are known here."`
	GuideLang      *string         `json:"guide_lang" description:"Language of the guide."`
	Subdivision    *string         `json:"subdivision" description:"State or province, catalog code."`
	City           *string         `json:"city" description:"City, catalog code."`
	Kind           string          `json:"kind" enum:"tv,radio" description:"tv or radio."`
	Radio          *RadioStation   `json:"radio,omitempty" description:"Present only for radio stations."`
	Origin         string          `json:"origem" description:"Register that the record comes from."`
	HealthExt      *MeasuredHealth `json:"health_ext" description:"Null when never measured."`
	Social         *Social         `json:"social,omitempty" description:"Community counters of the channel."`
	API            string          `json:"api" format:"uri" description:"Address of the channel's detail record."`
	Matched        *MatchedFeed    `json:"matched,omitempty" description:"Only in a search by relevance: the feed whose name answers q better than any name of the channel."`
	WorksIn        *WorksIn        `json:"works_in,omitempty" description:"Only in a search with works_in or sort=works: how sure it is that the channel plays in that country."`
	DistanceKM     *float64        `json:"distance_km,omitempty" description:"Only in a search with near: distance from that place in kilometres, to a tenth."`
	Explain        *Explanation    `json:"explain,omitempty" description:"Only for operators who ask for it: what the place of the item is made of."`
}

// A WorksIn says how sure it is that a channel plays in a country.
type WorksIn struct {
	Country string  `json:"country" description:"ISO 3166-1 alpha-2."`
	Verdict Verdict `json:"verdict" enum:"confirmed,likely,unknown,fails" description:"confirmed: networks of the country agreed in the last 30 days that it plays. likely: a probe found a stream playing that no label keeps from the country, or the networks are divided. fails: the networks agreed that it fails, or a label keeps every stream from the country. unknown: none of that."`
	Plays   int     `json:"plays" description:"Success reports from the country, of all days; a few owners of one network may have sent them."`
	Fails   int     `json:"fails" description:"Failure reports from the country, of all days."`
}

// A Verdict says how sure it is that a channel plays in a country. Package health makes it.
type Verdict string

// The verdicts, surest first.
const (
	Confirmed Verdict = "confirmed"
	Likely    Verdict = "likely"
	Unknown   Verdict = "unknown"
	Fails     Verdict = "fails"
)

// A MatchedFeed is the feed of a channel by whose name a search found it.
type MatchedFeed struct {
	Name string `json:"name" description:"Whole name of the feed, such as BBC One Scotland."`
	Feed string `json:"feed" description:"Feed id, as in the streams of the channel."`
	API  string `json:"api" format:"uri" description:"Address of the channel's detail record, with the best stream of the feed first."`
}

// A ChannelFull is the detail record of a channel.
type ChannelFull struct {
	Channel
	GuideNow *GuideNow `json:"guide_now" description:"Programme on air and the next one; null without a fresh guide."`
	Streams  []Stream  `json:"streams" nullable:"false" description:"Its streams, best first."`
	Links    Links     `json:"_links"`
}

// Links are the addresses related to a detail record.
type Links struct {
	Self     string `json:"self" format:"uri" description:"This JSON record."`
	App      string `json:"app" format:"uri" description:"Address of the channel's page for people."`
	APIIndex string `json:"api_index" format:"uri" description:"The index of the API."`
}

// Radio holds the fields that only stations have, as the register stores them.
type Radio struct {
	Tags    []string `json:"tags" nullable:"false" description:"Free vocabulary, in lower case."`
	Votes   int      `json:"votes" description:"Votes of listeners, counted by the source."`
	Clicks  int      `json:"clicks" description:"Plays in the last 24 hours, counted by the source."`
	Codec   *string  `json:"codec" description:"Codec, such as MP3 or AAC+."`
	Bitrate *int     `json:"bitrate" description:"In kbit/s."`
	Geo     *Geo     `json:"geo" description:"Position of the station."`
}

// A RadioStation is a Radio with the genres that its tags mean, which are derived
// when a snapshot is loaded, and not stored.
type RadioStation struct {
	Radio
	Genres []StationGenre `json:"genres" nullable:"false" description:"Genres that the tags mean; the ids are values of the filter genre."`
}

// A StationGenre is a genre of a station.
type StationGenre struct {
	ID   string `json:"id" description:"Value of the filter genre, such as classic-rock."`
	Name string `json:"name" description:"Its name in the caller's language."`
}

// Geo is a place on the earth, in degrees.
type Geo struct {
	Lat float64 `json:"lat" minimum:"-90" maximum:"90" description:"Latitude in degrees, north positive."`
	Lon float64 `json:"lon" minimum:"-180" maximum:"180" description:"Longitude in degrees, east positive."`
}

// MeasuredHealth summarizes the probes of a channel's streams.
type MeasuredHealth struct {
	Score     *int    `json:"score" minimum:"0" maximum:"100" description:"Moving average of the probes of the channel's best stream."`
	Online    bool    `json:"online" description:"Whether a stream of the channel was online in the 48 hours before the last reload."`
	CheckedAt *string `json:"checked_at" format:"date-time" description:"Time of the last check, in UTC; null before the first."`
}

// Social holds the community counters of a channel, and what is concluded from the
// reports: package health has the rule. The fields that begin with Your depend on the caller's browser, system and country, so that an answer
// with them must not be cached for others.
type Social struct {
	Plays            int     `json:"plays" description:"Success reports."`
	Fails            int     `json:"fails" description:"Failure reports."`
	Favorites        int     `json:"favorites" description:"Number of people who favorited the channel."`
	Comments         int     `json:"comments" description:"Public comments."`
	LastFailCode     *string `json:"last_fail_code" description:"Failure code on which three networks last agreed on one day; null before."`
	Health           *int    `json:"health" minimum:"0" maximum:"100" description:"Percentage of successes, each network once a day; null until three networks report on one day."`
	YourPlays        int     `json:"your_plays" description:"Success reports in the caller's browser, system and country."`
	YourFails        int     `json:"your_fails" description:"Failure reports in the caller's environment."`
	YourFailCode     *string `json:"your_fail_code"`
	YourCountryOK    int     `json:"your_country_ok" description:"Success reports from the caller's country."`
	YourCountryFail  int     `json:"your_country_fail" description:"Failure reports from the caller's country."`
	YourGeoOK        *bool   `json:"your_geo_ok" description:"True when networks of the caller's country play it, false when they agree that it fails (geo_bloqueado in the panel); null until three of them report on one day."`
	YourLatencyMS    *int    `json:"your_latency_ms" description:"Mean time to the playlist, in milliseconds."`
	YourLatencyGrade *string `json:"your_latency_grade" enum:"otima,boa,lenta,ruim" description:"Grade of the playlist's latency in the caller's country: otima is the best, ruim the worst; null with too few measurements."`
}

// GuideNow holds the current and the next programme of a channel.
type GuideNow struct {
	Day   string     `json:"day" format:"date"`
	Site  *string    `json:"site" description:"Site that the guide comes from; null when it is not known."`
	Now   *Programme `json:"agora" description:"Programme on air; null when the guide does not have it."`
	After *Programme `json:"a_seguir" description:"Programme that follows; null when the guide does not have it."`
}

// A GuideDay holds the programmes of a channel on one UTC day.
type GuideDay struct {
	ChannelID  string      `json:"channel_id"`
	Day        string      `json:"day" format:"date" description:"UTC day of the guide."`
	Site       *string     `json:"site" description:"Site that the guide comes from."`
	Now        *Programme  `json:"agora" description:"Programme on air; null outside the guide."`
	After      *Programme  `json:"a_seguir" description:"Next programme; null at the end of the guide."`
	Programmes []Programme `json:"programas" nullable:"false" maxItems:"200" description:"Programmes of the day, in order, at most 200."`
}

// A Programme is one entry of a guide.
type Programme struct {
	Start    string `json:"inicio" format:"date-time" description:"Start of the programme, in UTC."`
	Stop     string `json:"fim" format:"date-time" description:"End of the programme, in UTC."`
	Title    string `json:"titulo" description:"Title of the programme."`
	Desc     string `json:"desc,omitempty" maxLength:"300" description:"Description of the programme."`
	Category string `json:"categoria,omitempty" description:"Category of the programme, as the guide names it."`
}

// A Stream is one way to play a channel.
type Stream struct {
	ID           string        `json:"id" description:"Stream id, used in GET /api/s/:id."`
	ProviderURL  *string       `json:"provider_url" description:"The provider's own URL; null for protocols other than HTTP(S)."`
	LegacyURL    *string       `json:"legacy_url" format:"uri" description:"Isolated player for plain HTTP media; null for other origins."`
	Feed         *string       `json:"feed" description:"Feed of the channel that the stream serves."`
	Title        *string       `json:"title" description:"Title of the stream in the source; null when it has no title."`
	URL          string        `json:"url" format:"uri" description:"Playback address of the stream at the hop."`
	PlayURL      *string       `json:"play_url" format:"uri" description:"Address that a media player should open: the hop's address, with .m3u8 for HLS, or the provider's own for plain HTTP that the hop may not redirect to. Null for streams that only a player of their own opens: the video platform's, and external protocols."`
	Quality      *string       `json:"quality" description:"Quality that the source declares."`
	NeedsHeaders bool          `json:"needs_headers" description:"Whether the origin requires a Referer or User-Agent, which the hop sends."`
	Label        *string       `json:"label" description:"Label of the stream, such as Geo-blocked."`
	Scheme       string        `json:"scheme" enum:"http,https,youtube" description:"Protocol of provider_url: http or https. It is youtube for a stream on the video platform. An external stream (kind externo) has no provider_url and the protocol of url."`
	Kind         string        `json:"kind" enum:"hls,dash,ts,flv,audio,youtube,externo" description:"Kind of the stream: that of its content where a check found it, or else that of its address. An externo stream uses RTMP, RTSP or another protocol that the hop does not fetch."`
	YouTube      *YouTube      `json:"youtube,omitempty" description:"Addresses of a stream on the video platform."`
	PlayableHint bool          `json:"playable_hint" description:"Whether the last check found the stream usable."`
	Origin       string        `json:"origem" description:"Origin of the stream, as a host name."`
	HealthExt    *StreamHealth `json:"health_ext" description:"Null when never measured."`
}

// YouTube holds the addresses of a live on the video platform: of a video, or
// of the current live of a channel.
type YouTube struct {
	Video   string `json:"video,omitempty" minLength:"11" maxLength:"11" description:"Id of the video."`
	Channel string `json:"channel,omitempty" description:"Id of the platform's channel."`
	Embed   string `json:"embed" format:"uri" description:"Address of the player to embed."`
	Watch   string `json:"assistir" format:"uri" description:"Address of the page to watch on."`
}

// StreamHealth holds the last measurement of a stream.
type StreamHealth struct {
	Status     string  `json:"status" enum:"online,offline,blocked,timeout,error,unknown" description:"Result of the last check."`
	Score      *int    `json:"score" minimum:"0" maximum:"100" description:"Share of successful checks, from 0 to 100; null before the first."`
	CheckedAt  *string `json:"checked_at" format:"date-time" description:"Time of the last check, in UTC; null before the first."`
	Resolution *string `json:"resolution" description:"Picture size, such as 1280x720; null when it is not known."`
	Bitrate    *int    `json:"bitrate" description:"In bits per second."`
	LatencyMS  *int    `json:"latency_ms" description:"Time to the first byte."`
}

// Legacy describes a stream to the isolated player of plain HTTP media.
type Legacy struct {
	ID          string  `json:"id" description:"Stream id."`
	Name        string  `json:"name" description:"Name of the channel or station."`
	Kind        string  `json:"kind" enum:"hls,dash,ts,flv,audio"`
	Radio       bool    `json:"radio" description:"True for a radio station, false for a TV channel."`
	URL         string  `json:"url" format:"uri" description:"Playback address of the stream at the hop."`
	ProviderURL string  `json:"provider_url" description:"The provider's own URL, over plain HTTP."`
	Website     *string `json:"website" description:"Official site."`
	LegacyURL   string  `json:"legacy_url" format:"uri" description:"Address of the isolated player with this stream."`
}

// A Page is the answer to a search.
type Page struct {
	Items      []Channel `json:"items" nullable:"false"`
	Total      int       `json:"total" description:"Number of matches on all pages."`
	Limit      int       `json:"limit"`
	Offset     int       `json:"offset"`
	NextOffset *int      `json:"next_offset" description:"The offset of the next page; null on the last."`
	Next       *string   `json:"next" format:"uri" description:"Address of the next page; null on the last."`
	API        string    `json:"api" format:"uri" description:"Address of the list."`
	Facets     Facets    `json:"facets" description:"Counts of the matches by category."`
	Filters    Filters   `json:"filters" description:"The filters as they were understood, with defaults."`

	Understood  *Understood  `json:"understood,omitempty" description:"Only in a search by relevance that took words of q for values of filters: how it read q."`
	Suggestions []Suggestion `json:"suggestions,omitempty" maxItems:"5" description:"Only in a search by relevance that found little (fewer than three channels as typed, none of them named like q), or whose q is the name of a channel that is known but not shown: what else to try."`
}

// Understood is how a search by relevance read the words that were typed. They were
// also looked for in names: a filter here orders the results, and does not exclude
// those that have the words in their names.
type Understood struct {
	Text    string             `json:"text" description:"The words that were only looked for in names, folded; may be empty."`
	Filters []UnderstoodFilter `json:"filters" nullable:"false" minItems:"1" description:"The values that words were taken for, in the order of the words."`
}

// An UnderstoodFilter is a value of a filter that typed words were taken for.
type UnderstoodFilter struct {
	Filter  string `json:"filter" description:"Name of the filter, a parameter of the search."`
	Value   string `json:"value" description:"Its value, such as BR."`
	Label   string `json:"label" description:"The value as people read it, in the caller's language."`
	Words   string `json:"words" description:"The typed words, folded: in lower case and without accents."`
	Without string `json:"without" description:"q without these words; may be empty."`
	Literal string `json:"literal,omitempty" maxLength:"200" description:"q with these words in quotation marks, by which a search takes them literally and only looks for them in names; absent when it would be too long."`
}

// A Suggestion is something else to try for a caller whose search found little, or
// a fact about the channel that the caller seems to look for.
type Suggestion struct {
	Type    string        `json:"type" enum:"known,spelling,drop,filter" description:"known: a channel of that name is known but not shown. spelling: other words that resemble the typed ones. drop: fewer words. filter: without one of the filters of the request."`
	Label   string        `json:"label" description:"The suggestion as a sentence in the caller's language."`
	Q       *string       `json:"q,omitempty" description:"The q to try; of spelling and drop."`
	Filter  *string       `json:"filter,omitempty" description:"The filter that is dropped; of filter."`
	Query   *string       `json:"query,omitempty" description:"The query string to try, such as q=globo&playable=0&sort=relevance; not of known."`
	Count   *int          `json:"count,omitempty" description:"Number of matches of that query as it is typed, without corrections; not of known."`
	Channel *KnownChannel `json:"channel,omitempty" description:"The channel that is known but not shown; of known."`
}

// A KnownChannel is a channel that is known but not shown by the search.
type KnownChannel struct {
	ID         string       `json:"id"`
	Name       string       `json:"name"`
	Country    *string      `json:"country" description:"ISO 3166-1 alpha-2; null when not known."`
	Kind       string       `json:"kind" enum:"tv,radio"`
	Reason     string       `json:"reason" enum:"no_stream,closed,blocked,vanished,replaced" description:"no_stream: it has no usable stream, and is shown with playable=0. closed: it ended. blocked: it may not be shown. vanished: the sources no longer list it. replaced: another channel, named in replaced_by, took its place."`
	Since      *string      `json:"since" format:"date" description:"Day on which it closed or vanished; null when not known."`
	ReplacedBy *Replacement `json:"replaced_by" description:"The channel of the catalog that took its place; null for none."`
}

// A Replacement is a channel that took the place of another.
type Replacement struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Facets count the matches of a search by their values.
type Facets struct {
	Categories []CategoryCount `json:"categories" nullable:"false" description:"Matches in each category, most first."`
}

// A CategoryCount is a category with its number of matches.
type CategoryCount struct {
	ID    string  `json:"id"`
	Name  string  `json:"name"`
	Count int     `json:"count" description:"Number of matches in the category."`
	Icon  *string `json:"icon" description:"Name of the category's icon; null when it has no icon."`
}

// Filters are the filters of a search as they were parsed. A null filter was
// absent or empty.
type Filters struct {
	Q           *string `json:"q" description:"The words that were searched for; null without words."`
	Country     *string `json:"country"`
	Category    *string `json:"category" description:"Id of a category; null for all."`
	Language    *string `json:"language" description:"Language as ISO 639-3; null for all."`
	Network     *string `json:"network" description:"Network; null for all."`
	Quality     *string `json:"quality" description:"Lowest quality, such as 720p; null for all."`
	Subdivision *string `json:"subdivision" description:"State or province as ISO 3166-2; null for all."`
	City        *string `json:"city" description:"City as UN/LOCODE; null for all."`
	Tag         *string `json:"tag" description:"Radio tag; null for all."`
	Guide       bool    `json:"guide" description:"True when only channels with a programme guide match."`
	Playable    bool    `json:"playable" description:"True when only channels that a browser plays match."`
	Sort        string  `json:"sort" enum:"name,score,votes,relevance,popular,works,distance" description:"Order of the matches."`
	Online      bool    `json:"online" description:"True when only channels whose last check succeeded match."`
	Kind        string  `json:"kind" enum:"tv,radio,all"`
	Genre       *string `json:"genre" description:"Radio genre; null for all."`
	WorksIn     *string `json:"works_in" description:"Country as ISO 3166-1 alpha-2; null for all."`
	Near        *string `json:"near" description:"Latitude and longitude, rounded to three decimals; null for everywhere."`
	Radius      *int    `json:"radius" description:"Greatest distance from near in kilometres; null without near."`
}
