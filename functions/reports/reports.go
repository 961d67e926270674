// Package reports is the function by which people tell where a channel plays
// and where it does not.
//
// It keeps these documents:
//
//	reports/{key}    a record, for 30 days
//
// The key is that of the event: one for each person, channel, day and result.
// The event is published first. So a report that was acknowledged is always
// counted, by one write; one that was not, because the process or the database
// failed in between, may be: when it is sent again, that counts nothing more.
package reports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"log/slog"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/environment"
	"miramundo.dev/shared/store"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).report, api.Endpoint{
		Method:  "POST",
		Path:    catalog.ReportPath,
		Auth:    api.Guest,
		Summary: "Report whether a channel played",
		Doc: "Adds a success or a failure to the channel's public counters and returns them. Each caller, channel, day and result " +
			"counts once: a repetition answers counted false and changes nothing. The country, browser and system are taken from " +
			"the request, so report only what was really played here.",
		Tool:   "report_play",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).list, api.Endpoint{
		Method:     "GET",
		Path:       listPath,
		Auth:       api.Operator,
		Credential: api.MetricsToken,
		Summary:    "List the raw play reports",
		Doc: "Returns a page of the single reports, newest first, with the network address that each came from. They are deleted " +
			"after 30 days. For totals without addresses use GET /api/channels/{id}/health.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

const listPath = "/api/play-reports"

// A Viewer shows the catalog of the moment, or says ErrNotLoaded.
type Viewer interface {
	View() (*index.View, error)
}

// Options are what a Server is made from.
type Options struct {
	DB      store.DB
	Bus     bus.Bus
	Catalog Viewer
	Overlay *social.Overlay
	BaseURL string
	Log     *slog.Logger
	Now     func() time.Time
}

// A Server takes reports and lists them.
type Server struct {
	o      Options
	outbox *Outbox
	agents environment.Reader
}

// New returns a server that keeps reports in o.DB and publishes them.
func New(o Options) *Server {
	return &Server{o: o, outbox: NewOutbox(o.DB, o.Bus, o.Log, o.Now)}
}

type reportIn struct {
	ChannelID string  `json:"channel_id" required:"true" minLength:"1" maxLength:"128"`
	OK        bool    `json:"ok" required:"true" description:"It plays."`
	Code      *string `json:"code" enum:"cors,geo,sumiu,codec,playlist,sem_resposta,protocolo,sem_stream,outro" description:"Why it does not; without it, outro."`
}

// A Reported is the answer to a report.
type Reported struct {
	OK        bool           `json:"ok"`
	Counted   bool           `json:"counted" description:"False when the caller has told this result of the channel today."`
	Reason    string         `json:"reason,omitempty" enum:"ja_relatado_hoje" description:"Why it was not counted."`
	ChannelID string         `json:"channel_id"`
	Stats     catalog.Social `json:"stats" description:"With this report, and else some seconds old."`
	Health    string         `json:"health" format:"uri" description:"Address of the channel's health panel."`
}

// again is the reason of a report that was told before.
const again = "ja_relatado_hoje"

func (s *Server) report(ctx context.Context, in reportIn) (Reported, error) {
	who, ok := identity.SpeakerOf(ctx)
	if !ok {
		return Reported{}, identity.ErrCredential
	}
	r, err := s.read(ctx, who.Owner, in)
	if err != nil {
		return Reported{}, err
	}
	counts := s.counts(r.Channel) // before it can hold the report
	counted, err := s.outbox.Put(ctx, r, addr(ctx))
	if err != nil {
		return Reported{}, told(err)
	}
	out := Reported{OK: true, Counted: counted, ChannelID: r.Channel}
	if !counted {
		out.Reason = again
	}
	if counted {
		counts.Apply(r)
	} else if first, ok := s.late(ctx, r.Key, counts); ok {
		counts.Apply(first)
	}
	out.Stats = health.Social(counts, placeOf(r))
	out.Health = s.o.BaseURL + "/api/channels/" + url.PathEscape(r.Channel) + "/health"
	return out, nil
}

// read makes the report of what a caller says, and of what is known of where
// the caller is.
func (s *Server) read(ctx context.Context, who identity.Owner, in reportIn) (social.Report, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return social.Report{}, err
	}
	channel, ok := v.Item(in.ChannelID, 0)
	if !ok {
		return social.Report{}, catalog.ErrNoChannel
	}
	names := s.agents.Read(api.UserAgentOf(ctx))
	r := social.Report{
		Channel: channel.ID, OK: in.OK,
		Browser: names.Browser, OS: names.OS, Country: social.Country(api.CountryOf(ctx)),
		At: s.o.Now().UTC(),
	}
	if !in.OK {
		r.Code = social.OtherCode
		if in.Code != nil {
			r.Code = *in.Code
		}
	}
	r.Key = keyOf(who, r)
	return r, nil
}

// keyOf names what the owner tells of a channel on a day.
func keyOf(who identity.Owner, r social.Report) string {
	result := "fail"
	if r.OK {
		result = "ok"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(who), r.Channel, dayOf(r.At), result}, "\x00")))
	return hex.EncodeToString(sum[:])
}

func dayOf(t time.Time) string { return t.UTC().Format(time.DateOnly) }

func placeOf(r social.Report) social.Place {
	return social.Place{Browser: r.Browser, OS: r.OS, Country: r.Country}
}

func addr(ctx context.Context) string {
	if a := api.AddrOf(ctx); a.IsValid() {
		return a.String()
	}
	return ""
}

// counts returns a copy of what the overlay shows of a channel.
func (s *Server) counts(channel string) social.Counts {
	if c, ok := s.o.Overlay.Counts(channel); ok {
		return c.Clone()
	}
	return social.Counts{}
}

// late returns the report that was told before by a key, as it was then, when
// counts lack it: the one who told it should not see it go again.
func (s *Server) late(ctx context.Context, key string, counts social.Counts) (social.Report, bool) {
	first, err := s.outbox.find(ctx, key)
	if err != nil {
		return social.Report{}, false // the answer is a little behind
	}
	lack := counts.Environments[first.place().Key()].LastAt.Before(first.At.Time)
	return first.event(key), lack
}

// told returns what the caller is told of err: that the service cannot take
// reports now, when it is no fault and so comes from below the domain.
func told(err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind != fault.Internal {
		return err
	}
	return fault.ErrUnavailable.Because(err)
}
