package feeds

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/library"
)

// Players of the protocol of Xtream Codes log in to a server with a user name and a
// password, in place of subscribing to an address. They get the same channels as from the
// feed, at the same cost. Of the protocol there is what live channels need: films, series
// and recordings are answered as empty lists.

// lineup is the format in which a library is cached for these players.
const lineup = "lineup"

// xtream are the endpoints of these players.
var xtream = []api.Endpoint{
	api.Bind((*Server).player, playerEndpoint("get_player_api", http.MethodGet)),
	api.Bind((*Server).playerPost, playerEndpoint("send_player_api", http.MethodPost)),
	api.Bind((*Server).playerList, api.Endpoint{
		Name: "get_player_list", Method: http.MethodGet, Path: library.ListPath, Auth: api.None,
		Summary: "Get the playlist of a login",
		Doc:     "Returns the channels of a library, of a folder or of a sub-tab as M3U, as its feed has them, for players that log in by Xtream Codes. Replacing the feed token revokes the login.",
		Cache:   perOwner, Faults: failures, Produces: []string{feed.M3UType}, Uncrawled: true,
	}),
	api.Bind((*Server).playerGuide, api.Endpoint{
		Name: "get_player_guide", Method: http.MethodGet, Path: library.GuidePath, Auth: api.None,
		Summary: "Get the programme guide of a login",
		Doc:     "Returns the programmes of the channels of a login as an XMLTV guide, for players that log in by Xtream Codes.",
		Cache:   perOwner, Faults: failures, Produces: []string{feed.GuideType}, Uncrawled: true,
	}),
	api.Bind((*Server).live, api.Endpoint{
		Name: "get_player_stream", Method: http.MethodGet, Path: library.LivePath + "/{username}/{password}/{stream}", Auth: api.None,
		Summary: "Open a stream of a login",
		Doc:     "Redirects to the address that plays a channel, which its feed has too, for players that log in by Xtream Codes. The bytes never pass through this service.",
		Status:  http.StatusFound, Faults: failures, Uncrawled: true,
	}),
}

// playerEndpoint returns the endpoint of the documents of a login.
func playerEndpoint(name, method string) api.Endpoint {
	e := api.Endpoint{
		Name: name, Method: method, Path: library.PlayerPath, Auth: api.None,
		Summary: "Get a library as Xtream Codes",
		Doc: "Returns what action names: categories, streams or programmes, or the account for any other action. A login that is not valid is answered " +
			"with the account of auth 0, as players expect.",
		Cache: perOwner, Faults: []*fault.Error{catalog.ErrNotLoaded, fault.ErrUnavailable}, Uncrawled: true,
	}
	if method == http.MethodPost {
		e.Summary = "Send a request of Xtream Codes"
		e.Doc = "Does what GET does. Parameters may be in the query, in a form or in a JSON object; those of the body count first."
		e.MaxBody, e.Repeatable = maxForm, true
	}
	return e
}

// maxForm is the greatest body, in bytes: room for every parameter at its longest.
const maxForm = 4 << 10

// The greatest numbers of programmes in an answer: of get_short_epg without a limit, as
// panels of the protocol have it, and of get_simple_data_table.
const (
	fewProgrammes = 4
	maxProgrammes = 1000
)

// A playerIn is what players ask for. Some send 0 for what they do not mean.
type playerIn struct {
	Username string `query:"username" maxLength:"64" description:"First 8 characters of the feed token. A hyphen and the first 8 characters of the id of a folder or sub-tab, without its prefix, may follow: then the login opens that alone."`
	Password string `query:"password" maxLength:"64" description:"The other 18 characters of the feed token, a secret that grants reading."`
	Action   string `query:"action" maxLength:"64" description:"get_live_categories, get_live_streams, get_short_epg or get_simple_data_table. The six actions of films and series are answered with an empty list, and any other with the account."`
	Category int    `query:"category_id" default:"0" minimum:"0" maximum:"2147483647" description:"Category to which get_live_streams is limited; 0 for all."`
	Stream   int    `query:"stream_id" default:"0" minimum:"0" maximum:"2147483647" description:"Stream whose programmes get_short_epg and get_simple_data_table return."`
	Limit    int    `query:"limit" default:"4" minimum:"0" cap:"1000" description:"Greatest number of programmes of get_short_epg; 0 means 4."`
}

