package indextest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
)

// plainWords are what most names are made of.
var plainWords = strings.Fields(`News Sport Music Radio TV Globo Canal Plus Kids Cinema Europa Nacional Rede FM Hit Rock Jazz Classic
	Local City Star World One Two Zwei Drei Fünf São Paulo México Málaga Zürich Łódź İzmir C-SPAN A&E R.E.M. TV5Monde 24 98.5 100%`)

// hostileWords are what breaks carelessly written JSON, URLs, sorting or
// folding.
var hostileWords = []string{
	`"quoted"`, `back\slash`, "<b>&amp;</b>", "line\u2028sep", "par\u2029sep", "tab\there", "\x01ctl", "nul\x00", "😀🎉", "👨‍👩‍👧",
	"الجزيرة", "إذاعة القرآن", "Россия", "Первый", "中央电视台", "日本放送", "ガンダム", "ไทยรัฐทีวี", "한국방송", "ΕΡΤ", "ערוץ", "हिन्दी",
	"e\u0301decomposed", "ﬁ", "ｆｕｌｌ", "zero\u200dwidth", "\u202ertl\u202c", "''; DROP", "%41%zz", "../..", "---", "!!!",
	strings.Repeat("long", 40), "\U0001F1E7\U0001F1F7",
}

// Synthetic returns a register of n records made up by chance, the same for
// the same seed. Names, values and ids include hostile ones; votes, qualities
// and lists are spread as in real catalogs.
func Synthetic(seed uint64, n int) *catalog.Register {
	g := &generator{rand.New(rand.NewPCG(seed, 7))}
	reg := &catalog.Register{
		BuiltAt: time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC),
		Sources: []catalog.Source{{Name: "made/up", FetchedAt: time.Date(2026, 11, 22, 3, 0, 0, 0, time.UTC), SHA256: "00", Items: n}},
	}
	for _, id := range []string{"general", "kids", "movies", "music", "news", "sports", `odd"one`} {
		reg.Categories = append(reg.Categories, catalog.Category{ID: id, Name: labels(id), Icon: g.maybe("📺"), Description: labels("about " + id)})
	}
	for _, code := range g.codes("l", 30) {
		reg.Languages = append(reg.Languages, catalog.Term{Code: code, Name: labels("language " + code)})
	}
	for _, code := range countries {
		reg.Countries = append(reg.Countries, catalog.Term{Code: code, Name: labels("land " + code)})
		reg.Subdivisions = append(reg.Subdivisions, catalog.Subdivision{Code: code + "-A", Country: code, Name: "North " + code})
		reg.Cities = append(reg.Cities, catalog.City{Code: code + "AAA", Country: code, Subdivision: code + "-A", Name: "Town " + code})
	}
	for i := range n {
		reg.Records = append(reg.Records, g.record(i))
	}
	for i := range n / 20 {
		reg.Gone = append(reg.Gone, g.gone(i))
	}
	return reg
}

// gone returns a channel that is known but not shown. Ids ascend.
func (g *generator) gone(i int) catalog.Gone {
	ch := catalog.Gone{
		ID: fmt.Sprintf("Gone%06d.", i) + strings.ToLower(g.of(countries)), Kind: catalog.Kind(g.IntN(2)), Name: g.name(), Country: g.of(append(countries, "")),
		Reason: g.of([]string{catalog.GoneClosed, catalog.GoneBlocked, catalog.GoneVanished}), Since: g.maybe("2023-04-05"), ReplacedBy: g.maybe("Channel0.br"),
	}
	for range g.IntN(3) {
		ch.AltNames = append(ch.AltNames, g.name())
	}
	return ch
}

var countries = strings.Fields("AR BR CN DE EG FR GB GR IL IN JP KR MX PT RU TH US XK ZA ZZ")

func labels(s string) (l catalog.Labels) {
	for i := range l {
		l[i] = fmt.Sprintf("%s <%d>", s, i)
	}
	return l
}

// A generator makes values up.
type generator struct{ *rand.Rand }

func (g *generator) chance(p float64) bool { return g.Float64() < p }

func (g *generator) maybe(s string) string {
	if g.chance(0.5) {
		return s
	}
	return ""
}

// of returns one of list; the first are the most frequent.
func (g *generator) of(list []string) string {
	return list[int(float64(len(list))*math.Pow(g.Float64(), 2))]
}

