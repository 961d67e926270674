// Package moderation is the function by which callers report and hide what others
// write, and by which the operator acts on it.
package moderation

import (
	"context"
	"slices"
	"strconv"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/store"
)

const (
	reportsPath = "/api/moderation/reports"
	hiddenPath  = "/api/moderation/hidden"
)

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat([]api.Endpoint{
	api.Bind((*Server).report, api.Endpoint{
		Name: "report_text", Tool: true,
		Method: "POST", Path: reportsPath, Auth: api.Guest,
		Summary: "Report a comment, message or public library",
		Doc: "Asks the operator to look at a text or a public library of somebody else. Each caller and text counts once: a repetition answers counted " +
			"false and changes nothing; a library whose words changed can be reported again. A caller can report " + strconv.Itoa(act.ReportsPerDay) + " texts in 24 hours; one more answers 429.",
		Faults: []*fault.Error{act.ErrNoText, act.ErrOwn, act.ErrTooManyReports, fault.ErrUnavailable},
	}),
	api.Bind((*Server).hidden, api.Endpoint{
		Name: "list_hidden_authors", Tool: true,
		Method: "GET", Path: hiddenPath, Auth: api.Guest,
		Summary: "List the hidden authors",
		Doc:     "Returns the authors whose comments and messages the caller does not see, the last hidden first, with the name of each at that time.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).hide, api.Endpoint{
		Name: "hide_author", Tool: true,
		Repeatable: true,
		Method:     "POST", Path: hiddenPath, Auth: api.Guest,
		Summary: "Hide the author of a text",
		Doc: "Leaves all comments and messages of the author of one of them out of what the caller reads, and returns the entry. " +
			"Nobody else notices, and repeating it changes nothing. A caller can hide " + strconv.Itoa(moderation.MaxHidden) + " authors.",
		Faults: []*fault.Error{act.ErrNoText, act.ErrOwn, moderation.ErrTooManyHidden, fault.ErrUnavailable},
	}),
	api.Bind((*Server).unhide, api.Endpoint{
		Name: "unhide_author", Tool: true,
		Method: "DELETE", Path: hiddenPath + api.ByID, Auth: api.Guest,
		Summary: "Show a hidden author again",
		Doc:     "Takes an author out of those that the caller hides. Repeating it answers removed false and changes nothing.",
		Faults:  []*fault.Error{fault.ErrUnavailable},
	}),
}, operator, bulk)

// Options are what a Server is made from.
type Options struct {
	Moderator *act.Moderator
	DB        store.DB
	Base      string // URL of the service
}

// A Server takes reports and acts of moderation.
type Server struct{ Options }

// New returns a server of moderation.
func New(o Options) *Server { return &Server{o} }

// A textIn names a text in the body of a request.
type textIn struct {
	Kind      string `json:"kind" required:"true" enum:"comment,message" description:"Kind of the text: a comment on a channel or a message in its chat."`
	ChannelID string `json:"channel_id" maxLength:"256" description:"Channel of the text; required for a message."`
	ID        string `json:"id" required:"true" minLength:"1" maxLength:"64" description:"Id of the comment or message."`
}

func (in textIn) ref() act.Ref {
	return act.Ref{Kind: act.Kind(in.Kind), Channel: in.ChannelID, ID: in.ID}
}

type reportIn struct {
	Kind      string `json:"kind" required:"true" enum:"comment,message,library" description:"Kind of the text: a comment on a channel, a message in its chat, or a public library."`
	ChannelID string `json:"channel_id" maxLength:"256" description:"Channel of the text; required for a message."`
	ID        string `json:"id" required:"true" minLength:"1" maxLength:"64" description:"Id of the comment or message; name of the public library."`
	Reason    string `json:"reason" required:"true" enum:"spam,abuse,hate,sexual,illegal,other" description:"Reason for the report."`
}

// A reported is the answer to a report.
type reported struct {
	OK      bool `json:"ok" description:"Always true."`
	Counted bool `json:"counted" description:"False when the caller has already reported this text."`
}

func (s *Server) report(ctx context.Context, in reportIn) (out reported, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	counted, err := s.Moderator.Report(ctx, owner, act.Ref{Kind: act.Kind(in.Kind), Channel: in.ChannelID, ID: in.ID}, in.Reason)
	return reported{true, counted}, fault.OrUnavailable(err)
}

// An author is an entry of the list of hidden authors.
type author struct {
	ID    string `json:"id" description:"Id of the entry, valid for this caller alone."`
	Name  string `json:"name" description:"Name that the author's text showed."`
	Since string `json:"since" format:"date-time" description:"Time at which the author was hidden, in UTC."`
	API   string `json:"api" format:"uri" description:"Address at which the caller shows the author again."`
}

// show returns an entry of the list of a viewer.
func (s *Server) show(o moderation.HiddenOwner, viewer identity.Owner) author {
	id := o.ID(viewer)
	return author{ID: id, Name: o.Name, Since: moment(o.Since), API: s.Base + hiddenPath + "/" + id}
}

func moment(t store.Time) string { return t.UTC().Format(time.RFC3339) }

// hiddenList is the answer with the authors that a caller hides.
type hiddenList struct {
	Items []author `json:"items" nullable:"false"`
	Total int      `json:"total"`
	Max   int      `json:"max" description:"Number of authors that a caller can hide."`
}

func (s *Server) hidden(ctx context.Context, _ struct{}) (out hiddenList, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	h, err := moderation.HiddenBy(ctx, s.DB, owner)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = hiddenList{Items: []author{}, Total: len(h.Owners), Max: moderation.MaxHidden}
	for _, o := range slices.Backward(h.Owners) {
		out.Items = append(out.Items, s.show(o, owner))
	}
	return out, nil
}

// A hid is the answer when an author was hidden.
type hid struct {
	OK      bool   `json:"ok" description:"Always true."`
	Created bool   `json:"created" description:"False when the caller hid the author already."`
	Hidden  author `json:"hidden" description:"The author that was hidden."`
}

func (s *Server) hide(ctx context.Context, in textIn) (out hid, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	h, added, err := s.Moderator.Hide(ctx, owner, in.ref())
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return hid{true, added, s.show(h, owner)}, nil
}

type unhideIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the entry in the list of hidden authors."`
}

// A shown is the answer when an author is shown again.
type shown struct {
	OK      bool `json:"ok" description:"Always true."`
	Removed bool `json:"removed" description:"False when the list had no such entry."`
}

func (s *Server) unhide(ctx context.Context, in unhideIn) (out shown, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	found, err := moderation.Unhide(ctx, s.DB, owner, in.ID)
	return shown{true, found}, fault.OrUnavailable(err)
}
