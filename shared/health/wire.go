package health

import "miramundo.dev/shared/store"

// A Panel is the SaudeCanal of the interface: the play reports of a channel,
// summarized.
type Panel struct {
	ChannelID string `json:"channel_id"`
	Plays     int    `json:"plays" description:"Success reports, worldwide."`
	Fails     int    `json:"fails" description:"Failure reports, worldwide."`
	Favorites int    `json:"favorites" description:"Number of people who favorited the channel."`
	Comments  int    `json:"comments" description:"Public comments."`
	Health    *int   `json:"health" minimum:"0" maximum:"100" description:"Percentage of successes, each network once a day; null until min_relatos networks report on one day."`

	LastOKAt     *store.Time `json:"last_ok_at" type:"string" format:"date-time"`
	LastFailAt   *store.Time `json:"last_fail_at" type:"string" format:"date-time"`
	LastFailCode *string     `json:"last_fail_code" description:"Failure code on which min_relatos networks last agreed on one day; null before."`

	MinReports      int              `json:"min_relatos" description:"Number of networks that must report on one day, for health and for a verdict. A network with new callers alone, or against the last probe, counts half."`
	Reasons         []FailureReason  `json:"reasons" nullable:"false" description:"Causes of failures, most common first."`
	Environments    []Environment    `json:"environments" nullable:"false" description:"Reports by browser, system and country, most reports first."`
	YourEnvironment Environment      `json:"your_environment" description:"Reports from the caller's browser, system and country."`
	Regions         []Region         `json:"regions" nullable:"false" description:"Reports by country, most reports first."`
	Geo             GeoVerdict       `json:"geo" description:"Verdict of the networks on the countries in which the channel plays."`
	Latency         []CountryLatency `json:"latency" nullable:"false" description:"Time that the hop takes to return a playlist, by country, most samples first."`
	YourCountry     Region           `json:"your_country" description:"Reports from the caller's country, with its latency."`
	ForYou          string           `json:"pra_voce" enum:"geo_bloqueado,lenta,instavel,boa,sem_dado" description:"Forecast for the caller's country and browser: geo-blocked (all networks of the country fail), slow, unstable, good, or no data."`
	Codes           []string         `json:"codes" nullable:"false" description:"Every code that a failure report may have."`
	Links           PanelLinks       `json:"_links"`
}

// A FailureReason is a reason of failures with a text in the caller's
// language.
type FailureReason struct {
	Code   string      `json:"code" enum:"cors,geo,sumiu,codec,playlist,sem_resposta,protocolo,sem_stream,outro" description:"Cause of the failures."`
	Label  string      `json:"label" description:"Name of the cause, in the caller's language."`
	Hint   string      `json:"hint" description:"Advice to the caller, in the caller's language."`
	Count  int         `json:"count"`
	LastAt *store.Time `json:"last_at" type:"string" format:"date-time"`
}

// An Environment summarizes the reports of one browser, system and country.
type Environment struct {
	Browser      string      `json:"browser" description:"Browser, such as Chrome; Outro when unknown."`
	OS           string      `json:"os" description:"Operating system, such as Windows; Outro when unknown."`
	Country      string      `json:"country" description:"ISO 3166-1 alpha-2; ZZ when unknown."`
	Label        string      `json:"label" description:"Browser, system and country in the caller's language."`
	Plays        int         `json:"plays" description:"Success reports."`
	Fails        int         `json:"fails" description:"Failure reports."`
	Health       *int        `json:"health" minimum:"0" maximum:"100" description:"As of the channel, of these reports alone."`
	LastFailCode *string     `json:"last_fail_code"`
	LastAt       *store.Time `json:"last_at" type:"string" format:"date-time"`
}

// A Region summarizes the reports of one country.
type Region struct {
	Country      string  `json:"country" description:"ISO 3166-1 alpha-2; ZZ when unknown."`
	Plays        int     `json:"plays" description:"Success reports."`
	Fails        int     `json:"fails" description:"Failure reports."`
	Health       *int    `json:"health" minimum:"0" maximum:"100" description:"As of the channel, of these reports alone."`
	LatencyMS    *int    `json:"latency_ms" description:"Mean time to the playlist in milliseconds; only in your_country."`
	LatencyGrade *string `json:"latency_grade" enum:"otima,boa,lenta,ruim" description:"Grade of that time; only in your_country."`
}

// A GeoVerdict says where in the world a channel plays.
type GeoVerdict struct {
	Kind      string   `json:"tipo" enum:"geo,down,ok,unknown" description:"geo: fails in some countries and works in others; down: fails in every measured country; unknown: too few networks report."`
	BlockedIn []string `json:"bloqueado_em" nullable:"false" description:"Measured countries where only failures are heard, ZZ for an unknown country; 8 at most."`
	WorksIn   []string `json:"funciona_em" nullable:"false" description:"Measured countries where a success is heard: at least two networks of min_relatos; 8 at most."`
	Label     string   `json:"label" description:"The verdict in the caller's language; empty when there is nothing to say."`
}

// A CountryLatency is the mean time that the hop took to answer playlists in
// one country.
type CountryLatency struct {
	Country    string      `json:"country" description:"ISO 3166-1 alpha-2; ZZ when unknown."`
	Samples    int         `json:"samples" description:"Number of measurements."`
	AvgMS      int         `json:"avg_ms" description:"Mean time to the playlist, in milliseconds."`
	Grade      string      `json:"grade" enum:"otima,boa,lenta,ruim" description:"otima under 600 ms, boa under 1500 ms, lenta under 3500 ms, otherwise ruim."`
	GradeLabel string      `json:"grade_label" description:"The grade in the caller's language."`
	LastAt     *store.Time `json:"last_at" type:"string" format:"date-time"`
}

// PanelLinks are the links of a panel.
type PanelLinks struct {
	Self    string `json:"self" format:"uri" description:"This panel."`
	Channel string `json:"channel" format:"uri" description:"The detail record of the channel."`
	Report  string `json:"report" format:"uri" description:"Address to which playback reports are sent."`
}
