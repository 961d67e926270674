package reports

import (
	"context"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/social/report"
)

// maxOffset bounds what a page far down the list costs: each report before it
// is a read. Older reports can be found by their channel.
const maxOffset = 5000

type listIn struct {
	ChannelID string `query:"channel_id" maxLength:"128" description:"Catalog id of a channel, to list only its reports."`
	OK        string `query:"ok" enum:"0" description:"0 lists only failures; without it, all reports."`
	Limit     int    `query:"limit" default:"20" minimum:"1" cap:"50" description:"Number of reports on the page; more than 50 is reduced to 50."`
	Offset    int    `query:"offset" default:"0" minimum:"0" maximum:"5000" description:"Number of reports to skip."`
}

// A ReportPage is a page of the list of reports.
type ReportPage struct {
	Items         []RawReport   `json:"items" nullable:"false"`
	Limit         int           `json:"limit"`
	Offset        int           `json:"offset"`
	NextOffset    *int          `json:"next_offset" description:"Offset of the next page; null on the last page that can be requested."`
	RetentionDays int           `json:"retention_days" description:"Days after which a report is deleted."`
	Filters       ReportFilters `json:"filters" description:"The filters as they were understood."`
	API           string        `json:"api" format:"uri" description:"Address of the list."`
}

// ReportFilters say which reports a page is of.
type ReportFilters struct {
	ChannelID    *string `json:"channel_id"`
	OnlyFailures bool    `json:"only_failures" description:"True when successes are left out."`
}

// A RawReport is a report as it came.
type RawReport struct {
	ChannelID string  `json:"channel_id"`
	OK        bool    `json:"ok"`
	Code      *string `json:"code" enum:"cors,geo,sumiu,codec,playlist,sem_resposta,protocolo,sem_stream,outro" description:"Cause of a failure; null for a success."`
	IP        string  `json:"ip" description:"Network address of the caller; empty when unknown."`
	Browser   string  `json:"browser" description:"Name of the browser."`
	OS        string  `json:"os" description:"Name of the operating system."`
	Country   string  `json:"country"`
	Day       string  `json:"day" format:"date"`
	At        string  `json:"at" format:"date-time"`
}

func (s *Server) list(ctx context.Context, in listIn) (ReportPage, error) {
	page := ReportPage{Items: []RawReport{}, Limit: in.Limit, Offset: in.Offset, RetentionDays: report.RetentionDays, API: s.o.BaseURL + listPath}
	if in.ChannelID != "" {
		page.Filters.ChannelID = &in.ChannelID
	}
	page.Filters.OnlyFailures = in.OK == "0"
	records, err := report.List(ctx, s.o.Outbox.DB, report.Filter{
		Channel: in.ChannelID, Failures: page.Filters.OnlyFailures, Skip: in.Offset, Limit: in.Limit + 1,
	})
	if err != nil {
		return ReportPage{}, fault.OrUnavailable(err)
	}
	for _, r := range records {
		page.Items = append(page.Items, raw(r))
	}
	page.cut()
	return page, nil
}

// cut drops the report after the page, and sets where the next page begins.
func (p *ReportPage) cut() {
	if len(p.Items) <= p.Limit {
		return
	}
	p.Items = p.Items[:p.Limit]
	if next := p.Offset + p.Limit; next <= maxOffset {
		p.NextOffset = &next
	}
}

// raw returns a record as the operator sees it.
func raw(r report.Record) RawReport {
	out := RawReport{
		ChannelID: r.Channel, OK: r.OK, IP: r.IP, Browser: r.Browser, OS: r.OS, Country: r.Country,
		Day: r.Day, At: r.At.UTC().Format("2006-01-02T15:04:05Z"),
	}
	if r.Code != "" {
		out.Code = &r.Code
	}
	return out
}
