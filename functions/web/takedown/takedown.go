// Package takedown serves the pages about takedown requests: the form by which rights
// holders send one and others answer a block, and the public log.
//
// The form is sent by a script, because the challenge that distinguishes a person from a
// program is one too; without a script the page names the operator's mail address. The
// script also shows the status of a request to whom follows the link of its receipt.
package takedown

import (
	"context"
	"slices"
	"time"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/takedown"
)

// Endpoints are the pages of this package in every locale.
var Endpoints = slices.Concat(
	page.Endpoints(site.Takedown, "Show the form of takedown requests",
		"Returns the page with the form by which rights holders ask for a takedown, or by which a listed one is answered.", (*Server).form),
	page.Endpoints(site.Transparency, "Show the takedown requests",
		"Returns the page that lists takedown requests and what was decided, as GET /api/takedowns does.", (*Server).log, fault.ErrUnavailable),
)

// A Log provides the public log; a takedown.Desk is one.
type Log interface {
	Public(ctx context.Context, skip, limit int) ([]takedown.Entry, takedown.Totals, error)
}

// Options are what a Server needs.
type Options struct {
	Pages  *page.Renderer
	Log    Log          // nil to show an empty log
	Widget human.Widget // zero where people cannot send the form
	Email  string       // address for rights holders; empty to show none
}

// A Server serves the pages of this package.
type Server struct{ o Options }

// New returns a server of the pages of this package.
func New(o Options) *Server { return &Server{o} }

type formIn struct {
	Answers int `query:"answers" default:"0" minimum:"0" maximum:"999999999" description:"Number of the listed takedown that a counter-notice is about; 0 shows the form of a request."`
}

// A formBody is the body of the page of the form.
type formBody struct {
	Widget  human.Widget
	Email   string
	Answers int // the takedown that a counter-notice is about; 0 for a request
	Kinds   []takedown.Kind
	Longest int // number of targets
}

var kinds = []takedown.Kind{takedown.Copyright, takedown.Trademark, takedown.Personal, takedown.Court, takedown.Other}

func (s *Server) form(_ context.Context, l i18n.Locale, in formIn) (*page.Rendered, error) {
	v := s.o.Pages.View(site.Takedown, l, formBody{s.o.Widget, s.o.Email, in.Answers, kinds, takedown.MaxTargets})
	v.Provider = s.o.Widget.Origin()
	v.Areas = append(v.Areas, "contact")
	v.Modules = []string{"takedown"}
	return v.Show()
}

// pageSize is how many entries of the log a page has.
const pageSize = 25

type logIn struct {
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of entries to skip, the newest first."`
}

// A logBody is the body of the page of the log.
type logBody struct {
	Sums         []sum
	Entries      []entry
	Newer, Older *int // offsets; nil where there are none
}

// A sum is a number of the whole log, by the end of the key of its name.
type sum struct {
	State takedown.State
	N     int
}

// An entry is a case of the log with its days.
type entry struct {
	takedown.Entry
	Day, DecidedDay string // YYYY-MM-DD in UTC; DecidedDay is empty before the first decision
}

// Answerable reports whether a counter-notice to the entry can be sent.
func (e entry) Answerable() bool { return e.State == takedown.Blocked }

var states = []takedown.State{takedown.Received, takedown.Asked, takedown.Blocked, takedown.Refused, takedown.Lifted}

func (s *Server) log(ctx context.Context, l i18n.Locale, in logIn) (*page.Rendered, error) {
	var list []takedown.Entry
	var t takedown.Totals
	if s.o.Log != nil {
		var err error
		if list, t, err = s.o.Log.Public(ctx, in.Offset, pageSize); err != nil {
			return nil, fault.OrUnavailable(err)
		}
	}
	b := logBody{}
	for _, state := range states {
		b.Sums = append(b.Sums, sum{state, t.Requests[state]})
	}
	for _, e := range list {
		b.Entries = append(b.Entries, entry{e, day(e.At), day(e.DecidedAt)})
	}
	if in.Offset > 0 {
		newer := max(0, min(in.Offset-pageSize, t.Last-pageSize))
		b.Newer = &newer
	}
	if older := in.Offset + pageSize; older < t.Last {
		b.Older = &older
	}
	return s.o.Pages.View(site.Transparency, l, b).Show()
}

// day returns the day of a time in UTC, or "" for none.
func day(t store.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.DateOnly)
}
