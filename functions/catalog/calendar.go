package catalog

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	ics "github.com/arran4/golang-ical"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

const calendarType = "text/calendar"

// calendarEndpoint is a programme as a file for calendars.
var calendarEndpoint = api.Bind((*Server).calendar, api.Endpoint{
	Name:    "get_programme_calendar",
	Method:  "GET",
	Path:    catalog.ChannelsPath + "/{id}/guia.ics",
	Auth:    api.None,
	Summary: "Get a programme as a calendar file",
	Doc: "Returns one programme of a channel as an iCalendar file with one event, to be imported by a calendar: its title, " +
		"hours and description, with a link to the page of the channel. It answers 404 when the channel has no programme " +
		"that starts at that second.",
	Faults:   []*fault.Error{catalog.ErrNoChannel, guide.ErrNoGuide, catalog.ErrNotLoaded},
	Cache:    api.Public(longest),
	Produces: []string{calendarType},
})

type calendarIn struct {
	ID    string `path:"id" description:"The channel's catalog id."`
	Start string `query:"start" required:"true" maxLength:"20" pattern:"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z$" description:"Start of the programme in UTC, as the guide has it, such as 2026-11-28T20:00:00Z."`
	Lang  string `query:"lang" maxLength:"16" description:"Language of the page that the event links to: pt, en, es, fr or de. Without it, Accept-Language decides."`
}

func (s *Server) calendar(ctx context.Context, in calendarIn) (api.Content, error) {
	v, err := s.Catalog.View()
	if err != nil {
		return api.Content{}, err
	}
	channel, ok := v.Summary(in.ID)
	if !ok {
		return api.Content{}, v.NotFound(in.ID)
	}
	start, err := time.Parse(time.RFC3339, in.Start)
	if err != nil {
		return api.Content{}, fault.ErrInvalid.With("param", "start")
	}
	p, ok := s.Guide.At(channel.ID, start)
	if !ok {
		return api.Content{}, guide.ErrNoGuide
	}
	e := event{channel: channel.ID, name: channel.Name, p: p, at: s.Now(), page: s.Links.Base + site.Channel.Path(api.LocaleOf(ctx), channel.ID)}
	return api.Content{Type: calendarType + "; charset=utf-8", Data: e.file(api.LocaleOf(ctx)), File: "programme.ics"}, nil
}

// An event is a programme of a channel in a calendar.
type event struct {
	channel, name string
	page          string // URL of the channel's page
	p             guide.Programme
	at            time.Time // when the file is made
}

// file returns the event as a calendar of RFC 5545. The same programme has the same
// identifier each time, so that importing it twice adds no second event.
func (e *event) file(l i18n.Locale) []byte {
	c := ics.NewCalendarFor("Miramundo")
	c.SetProductId("-//Miramundo//Guide//" + strings.ToUpper(l.Tag()))
	c.SetMethod(ics.MethodPublish)
	v := c.AddEvent(fmt.Sprintf("%d-%s@miramundo", e.p.Start.Unix(), printable(e.channel)))
	v.SetDtStampTime(e.at)
	v.SetStartAt(e.p.Start)
	v.SetEndAt(e.p.Stop)
	v.SetSummary(printable(e.p.Title))
	v.SetLocation(printable(e.name))
	if e.p.Desc != "" {
		v.SetDescription(printable(e.p.Desc))
	}
	v.SetURL(e.page)
	v.SetTimeTransparency(ics.TransparencyTransparent) // it does not make somebody busy
	return []byte(c.Serialize(ics.WithNewLine("\r\n")))
}

// printable returns text with a space in place of each control character, which
// the format has no escape for.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
}
