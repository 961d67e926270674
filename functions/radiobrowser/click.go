package radiobrowser

import (
	"context"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/input"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
)

type clickIn struct {
	Format string `path:"format" enum:"json,xml,m3u,pls" description:"Format of the answer."`
	UUID   string `path:"uuid" maxLength:"64" description:"Id of the station."`
}

type clickForm struct {
	input.Form
	clickIn
}

// A clicked says where a station plays.
type clicked struct {
	OK          bool   `json:"ok" description:"Whether the last check found the station usable."`
	Message     string `json:"message" description:"Result in words."`
	StationUUID string `json:"stationuuid" description:"Id of the station."`
	Name        string `json:"name" description:"Name of the station."`
	URL         string `json:"url" format:"uri" description:"Address that plays it."`
}

// A clickAnswer is a clicked in a format, or a playlist of one station.
type clickAnswer struct{ api.Content }

// Schema returns the shape of the answer in JSON.
func (clickAnswer) Schema() any { return clicked{} }

func (s *Server) clickBy(ctx context.Context, in clickForm) (clickAnswer, error) {
	return s.click(ctx, in.clickIn)
}

// click returns the address of a station, and counts that the caller plays it.
func (s *Server) click(ctx context.Context, in clickIn) (clickAnswer, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return clickAnswer{}, err
	}
	t := s.tables.of(v)
	doc, ok := v.Number(idOf(in.UUID))
	if !ok {
		return clickAnswer{}, catalog.ErrNoChannel
	}
	i, ok := t.find(doc)
	if !ok {
		return clickAnswer{}, catalog.ErrNoChannel
	}
	one, ok := shown(v, &t.stations[i], stamp(v.BuiltAt()))
	if !ok {
		return clickAnswer{}, catalog.ErrNoChannel
	}
	s.count(ctx, t.stations[i].ID)
	if in.Format == "m3u" || in.Format == "pls" {
		return clickAnswer{playlist([]station{one}, in.Format)}, nil
	}
	answer := clicked{OK: one.LastCheckOK == 1, Message: "retrieved station url", StationUUID: one.StationUUID, Name: one.Name, URL: one.URL}
	if in.Format == "xml" {
		return clickAnswer{elements("status", []clicked{answer}, (*clicked).pairs)}, nil
	}
	c, err := inJSON(answer)
	return clickAnswer{c}, err
}

func (c *clicked) pairs() []pair {
	ok := "false"
	if c.OK {
		ok = "true"
	}
	return []pair{{"ok", ok}, {"message", c.Message}, {"stationuuid", c.StationUUID}, {"name", c.Name}, {"url", c.URL}}
}

// publishTime is how long the caller waits for the bus to take a play.
const publishTime = 2 * time.Second

// count publishes that the caller plays a channel, for the first time on this day. The
// address is given all the same when the bus does not take it: the next click counts then.
func (s *Server) count(ctx context.Context, channel string) {
	who := identity.Caller{Addr: api.AddrOf(ctx), Country: api.CountryOf(ctx), UserAgent: api.UserAgentOf(ctx)}
	play, mark, ok := s.plays.First(who, channel, s.o.Now())
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, publishTime)
	defer cancel()
	event, err := play.Event()
	if err == nil {
		err = s.o.Bus.Publish(ctx, social.Plays, event)
	}
	if err != nil {
		s.plays.Forget(mark)
		s.o.Log.WarnContext(ctx, "a click of a radio station was not counted", "error", err)
	}
}
