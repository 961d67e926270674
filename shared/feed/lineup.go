package feed

import (
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/url"
	"strconv"
	"time"
)

// Players that speak Xtream Codes read a list as documents in JSON, which they ask for by
// actions. The names and the types of the members are those that panels of that protocol
// send: some numbers are texts, and a missing text is empty rather than null.

// A Lineup is a list as players of Xtream Codes read it. It does not change, and may be
// used concurrently.
type Lineup struct {
	categories []LiveCategory
	streams    []lined
	byNumber   map[int]int // indices in streams
	document   []byte      // all streams, as a list in JSON
	memory     int         // about what the rest takes, in bytes
}

// A lined is a stream of a lineup.
type lined struct {
	Lined
	category int
	json     []byte // a part of the document
}

// A Lined is what a lineup has to say of a stream besides its document.
type Lined struct {
	Number  int    // by which players ask for it
	Channel string // catalog id
	GuideID string // as guides have it
	URL     string // address that plays it
}

// A LiveCategory is a group of streams.
type LiveCategory struct {
	ID     string `json:"category_id" description:"Number of the sub-tab, as a text."`
	Name   string `json:"category_name" description:"Name of the sub-tab, after that of its folder in a whole library."`
	Parent int    `json:"parent_id" description:"Always 0."`
}

// A LiveStream is a channel or a station of a list.
type LiveStream struct {
	Num             int    `json:"num" description:"Position in the list, from 1."`
	Name            string `json:"name" description:"Name of the channel."`
	Type            string `json:"stream_type" enum:"live" description:"Always live."`
	ID              int    `json:"stream_id" description:"Number of the stream. It stays while the library is edited, and is never given to another channel of it."`
	Icon            string `json:"stream_icon" description:"Address of the channel's logo; empty when the channel has no logo."`
	GuideID         string `json:"epg_channel_id" description:"Id of the channel in the XMLTV guide; empty when the channel has left the catalog."`
	Added           string `json:"added" description:"Always 0: it is not known when the channel was added."`
	Adult           int    `json:"is_adult" description:"Always 0."`
	Category        string `json:"category_id" description:"Number of its category, as a text."`
	Categories      []int  `json:"category_ids" nullable:"false" description:"The same number in a list."`
	CustomSID       string `json:"custom_sid" description:"Always empty."`
	Archive         int    `json:"tv_archive" description:"Always 0: nothing is recorded."`
	Source          string `json:"direct_source" description:"Always empty: players open the stream by its number."`
	ArchiveDuration int    `json:"tv_archive_duration" description:"Always 0."`
}

// A Listings is programmes of one stream.
type Listings struct {
	Listings []Listing `json:"epg_listings" nullable:"false" description:"Programmes in order."`
}

// A Listing is a programme.
type Listing struct {
	ID          string `json:"id" description:"Start of the programme as Unix seconds, which no other programme of the stream has."`
	GuideID     string `json:"epg_id" description:"Number of the stream, as a text."`
	Title       string `json:"title" description:"Title in base64."`
	Lang        string `json:"lang" description:"Always empty: the language of the texts is not known."`
	Start       string `json:"start" description:"Start in UTC, such as 2026-11-22 12:00:00."`
	End         string `json:"end" description:"End in UTC, in the same form."`
	Description string `json:"description" description:"Description of the programme in base64; empty when the guide has none."`
	Channel     string `json:"channel_id" description:"Id of the channel in the XMLTV guide."`
	StartUnix   string `json:"start_timestamp" description:"Start as Unix seconds."`
	StopUnix    string `json:"stop_timestamp" description:"End as Unix seconds."`
	Stream      string `json:"stream_id" description:"Number of the stream, as a text."`
	Now         int    `json:"now_playing" minimum:"0" maximum:"1" description:"1 while the programme is on."`
	Archive     int    `json:"has_archive" description:"Always 0: nothing is recorded."`
}