// some returns up to most of list, each once.
func (g *generator) some(list []string, most int) []string {
	var out []string
	seen := map[string]bool{}
	for range g.IntN(most + 1) {
		if s := g.of(list); !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func (g *generator) codes(prefix string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("%s%02d", prefix, i)
	}
	return out
}

func (g *generator) name() string {
	var words []string
	for range 1 + g.IntN(4) {
		if g.chance(0.15) {
			words = append(words, g.of(hostileWords))
		} else {
			words = append(words, g.of(plainWords))
		}
	}
	return strings.Join(words, " ")
}

func (g *generator) record(i int) catalog.Record {
	r := catalog.Record{
		ID: fmt.Sprintf("Channel%d.br", i), Name: g.name(), Country: g.of(append(countries, "")),
		Languages: g.some(g.codes("l", 35), 3), Network: g.maybe(g.of([]string{"Globo", "ARD", `Net"work`, "BBC & Co", "Ζ"})),
		Website: g.maybe("https://example.org/?a=1&b=" + g.of(hostileWords[:3])), Owners: g.some([]string{"A", "B & C", `D"E`}, 2),
		Subdivision: g.maybe(g.of(countries) + "-A"), City: g.maybe(g.of(countries) + "AAA"),
		Origin: g.of([]string{"iptv-org", "radio-browser", `own"`}), LogoSource: g.maybe("https://i.example/logo.png"),
	}
	switch g.IntN(40) {
	case 0:
		r.ID = fmt.Sprintf(`id "%d" /?#%%`, i) + g.of(hostileWords)
	case 1:
		r.ID = fmt.Sprintf("канал-%d", i)
	}
	for range g.IntN(3) * g.IntN(2) {
		r.AltNames = append(r.AltNames, g.name())
	}
	if g.chance(0.5) {
		g.station(&r)
	} else {
		g.channel(&r)
	}
	for k := range g.IntN(4) {
		r.Streams = append(r.Streams, g.stream(uint64(i)<<8|uint64(k)))
	}
	return r
}

func (g *generator) channel(r *catalog.Record) {
	r.Categories = g.some([]string{"general", "news", "music", "kids", "sports", "movies", `odd"one`, "unlisted"}, 3)
	for _, name := range g.some([]string{"SD", "HD", "Norte", "Sul", "東", "Canal+"}, 2) {
		r.FeedNames = append(r.FeedNames, catalog.FeedName{Feed: g.maybe(name), Name: name})
	}
	r.GuideSites = g.IntN(40) * g.IntN(2)
	r.Launched = g.maybe(fmt.Sprintf("19%02d-01-01", g.IntN(100)))
	r.ReplacedBy = g.maybe("Other.br")
	r.FeedName, r.FeedFormat = g.maybe("HD"), g.maybe("1080i")
	r.Timezones = g.some([]string{"America/Sao_Paulo", "Europe/Berlin"}, 2)
	r.BroadcastArea = g.some([]string{"c/BR", "s/BR-SP", "r/INT"}, 2)
	r.Quality = g.maybe("1080p")
	r.HasGuide = g.chance(0.2)
	if r.HasGuide {
		r.GuideSite, r.GuideLang = "guide.example", "pt"
	}
}

func (g *generator) station(r *catalog.Record) {
	r.Kind = catalog.Station
	r.Radio = &catalog.Radio{
		Tags:  append([]string{}, g.some([]string{"pop", "rock", "news", "80s", "música", `ta"g`, "jazz", "talk", "熱い"}, 4)...),
		Votes: int(math.Exp(g.Float64() * 10)), Clicks: g.IntN(100),
	}
	if codec := g.of([]string{"MP3", "AAC", "AAC+", "OGG"}); g.chance(0.9) {
		r.Radio.Codec = &codec
	}
	if rate := []int{64, 128, 192, 320}[g.IntN(4)]; g.chance(0.8) {
		r.Radio.Bitrate = &rate
	}
	if g.chance(0.2) {
		r.Radio.Geo = &catalog.Geo{Lat: g.Float64()*180 - 90, Lon: math.Round(g.Float64()*360-180) / 1e7}
	}
}

func (g *generator) stream(id uint64) catalog.StreamRecord {
	kind := g.of([]string{catalog.StreamHLS, catalog.StreamAudio, catalog.StreamDASH, catalog.StreamYouTube, catalog.StreamExternal})
	scheme := g.of([]string{"https", "http"})
	address := fmt.Sprintf("%s://host%d.example:8080/live/%d.m3u8?token=%d", scheme, g.IntN(50), id, g.IntN(100))
	switch kind {
	case catalog.StreamYouTube:
		address = "https://www.youtube.com/watch?v=abcdefghijk"
	case catalog.StreamExternal:
		address = "rtmp://host.example/live"
	}
	return catalog.StreamRecord{
		ID: catalog.StreamID(id * 0x9E3779B97F4A7C15), URL: address, Feed: g.maybe("SD"), Title: g.maybe(g.name()),
		Quality: g.of([]string{"1080p", "720p", "576i", "", "240p"}), Label: g.maybe("Geo-blocked"), Referrer: g.maybe("https://ref.example/"),
		UserAgent: g.maybe(`Mozilla "x"`), Kind: kind, Origin: "iptv-org", Playable: g.chance(0.6),
	}
}

// often are the shares of searches by some filters; any other filter is in one
// of twenty.
var often = map[filter.ID]float64{
	filter.Country: 0.25, filter.Category: 0.15, filter.Language: 0.15, filter.Quality: 0.1, filter.Tag: 0.1, filter.Genre: 0.1,
}

// Query returns a search made up by chance for the records of reg: mostly for
// what is there, with some that is not.
func Query(r *rand.Rand, reg *catalog.Register) index.Query {
	g := &generator{r}
	d := &reg.Records[g.IntN(len(reg.Records))]
	q := index.Query{Selection: filter.Selection{Playable: g.chance(0.6), Kind: []string{"", "tv", "radio", "all", "all"}[g.IntN(5)], Sort: []string{"", "name", "score", "votes", "popular"}[g.IntN(5)]}, Limit: []int{0, 1, 5, 20, 50}[g.IntN(5)], Offset: []int{0, 0, 0, 1, 7, 40, 100000}[g.IntN(7)]}
	set := func(p float64, field *string, value string) {
		if g.chance(p) {
			*field = value
		}
	}
	first := func(list []string) string {
		if len(list) == 0 {
			return g.of([]string{"", "nothing"})
		}
		return list[g.IntN(len(list))]
	}
	for id, f := range filter.All {
		switch f.Match {
		case filter.ByValue:
			p, ok := often[filter.ID(id)]
			if !ok {
				p = 0.05
			}
			set(p, q.Text(filter.ID(id)), first(f.Values(d)))
		case filter.ByFlag:
			*q.Flag(filter.ID(id)) = g.chance(0.05)
		}
	}
	set(0.5, &q.Q, g.query(d))
	if g.chance(0.1) {
		q.Near, q.Radius = g.place(d), g.IntN(501)
		if g.chance(0.5) {
			q.Sort = filter.ByDistance
		}
	}
	q.Stalled = g.chance(0.1)
	q.Scheduled = g.chance(0.05)
	set(0.5, &q.Home, g.of(countries))
	return q
}

// place returns a place to search around: that of d, or one where many stations are.
func (g *generator) place(d *catalog.Record) string {
	if d.Radio != nil && d.Radio.Geo != nil {
		return filter.PlaceText(*d.Radio.Geo)
	}
	return g.of([]string{"0,0", "40,0", "-0.001,-0.004", "89.9,120", "0,180", "no place"})
}

// query returns what someone may type who looks for d.
func (g *generator) query(d *catalog.Record) string {
	names := append([]string{d.Name}, d.AltNames...)
	for _, n := range d.FeedNames {
		names = append(names, d.Name+" "+n.Name)
	}
	name := names[g.IntN(len(names))]
	words := strings.Fields(name)
	switch {
	case len(words) == 0 || g.chance(0.03):
		return g.of([]string{"zzqx", "!!!", "nothing such"})
	case g.chance(0.3):
		return name
	}
	g.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
	words = words[:1+g.IntN(len(words))]
	letters := []rune(words[len(words)-1])
	words[len(words)-1] = string(letters[:1+g.IntN(len(letters))])
	return strings.ToUpper(strings.Join(words, " "))
}
