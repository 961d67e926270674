package prose

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// The pages on how to connect other programs name every setting with its value. The
// suite of clients (scripts/clients) reads them from the pages, configures the programs
// with them, or does what the programs do, and so proves the pages.

// connectEndpoints are the pages on how to connect other programs.
var connectEndpoints = slices.Concat(
	page.Endpoints(site.Kodi, "Show how to connect Kodi", "Returns the page that explains how to watch in Kodi, with the settings of its add-on.", (*Server).kodi),
	page.Endpoints(site.Jellyfin, "Show how to connect Jellyfin", "Returns the page that explains how to add a tuner and a guide to Jellyfin, with their settings.", (*Server).jellyfin),
	page.Endpoints(site.HomeAssistant, "Show how to connect Home Assistant", "Returns the page that explains how to play stations, show channels and search in Home Assistant, with the configuration to paste.", (*Server).homeAssistant, catalog.ErrNotLoaded),
)

// A setting is a field of another program and the value to give to it.
type setting struct {
	ID    string // name of the field in the program's files
	Label string // name of the field as the program shows it
	Value string // as the program shows it
	Saved string // as the program's files have it; the same as Value when empty
}

// A settings is a form of another program.
type settings struct {
	Title  string
	Fields []setting
}

// A configuration is a text to paste into the configuration of another program.
type configuration struct {
	ID   string // last part of the keys of its title and its text
	File string // where to paste it
	Text string // YAML; for an address, the address alone
}

// A connectBody is the body of a page on how to connect another program.
type connectBody struct {
	Steps    []string // last parts of the keys of the steps
	Settings []settings
	Texts    []configuration
	Notes    []string // last parts of the keys of the notes
	English  bool     // the names of fields are those of the program in English
}

// listCountries are the countries whose lists the pages give as examples, by locale.
var listCountries = [...]string{i18n.PT: "br", i18n.EN: "gb", i18n.ES: "es", i18n.FR: "fr", i18n.DE: "de"}

// list returns the URL of the list of channels of a country that speaks the language of
// a locale, without the ending of its format.
func (s *Server) list(l i18n.Locale) string {
	return s.Base + "/lists/country/" + listCountries[l]
}

// What the add-on PVR IPTV Simple Client of Kodi calls its settings in each locale, as in
// its version 20.6. The suite of clients compares them with the installed add-on.
var (
	kodiLocation = [...]string{i18n.PT: "Local", i18n.EN: "Location", i18n.ES: "Ubicación", i18n.FR: "Emplacement", i18n.DE: "Ort"}
	kodiRemote   = [...]string{i18n.PT: "Caminho remoto (endereço internet)", i18n.EN: "Remote path (Internet address)", i18n.ES: "Ruta remota (dirección de internet)", i18n.FR: "Chemin distant (adresse Internet)", i18n.DE: "Dateipfad im Netz (Internet-Adresse)"}
	kodiURL      = [...]string{i18n.PT: "URL da lista de reprodução M3U", i18n.EN: "M3U playlist URL", i18n.ES: "URL a la lista M3U", i18n.FR: "URL de la liste de lecture M3U", i18n.DE: "URL für M3U-Wiedergabeliste"}
	kodiMode     = [...]string{i18n.PT: "Auto refresh mode", i18n.EN: "Auto refresh mode", i18n.ES: "Auto refresh mode", i18n.FR: "Auto refresh mode", i18n.DE: "Modus für automatisches Auffrischen"}
	kodiRepeated = [...]string{i18n.PT: "Atualização repetida", i18n.EN: "Repeated refresh", i18n.ES: "Actualización repetida", i18n.FR: "Rafraîchissement répété", i18n.DE: "Wiederholtes Auffrischen"}
	kodiInterval = [...]string{i18n.PT: "Intervalo de atualização", i18n.EN: "Refresh interval", i18n.ES: "Intervalo de actualización", i18n.FR: "Intervalle de rafraîchissement", i18n.DE: "Auffrisch-Intervall"}
)

// connect shows how to connect another program. A script of the examples for developers
// adds buttons that copy.
func (s *Server) connect(p site.Page, l i18n.Locale, body connectBody) (*page.Rendered, error) {
	v := s.Pages.View(p, l, body)
	v.Areas, v.Modules = []string{"build"}, []string{"build"}
	return v.ShowAs("connect", http.StatusOK)
}

// kodi shows how to watch in Kodi.
func (s *Server) kodi(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	list := s.list(l) + ".m3u"
	return s.connect(site.Kodi, l, connectBody{
		Steps: []string{"install", "configure", "restart", "watch"},
		Settings: []settings{{Title: "PVR IPTV Simple Client", Fields: []setting{
			{ID: "m3uPathType", Label: kodiLocation[l], Value: kodiRemote[l], Saved: "1"},
			{ID: "m3uUrl", Label: kodiURL[l], Value: list},
			{ID: "m3uRefreshMode", Label: kodiMode[l], Value: kodiRepeated[l], Saved: "1"},
			{ID: "m3uRefreshIntervalMins", Label: kodiInterval[l], Value: "60"},
		}}},
		Notes: []string{"guide", "radio", "headers"},
	})
}