// inForms decodes what players ask for in a body.
var inForms = func() *input.Plan {
	p, err := input.Compile(reflect.TypeFor[playerIn](), "")
	if err != nil {
		panic(err)
	}
	return p
}()

type playerPostIn struct {
	playerIn
	Form []byte `body:"application/x-www-form-urlencoded,text/plain,application/octet-stream" empty:"true" description:"The parameters as a form, such as action=get_live_streams, or as an object in JSON, which some players send as text."`
	JSON []byte `body:"application/json" empty:"true" description:"The parameters as the members of an object."`
}

func (s *Server) player(ctx context.Context, in playerIn) (playerAnswer, error) {
	return s.document(ctx, in)
}

func (s *Server) playerPost(ctx context.Context, in playerPostIn) (playerAnswer, error) {
	form := string(in.Form) + string(in.JSON) // one of which is empty
	if strings.HasPrefix(strings.TrimSpace(form), "{") || len(in.JSON) > 0 {
		var err error
		if form, err = formOf(form); err != nil {
			return playerAnswer{}, err
		}
	}
	if err := inForms.Decode(&http.Request{URL: &url.URL{RawQuery: form}}, reflect.ValueOf(&in.playerIn).Elem(), 0); err != nil {
		return playerAnswer{}, err
	}
	return s.document(ctx, in.playerIn)
}

// formOf returns the members of a JSON object that are texts or numbers, as a form.
func formOf(object string) (string, error) {
	members, err := input.Object([]byte(object))
	if err != nil {
		return "", err
	}
	form := url.Values{}
	for name, raw := range members {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			text = string(raw) // a number; anything else is refused like a text that is not one
		}
		if text != "null" {
			form.Set(name, text)
		}
	}
	return form.Encode(), nil
}

// A playerAnswer is a document for a player.
type playerAnswer struct{ api.Content }

// Shapes returns a value of each document.
func (playerAnswer) Shapes() []any {
	return []any{feed.PlayerAccount{}, []feed.LiveCategory{}, []feed.LiveStream{}, feed.Listings{}}
}

// answerOf returns a document as an answer.
func answerOf(document any) (playerAnswer, error) {
	data, err := json.Marshal(document)
	return playerAnswer{api.Content{Type: feed.JSONType, Data: data}}, err
}

// A login is a valid login with the channels that it opens.
type login struct {
	username, password string
	lineup             *feed.Lineup
	document           api.Content // all streams
}

// open returns what a user name and a password open, or ErrNoFeed. It reads two documents.
func (s *Server) open(ctx context.Context, username, password string) (*login, error) {
	token, part := library.ParseLogin(username, password)
	f, err := s.feed(ctx, token, place{part: part}, lineup)
	if err != nil {
		return nil, err
	}
	l := &login{lineup: f.lineup, document: f.Content}
	l.username, l.password = library.LoginOf(token, part)
	return l, nil
}

// lineupOf returns a list for players as a file to cache: the document of all its streams.
func lineupOf(l *feed.List) file {
	u := l.Lineup()
	return file{Content: api.Content(u.File()), lineup: u}
}

// emptyActions are those of films and series, of which there are none.
var emptyActions = map[string]bool{
	"get_vod_categories": true, "get_vod_streams": true, "get_vod_info": true,
	"get_series_categories": true, "get_series": true, "get_series_info": true,
}

// document returns what a player asks for.
func (s *Server) document(ctx context.Context, in playerIn) (playerAnswer, error) {
	l, err := s.open(ctx, in.Username, in.Password)
	switch {
	case errors.Is(err, library.ErrNoFeed):
		return s.refuse(ctx)
	case err != nil:
		return playerAnswer{}, err
	}
	switch in.Action {
	case "get_live_categories":
		return answerOf(l.lineup.Categories())
	case "get_live_streams":
		if in.Category == 0 {
			return playerAnswer{l.document}, nil
		}
		return playerAnswer{api.Content{Type: feed.JSONType, Data: l.lineup.Streams(in.Category)}}, nil
	case "get_short_epg":
		if in.Limit == 0 {
			in.Limit = fewProgrammes
		}
		return s.listings(l.lineup, in.Stream, s.now(), in.Limit)
	case "get_simple_data_table":
		return s.listings(l.lineup, in.Stream, midnight(s.now()), maxProgrammes)
	}
	if emptyActions[in.Action] {
		return answerOf([]struct{}{})
	}
	return s.account(l)
}

