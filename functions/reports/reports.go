// Package reports is the function that takes play reports: where a channel
// plays, and where it does not. Package shared/social/report keeps them.
package reports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/environment"
	"miramundo.dev/shared/social/report"
)

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).report, api.Endpoint{
		Name: "report_play", Tool: true,
		Repeatable: true,
		Method:     "POST",
		Path:       catalog.ReportPath,
		Auth:       api.Guest,
		Summary:    "Report whether a channel played",
		Doc: "Adds a success or a failure to the channel's public counters and returns them. Each caller, channel, day and result " +
			"counts once; verdicts count each network once a day, and follow within seconds. The country, browser and system are " +
			"taken from the request, so report only what was really played here.",
		Faults: []*fault.Error{catalog.ErrNoChannel, catalog.ErrNotLoaded, fault.ErrUnavailable},
	}),
	api.Bind((*Server).list, api.Endpoint{
		Name:       "list_play_reports",
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

// Options are what a Server is made from.
type Options struct {
	Outbox  *outbox.Outbox // publishes reports; its database keeps them
	Catalog index.Viewer
	Overlay *social.Overlay
	People  *identity.People // names the networks of reports
	BaseURL string
	Now     func() time.Time
}

// A Server takes reports and lists them.
type Server struct {
	o      Options
	agents environment.Reader
}

// New returns a server of reports.
func New(o Options) *Server { return &Server{o: o} }

type reportIn struct {
	ChannelID string  `json:"channel_id" required:"true" minLength:"1" maxLength:"128" description:"Id of the channel."`
	OK        bool    `json:"ok" required:"true" description:"True when the channel played, false when it failed."`
	Code      *string `json:"code" enum:"cors,geo,sumiu,codec,playlist,sem_resposta,protocolo,sem_stream,outro" description:"Cause of a failure; without it, outro. Ignored when ok is true."`
}

// A Reported is the answer to a report.
type Reported struct {
	OK        bool           `json:"ok"`
	Counted   bool           `json:"counted" description:"False when the caller has already reported this result for the channel today."`
	Reason    string         `json:"reason,omitempty" enum:"ja_relatado_hoje" description:"Reason for which the report was not counted."`
	ChannelID string         `json:"channel_id"`
	Stats     catalog.Social `json:"stats" description:"Counters of the channel, this report included; reports of others may be some seconds late."`
	Health    string         `json:"health" format:"uri" description:"Address of the channel's health panel."`
}

// again is the reason for which a repeated report is not counted.
const again = "ja_relatado_hoje"

func (s *Server) report(ctx context.Context, in reportIn) (Reported, error) {
	speaker, ok := identity.SpeakerOf(ctx)
	if !ok {
		return Reported{}, identity.ErrCredential
	}
	r, err := s.read(ctx, speaker, in)
	if err != nil {
		return Reported{}, err
	}
	counts := s.counts(r.Channel) // before it can hold the report
	counted, err := report.Put(ctx, s.o.Outbox, r, addr(ctx))
	if err != nil {
		return Reported{}, fault.OrUnavailable(err)
	}
	out := Reported{OK: true, Counted: counted, ChannelID: r.Channel}
	if !counted {
		out.Reason = again
	}
	if counted {
		counts.Apply(r)
	} else if first, ok := s.missing(ctx, r.Key, counts); ok {
		counts.Apply(first)
	}
	out.Stats = health.Social(counts, placeOf(r))
	out.Health = catalog.LinkBase{Base: s.o.BaseURL}.Health(r.Channel)
	return out, nil
}

// read returns the report of a request, with the caller's browser, system, country and
// network.
func (s *Server) read(ctx context.Context, speaker identity.Speaker, in reportIn) (social.Report, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return social.Report{}, err
	}
	channel, ok := v.Item(in.ChannelID, 0)
	if !ok {
		return social.Report{}, v.NotFound(in.ChannelID)
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
	r.Key = keyOf(speaker.Owner, r)
	network := s.o.People.WiderNetwork(identity.Caller{Addr: api.AddrOf(ctx)}, identity.DayOf(r.At))
	r.Network = social.NetworkOf(network, r.Channel)
	r.Doubtful = r.At.Sub(speaker.Since) < health.KnownAfter || contradicts(channel.HealthExt, in.OK)
	return r, nil
}

// contradicts reports whether the last probe of a channel found the opposite of ok. A
// channel that was not measured contradicts nothing.
func contradicts(measured *catalog.MeasuredHealth, ok bool) bool {
	return measured != nil && measured.Online != ok
}

// keyOf returns the key of what an owner reports for a channel on a day.
func keyOf(owner identity.Owner, r social.Report) string {
	result := "fail"
	if r.OK {
		result = "ok"
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{string(owner), r.Channel, r.At.UTC().Format(time.DateOnly), result}, "\x00")))
	return hex.EncodeToString(sum[:])
}

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

// missing returns the report that was kept under a key before, when counts lack
// it: the caller who made it should not see it disappear.
func (s *Server) missing(ctx context.Context, key string, counts social.Counts) (social.Report, bool) {
	kept, err := report.Get(ctx, s.o.Outbox.DB, key)
	if err != nil {
		return social.Report{}, false // the answer is a little behind
	}
	first := kept.Report(key)
	lack := counts.Environments[placeOf(first).Key()].LastAt.Before(first.At)
	return first, lack
}
