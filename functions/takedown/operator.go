package takedown

import (
	"context"
	"net/http"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/takedown"
)

const (
	queuePath  = "/api/admin/takedowns"
	casePath   = queuePath + "/{number}"
	decidePath = casePath + "/decisions"
)

// operator are the endpoints of the operator.
var operator = []api.Endpoint{
	api.Bind((*Server).queue, api.Endpoint{
		Name:   "list_takedown_queue",
		Method: http.MethodGet, Path: queuePath, Auth: api.Operator,
		Summary: "List the open takedown requests",
		Doc: "Returns a page of the requests and counter-notices that wait for a decision or for an answer of their sender, oldest first, " +
			"without what their senders wrote.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).read, api.Endpoint{
		Name:   "read_takedown",
		Method: http.MethodGet, Path: casePath, Auth: api.Operator,
		Summary: "Get a takedown request",
		Doc: "Returns a request or counter-notice with what its sender wrote, which is deleted a year after the last decision, and for each " +
			"decision that it can take now a draft of the answer, in the sender's language or in another.",
		Faults: []*fault.Error{takedown.ErrNoCase, fault.ErrUnavailable},
	}),
	api.Bind((*Server).decide, api.Endpoint{
		Name:   "decide_takedown",
		Method: http.MethodPost, Path: decidePath, Auth: api.Operator,
		Summary: "Moderate a takedown request",
		Doc: "Blocks every channel, stream and host of a request at once, lifts that, refuses, asks for more, or accepts a counter-notice, " +
			"which lifts the blocks that it is about. The decision, its blocks, the answer and the entry in the log of moderation are stored " +
			"together; blocks are in force on this instance when the call returns. Repeating a decision other than ask changes nothing.",
		Faults: []*fault.Error{takedown.ErrNoCase, takedown.ErrDecided, takedown.ErrNoTargets, block.ErrInvalid, fault.ErrUnavailable},
	}),
}

// A waiting is a page of the open cases.
type waiting struct {
	Items []listed `json:"items" nullable:"false"`
	page.Position
}

func (s *Server) queue(ctx context.Context, in page.In) (out waiting, err error) {
	list, total, err := s.o.Desk.Queue(ctx, in.Offset, in.Limit)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = waiting{Items: []listed{}, Position: in.Of(total, s.o.Base+queuePath)}
	for _, c := range list {
		out.Items = append(out.Items, showCase(c, nil))
	}
	return out, nil
}

type readIn struct {
	Number   int    `path:"number" minimum:"1" maximum:"999999999" description:"Number of the request."`
	Language string `query:"draft" enum:"pt,en,es,fr,de" description:"Language of the drafts; that of the sender without it."`
}

// A full is a case with what its sender wrote, for the operator.
type full struct {
	listed
	Sender    *sender  `json:"sender" description:"Name, address and texts of the sender; null when they were deleted."`
	Targets   []target `json:"targets" nullable:"false" description:"Objects that the request names, with what the catalog had by that name when it arrived."`
	Decisions []made   `json:"decisions" nullable:"false" description:"Decisions so far, oldest first."`
	Drafts    []draft  `json:"drafts" nullable:"false" description:"Decisions that are possible now, with a draft of the answer of each."`
}

// A sender is who sent a request, and why.
type sender struct {
	Name         string `json:"name" description:"Name of the sender."`
	Organization string `json:"organization" description:"Organization for which the sender speaks; may be empty."`
	Email        string `json:"email" description:"E-mail address of the sender."`
	Text         string `json:"text" description:"Explanation as the sender wrote it: escape it before showing it in HTML."`
	Signature    string `json:"signature" description:"Signature below the statement of good faith."`
	Language     string `json:"language" enum:"pt,en,es,fr,de" description:"Language in which the sender reads."`
}

// A draft is what the operator may answer with a decision.
type draft struct {
	Decision string `json:"decision" enum:"block,refuse,ask,lift,accept" description:"A decision that is possible now."`
	Text     string `json:"text" description:"Draft of the answer, to be edited."`
}

func (s *Server) read(ctx context.Context, in readIn) (out full, err error) {
	c, r, err := s.o.Desk.Read(ctx, in.Number)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = full{listed: showCase(c, nil), Targets: []target{}, Decisions: []made{}, Drafts: []draft{}}
	l := i18n.EN
	if r != nil {
		l = r.Locale
		out.Sender = &sender{r.Name, r.Organization, r.Email, r.Text, r.Signature, l.Tag()}
		out.Targets, out.Decisions = showTargets(r.Targets), showDecisions(r.Decisions)
	}
	for _, other := range i18n.Locales {
		if other.Tag() == in.Language {
			l = other
		}
	}
	for _, v := range c.Verbs() {
		out.Drafts = append(out.Drafts, draft{string(v), takedown.Draft(l, v, c.Number)})
	}
	return out, nil
}

type decideIn struct {
	Number   int      `path:"number" minimum:"1" maximum:"999999999" description:"Number of the request."`
	Decision string   `json:"decision" required:"true" enum:"block,refuse,ask,lift,accept" description:"Decision: block and lift about requests, accept about counter-notices, refuse and ask about both."`
	Channels []string `json:"channels" maxItems:"50" maxLength:"128" description:"Ids of channels that block blocks. Without channels, streams and hosts it blocks everything that the catalog had of what the request names."`
	Streams  []string `json:"streams" maxItems:"50" maxLength:"64" description:"Ids of streams that block blocks."`
	Hosts    []string `json:"hosts" maxItems:"50" maxLength:"253" description:"Host names that block blocks, each with its subdomains; 50 channels, streams and hosts together are the most."`
	Answer   string   `json:"answer" maxLength:"4000" description:"Answer that is mailed to the sender; empty mails nothing."`
	Reason   string   `json:"reason" required:"true" minLength:"1" maxLength:"500" description:"Reason for the decision, for the log of moderation."`
	By       string   `json:"by" required:"true" minLength:"1" maxLength:"60" description:"Name of the operator, stored with the decision."`
}

// targets returns what in names; nil for everything that the request names.
func (in decideIn) targets() (all []takedown.Blocking) {
	for _, of := range []struct {
		kind string
		list []string
	}{{block.Channel, in.Channels}, {block.Stream, in.Streams}, {block.Host, in.Hosts}} {
		for _, value := range of.list {
			all = append(all, takedown.Blocking{Kind: of.kind, Value: value})
		}
	}
	return all
}

// A decided is the answer to a decision.
type decided struct {
	OK      bool   `json:"ok" description:"Always true."`
	Changed bool   `json:"changed" description:"False when it was decided so already."`
	Case    listed `json:"case" description:"The request after the decision."`
}

func (s *Server) decide(ctx context.Context, in decideIn) (out decided, err error) {
	o := takedown.Order{
		Number: in.Number, Verb: takedown.Verb(in.Decision), Answer: mail.Quoted(in.Answer), Reason: oneLine(in.Reason), By: oneLine(in.By),
		Targets: in.targets(),
	}
	if o.Reason == "" || o.By == "" {
		param := "reason"
		if o.Reason != "" {
			param = "by"
		}
		return out, fault.ErrBody.With("param", param).With("reason", "missing")
	}
	c, changed, err := s.o.Desk.Decide(ctx, o)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return decided{true, changed, showCase(c, nil)}, fault.OrUnavailable(s.o.Refresh(ctx))
}