// account returns the account of a login.
func (s *Server) account(l *login) (playerAnswer, error) {
	v, err := s.catalog.View()
	if err != nil {
		return playerAnswer{}, err
	}
	return answerOf(feed.PlayerAccountOf(l.username, l.password, v.Links().Base, s.now()))
}

// refuse returns the account of a login that is not valid.
func (s *Server) refuse(ctx context.Context) (playerAnswer, error) {
	v, err := s.catalog.View()
	if err != nil {
		return playerAnswer{}, err
	}
	return answerOf(feed.RefusedPlayer(api.Message(api.LocaleOf(ctx), library.ErrNoFeed), v.Links().Base, s.now()))
}

// listings returns the programmes of a stream that end after from; none of a number that
// no stream has.
func (s *Server) listings(u *feed.Lineup, number int, from time.Time, limit int) (playerAnswer, error) {
	stream, ok := u.Stream(number)
	if !ok {
		return answerOf(feed.Listings{Listings: []feed.Listing{}})
	}
	return answerOf(stream.Listings(s.programmes(stream.Channel, from), s.now(), limit))
}

type playerListIn struct {
	Username string `query:"username" maxLength:"64" description:"First 8 characters of the feed token. A hyphen and the first 8 characters of the id of a folder or sub-tab, without its prefix, may follow: then the login opens that alone."`
	Password string `query:"password" maxLength:"64" description:"The other 18 characters of the feed token, a secret that grants reading."`
	Type     string `query:"type" default:"m3u_plus" enum:"m3u,m3u_plus" description:"Kind of the playlist; both are M3U with the attributes of players."`
	Output   string `query:"output" maxLength:"16" description:"Format of streams, such as m3u8, hls or ts. It changes nothing: addresses are those of the feed."`
}

func (s *Server) playerList(ctx context.Context, in playerListIn) (file, error) {
	token, part := library.ParseLogin(in.Username, in.Password)
	return s.feed(ctx, token, place{part: part}, feed.M3U)
}

type playerGuideIn struct {
	Username string `query:"username" maxLength:"64" description:"First 8 characters of the feed token. A hyphen and the first 8 characters of the id of a folder or sub-tab, without its prefix, may follow: then the login opens that alone."`
	Password string `query:"password" maxLength:"64" description:"The other 18 characters of the feed token, a secret that grants reading."`
}

func (s *Server) playerGuide(ctx context.Context, in playerGuideIn) (file, error) {
	token, part := library.ParseLogin(in.Username, in.Password)
	return s.feed(ctx, token, place{part: part}, feed.XMLTV)
}

type liveIn struct {
	Username string `path:"username" maxLength:"64" description:"First 8 characters of the feed token. A hyphen and the first 8 characters of the id of a folder or sub-tab, without its prefix, may follow: then the login opens that alone."`
	Password string `path:"password" maxLength:"64" description:"The other 18 characters of the feed token, a secret that grants reading."`
	Stream   string `path:"stream" maxLength:"32" description:"Number of the stream, alone or followed by .m3u8 or .ts, which changes nothing."`
}

func (s *Server) live(ctx context.Context, in liveIn) (found, error) {
	number, ok := numberOf(in.Stream)
	if !ok {
		return "", library.ErrNoFeed
	}
	l, err := s.open(ctx, in.Username, in.Password)
	if err != nil {
		return "", err
	}
	stream, ok := l.lineup.Stream(number)
	if !ok {
		return "", library.ErrNoFeed
	}
	return found(stream.URL), nil
}

// numberOf returns the number in the name of a stream.
func numberOf(name string) (int, bool) {
	digits, ok := strings.CutSuffix(name, catalog.PlaylistExt)
	if !ok {
		digits = strings.TrimSuffix(name, ".ts")
	}
	n, err := strconv.ParseUint(digits, 10, 31)
	return int(n), err == nil
}

// A found is the address of a stream.
type found string

// Reply redirects.
func (f found) Reply(w http.ResponseWriter, _ *http.Request) error {
	return api.Redirect(w, string(f), http.StatusFound)
}