// Lineup returns l for players of Xtream Codes: the entries of M3U that have a number, with
// the categories that hold one of them, both in the order of the list.
func (l *List) Lineup() *Lineup {
	u := &Lineup{byNumber: map[int]int{}, document: []byte{'['}}
	known := map[int]bool{}
	var ends []int
	for _, e := range l.media() {
		if _, twice := u.byNumber[e.Number]; twice || e.Number == 0 {
			continue
		}
		if !known[e.GroupNumber] {
			known[e.GroupNumber] = true
			u.categories = append(u.categories, LiveCategory{ID: strconv.Itoa(e.GroupNumber), Name: line(e.Group)})
		}
		u.byNumber[e.Number] = len(u.streams)
		one := Lined{e.Number, e.Channel, e.guideID(), escapeURL(e.URL)}
		u.streams = append(u.streams, lined{Lined: one, category: e.GroupNumber})
		u.memory += streamSize + len(one.Channel) + len(one.GuideID) + len(one.URL)
		text, _ := json.Marshal(e.live(len(u.streams))) // of texts and numbers: it does not fail
		u.document = append(append(u.document, text...), ',')
		ends = append(ends, len(u.document)-1)
	}
	start := 1
	for i, end := range ends {
		u.streams[i].json = u.document[start:end:end]
		start = end + 1
	}
	if len(ends) == 0 {
		u.document = append(u.document, ']')
	} else {
		u.document[len(u.document)-1] = ']'
	}
	return u
}

// live returns e as players read it, at a position from 1.
func (e *Entry) live(position int) LiveStream {
	name := line(e.Name)
	if name == "" {
		name = e.Channel
	}
	return LiveStream{
		Num: position, Name: name, Type: "live", ID: e.Number, Icon: escapeURL(e.Logo), GuideID: e.guideID(), Added: "0",
		Category: strconv.Itoa(e.GroupNumber), Categories: []int{e.GroupNumber},
	}
}

// Categories returns the categories.
func (u *Lineup) Categories() []LiveCategory {
	if u.categories == nil {
		return []LiveCategory{}
	}
	return u.categories
}

// Streams returns the streams of a category as a list of [LiveStream] in JSON: all for 0,
// and none for a number that no category has. Callers must not change it.
func (u *Lineup) Streams(category int) []byte {
	if category == 0 {
		return u.document
	}
	list := []byte{'['}
	for i := range u.streams {
		if u.streams[i].category != category {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, u.streams[i].json...)
	}
	return append(list, ']')
}

// File returns the document of all streams.
func (u *Lineup) File() File { return fileOf(u.document, JSONType, "") }

// Memory returns about how much memory u takes besides its document, in bytes; 0 for nil.
func (u *Lineup) Memory() int {
	if u == nil {
		return 0
	}
	return u.memory
}

// streamSize is about how many bytes a stream takes besides its texts, with its entry in
// byNumber.
const streamSize = 130

// Stream returns the stream with a number, and whether there is one.
func (u *Lineup) Stream(number int) (Lined, bool) {
	i, ok := u.byNumber[number]
	if !ok {
		return Lined{}, false
	}
	return u.streams[i].Lined, true
}

// Listings returns at most limit programmes of the stream, in order.
func (s *Lined) Listings(programmes iter.Seq[Programme], now time.Time, limit int) Listings {
	all := Listings{[]Listing{}}
	for p := range programmes {
		if len(all.Listings) >= limit {
			break
		}
		if line(p.Title) == "" || !p.Start.Before(p.Stop) { // as in guides
			continue
		}
		all.Listings = append(all.Listings, s.listing(&p, now))
	}
	return all
}

// listing returns a programme of the stream.
func (s *Lined) listing(p *Programme, now time.Time) Listing {
	number, start := strconv.Itoa(s.Number), unix(p.Start)
	l := Listing{
		ID: start, GuideID: number, Title: encoded(p.Title), Start: clock(p.Start), End: clock(p.Stop), Description: encoded(p.Desc),
		Channel: s.GuideID, StartUnix: start, StopUnix: unix(p.Stop), Stream: number,
	}
	if !now.Before(p.Start) && now.Before(p.Stop) {
		l.Now = 1
	}
	return l
}

// encoded returns a text in one line, in base64.
func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(line(text))) }

func unix(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }

// clock returns a time in UTC, as the time zone of the server says.
func clock(t time.Time) string { return t.UTC().Format(time.DateTime) }

// A PlayerAccount is what players of Xtream Codes read first: whether the login is valid, and
// where the server is.
type PlayerAccount struct {
	User   PlayerLogin  `json:"user_info" description:"The login."`
	Server PlayerServer `json:"server_info" description:"The server."`
}

// A PlayerLogin is a login.
type PlayerLogin struct {
	Username       string   `json:"username" description:"User name; empty unless the login is valid."`
	Password       string   `json:"password" description:"Password; empty unless the login is valid."`
	Message        string   `json:"message" description:"Reason why the login is not valid, in the language of the caller; empty for a valid login."`
	Auth           int      `json:"auth" minimum:"0" maximum:"1" description:"1 for a valid login, 0 for any other."`
	Status         string   `json:"status" enum:"Active,Disabled" description:"Active for a valid login, Disabled for any other."`
	Expires        *string  `json:"exp_date" description:"Always null: logins do not expire."`
	Trial          string   `json:"is_trial" description:"Always 0."`
	Active         string   `json:"active_cons" description:"Always 0: connections are not counted."`
	Created        string   `json:"created_at" description:"Always 0: it is not known when the login was made."`
	MaxConnections string   `json:"max_connections" description:"Number of streams that a player may open at once."`
	Formats        []string `json:"allowed_output_formats" nullable:"false" description:"Endings of the addresses of streams."`
}

// A PlayerServer is the server as players put addresses together.
type PlayerServer struct {
	Host      string `json:"url" description:"Host name, without scheme and port."`
	Port      string `json:"port" description:"Port of the server."`
	HTTPSPort string `json:"https_port" description:"Port for https; empty for a server of plain HTTP."`
	Protocol  string `json:"server_protocol" enum:"http,https" description:"Scheme of addresses."`
	RTMPPort  string `json:"rtmp_port" description:"Always empty."`
	Zone      string `json:"timezone" enum:"UTC" description:"Time zone of texts that are times."`
	Unix      int64  `json:"timestamp_now" description:"Time of the answer, as Unix seconds."`
	Now       string `json:"time_now" description:"Time of the answer in UTC, such as 2026-11-22 12:00:00."`
	Process   bool   `json:"process" description:"Always true."`
}

// connections is what players are told that they may open at once. There is no limit; at 1
// they would offer no second picture, and some take 0 for none.
const connections = "100"

// PlayerAccountOf returns the account of a valid login at the server with an address.
func PlayerAccountOf(username, password, base string, now time.Time) PlayerAccount {
	a := newAccount(base, now)
	a.User.Username, a.User.Password, a.User.Auth, a.User.Status = username, password, 1, "Active"
	return a
}

// RefusedPlayer returns the account of a login that is not valid, with the reason.
func RefusedPlayer(reason, base string, now time.Time) PlayerAccount {
	a := newAccount(base, now)
	a.User.Message, a.User.Status = reason, "Disabled"
	return a
}

// newAccount returns an account with what all have. Playlists are the only format: that is
// what the hop answers with, and a player that expects ts would not read it.
func newAccount(base string, now time.Time) PlayerAccount {
	return PlayerAccount{
		User:   PlayerLogin{Trial: "0", Active: "0", Created: "0", MaxConnections: connections, Formats: []string{"m3u8"}},
		Server: serverOf(base, now),
	}
}

// serverOf returns the server with an address. A base that is no URL gives an empty host.
func serverOf(base string, now time.Time) PlayerServer {
	s := PlayerServer{Protocol: "https", Zone: "UTC", Unix: now.Unix(), Now: clock(now), Process: true}
	u, err := url.Parse(base)
	if err != nil {
		return s
	}
	s.Host, s.Port, s.Protocol = u.Hostname(), u.Port(), u.Scheme
	switch {
	case s.Port == "" && u.Scheme == "https":
		s.Port = "443"
	case s.Port == "":
		s.Port = "80"
	}
	if u.Scheme == "https" {
		s.HTTPSPort = s.Port
	}
	return s
}
