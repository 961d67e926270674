package reports

import (
	"context"

	"miramundo.dev/shared/store"
)

// maxOffset bounds what a page far down the list costs: each report before it
// is a read. Who wants older ones asks for a channel.
const maxOffset = 5000

type listIn struct {
	ChannelID string `query:"channel_id" maxLength:"128" description:"Only the reports of a channel."`
	OK        string `query:"ok" enum:"0" description:"0: only failures."`
	Limit     int    `query:"limit" default:"20" minimum:"1" cap:"50" description:"Reports of a page."`
	Offset    int    `query:"offset" default:"0" minimum:"0" maximum:"5000" description:"Reports before the page."`
}

// A ReportPage is a page of the list of reports.
type ReportPage struct {
	Items         []RawReport   `json:"items" nullable:"false"`
	Limit         int           `json:"limit"`
	Offset        int           `json:"offset"`
	NextOffset    *int          `json:"next_offset" description:"Null on the last page that can be asked for."`
	RetentionDays int           `json:"retention_days" description:"After which a report is deleted."`
	Filters       ReportFilters `json:"filters"`
	API           string        `json:"api" format:"uri" description:"Address of the list."`
}

// ReportFilters say which reports a page is of.
type ReportFilters struct {
	ChannelID    *string `json:"channel_id"`
	OnlyFailures bool    `json:"only_failures"`
}

// A RawReport is one as it came.
type RawReport struct {
	ChannelID string  `json:"channel_id"`
	OK        bool    `json:"ok"`
	Code      *string `json:"code"`
	IP        string  `json:"ip" description:"Empty when it was not known."`
	Browser   string  `json:"browser"`
	OS        string  `json:"os"`
	Country   string  `json:"country"`
	Day       string  `json:"day" format:"date"`
	At        string  `json:"at" format:"date-time"`
}

func (s *Server) list(ctx context.Context, in listIn) (ReportPage, error) {
	page := ReportPage{Items: []RawReport{}, Limit: in.Limit, Offset: in.Offset, RetentionDays: RetentionDays, API: s.o.BaseURL + listPath}
	if in.ChannelID != "" {
		page.Filters.ChannelID = &in.ChannelID
	}
	page.Filters.OnlyFailures = in.OK == "0"
	n := 0
	for doc, err := range s.o.DB.Query(ctx, page.query()) {
		if err != nil {
			return ReportPage{}, told(err)
		}
		if n++; n <= in.Offset {
			continue
		}
		var kept record
		if err := doc.Decode(&kept); err != nil {
			return ReportPage{}, err
		}
		page.Items = append(page.Items, kept.raw())
	}
	page.cut()
	return page, nil
}

// query finds the reports of p, those before it and one after it.
func (p ReportPage) query() store.Query {
	q := store.Query{Collection: collection, OrderBy: "at", Desc: true, Limit: p.Offset + p.Limit + 1}
	if p.Filters.ChannelID != nil {
		q.Where = append(q.Where, store.Filter{Field: "channel_id", Op: store.Eq, Value: *p.Filters.ChannelID})
	}
	if p.Filters.OnlyFailures {
		q.Where = append(q.Where, store.Filter{Field: "ok", Op: store.Eq, Value: false})
	}
	return q
}

// cut drops the report after p, and says where the next page is.
func (p *ReportPage) cut() {
	if len(p.Items) <= p.Limit {
		return
	}
	p.Items = p.Items[:p.Limit]
	if next := p.Offset + p.Limit; next <= maxOffset {
		p.NextOffset = &next
	}
}

func (r record) raw() RawReport {
	out := RawReport{
		ChannelID: r.Channel, OK: r.OK, IP: r.IP, Browser: r.Browser, OS: r.OS, Country: r.Country,
		Day: r.Day, At: r.At.UTC().Format("2006-01-02T15:04:05Z"),
	}
	if r.Code != "" {
		out.Code = &r.Code
	}
	return out
}