// jellyfin shows how to add a tuner and a guide to Jellyfin. Its names of fields are those
// of the dashboard of 10.10 in English.
func (s *Server) jellyfin(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	list := s.list(l)
	return s.connect(site.Jellyfin, l, connectBody{
		Steps: []string{"open", "tuner", "guide", "refresh", "watch"},
		Settings: []settings{
			{Title: "Tuner Devices", Fields: []setting{
				{ID: "Type", Label: "Tuner Type", Value: "M3U Tuner", Saved: "m3u"},
				{ID: "Url", Label: "File or URL", Value: list + ".m3u"},
				{ID: "TunerCount", Label: "Simultaneous stream limit", Value: "0"},
			}},
			{Title: "TV Guide Data Providers", Fields: []setting{
				{ID: "Type", Label: "+", Value: "XMLTV", Saved: "xmltv"},
				{ID: "Path", Label: "File or URL", Value: list + ".xml.gz"},
			}},
		},
		Notes:   []string{"server", "headers", "numbers"},
		English: true,
	})
}

// homeAssistant shows how to play stations, show channels and search in Home Assistant.
// The examples are the most popular station and channels of the catalog.
func (s *Server) homeAssistant(_ context.Context, l i18n.Locale, _ struct{}) (*page.Rendered, error) {
	snapshot, err := s.Catalog.View()
	if err != nil {
		return nil, err
	}
	body := connectBody{Steps: []string{"choose", "paste", "restart"}, Notes: []string{"media", "radio_browser", "names"}, English: true}
	if station, play, ok := playable(snapshot, l, filter.Selection{Kind: filter.Radio}); ok {
		body.Texts = append(body.Texts, configuration{"play", "configuration.yaml", lines(
			"script:",
			"  miramundo_radio:",
			"    alias: "+quote(station.Name),
			"    sequence:",
			"      - action: media_player.play_media",
			"        target:",
			"          entity_id: media_player.kitchen",
			"        data:",
			"          media_content_type: music",
			"          media_content_id: "+quote(play),
		)})
	}
	if c, _, ok := playable(snapshot, l, filter.Selection{Kind: filter.TV, Guide: true}); ok {
		body.Texts = append(body.Texts, configuration{"now", "configuration.yaml", lines(
			"rest:",
			"  - resource: "+quote(s.Base+catalog.IndexPath+"channels/"+c.ID+"/guia"),
			"    scan_interval: 300",
			"    sensor:",
			"      - name: "+quote(c.Name),
			`        value_template: "{{ value_json.agora.titulo if value_json.agora else 'unknown' }}"`,
		)})
	}
	if c, _, ok := playable(snapshot, l, filter.Selection{Kind: filter.TV}); ok {
		body.Texts = append(body.Texts, configuration{"card", "YAML", lines(
			"type: iframe",
			"url: "+quote(s.Base+site.EmbedPath(l, c.ID)),
			`aspect_ratio: "16:9"`,
		)})
	}
	body.Texts = append(body.Texts, configuration{"search", "URL", s.Base + api.MCPPath})
	return s.connect(site.HomeAssistant, l, body)
}

// playable returns the most popular channel of a selection that has a stream which media
// players open, and the URL of that stream. It looks at a few channels and reports false
// when none of them has one.
func playable(snapshot *index.View, l i18n.Locale, of filter.Selection) (c *catalog.ChannelFull, play string, ok bool) {
	const tried = 8
	of.Playable, of.Sort = true, filter.ByPopularity
	docs, _ := snapshot.Find(index.Query{Selection: of, Limit: tried})
	for _, doc := range docs {
		c, ok := snapshot.Channel(snapshot.Card(doc, int(l)).ID, int(l), rank.Caller{})
		if !ok {
			continue
		}
		for _, stream := range c.Streams {
			if stream.PlayURL != nil && !stream.NeedsHeaders {
				return c, *stream.PlayURL, true
			}
		}
	}
	return nil, "", false
}

// quote returns a text as a string of YAML in single quotes, on one line. Home Assistant
// renders the strings of some fields as templates of Jinja: a brace that would begin one
// becomes a parenthesis.
func quote(text string) string {
	return "'" + plain.Replace(strings.Join(strings.Fields(text), " ")) + "'"
}

var plain = strings.NewReplacer("'", "''", "{{", "((", "{%", "(%", "{#", "(#")

// lines returns lines joined to a text.
func lines(all ...string) string { return strings.Join(all, "\n") }
