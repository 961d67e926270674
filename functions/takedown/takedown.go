// Package takedown is the function that takes requests of rights holders to take
// something out of the catalog, shows what was decided about them, and lets the operator
// decide.
package takedown

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/takedown"
)

// Paths of the public endpoints.
const (
	listPath   = "/api/takedowns"
	statusPath = listPath + "/{number}/status"
)

// logAge is how long an answer with the log may be kept.
const logAge = time.Minute

// Endpoints is this function's part of the API.
var Endpoints = slices.Concat([]api.Endpoint{
	api.Bind((*Server).file, api.Endpoint{
		Name:   "request_takedown",
		Method: http.MethodPost, Path: listPath, Auth: api.None,
		Summary: "Send a takedown request",
		Doc: "Stores the request of a rights holder, or with answers the counter-notice to a listed block, and answers its number and what the " +
			"catalog has of what it names. A receipt goes to the e-mail address with the secret by which the status is read. People alone can " +
			"send it: the form of the page has the challenge.",
		Faults: []*fault.Error{
			address.ErrInvalid, human.ErrRefused, human.ErrUnavailable, throttle.ErrTooMany, catalog.ErrNotLoaded,
			takedown.ErrMail, takedown.ErrNoCase, takedown.ErrNotBlocked, takedown.ErrManyNotices, identity.ErrUnavailable, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).list, api.Endpoint{
		Name:   "list_takedowns",
		Method: http.MethodGet, Path: listPath, Auth: api.None,
		Summary: "List the takedown requests",
		Doc: "Returns a page of the transparency log, newest first: of each request and counter-notice the date, the kind, the decision, and " +
			"the channels, streams and hosts that were blocked. It names no persons.",
		Faults: []*fault.Error{fault.ErrUnavailable},
		Cache:  api.Public(logAge),
	}),
	api.Bind((*Server).status, api.Endpoint{
		Name:   "get_takedown_status",
		Method: http.MethodGet, Path: statusPath, Auth: api.None,
		Summary: "Get the status of a takedown request",
		Doc: "Returns how far a request or counter-notice is, what it names, and what the operator answered, to whom has the secret of the " +
			"receipt. A wrong secret and an unknown number answer 404 alike; so does a request whose texts were deleted.",
		Faults: []*fault.Error{takedown.ErrNoCase, fault.ErrUnavailable},
	}),
}, operator)

// Options are what a Server is made from.
type Options struct {
	DB       store.DB
	Desk     *takedown.Desk
	Catalog  index.Viewer
	Refresh  func(context.Context) error // brings the blocks of this instance up to date
	Humans   *human.Verifier
	Throttle *throttle.Throttle
	Base     string // address of the service
	Now      func() time.Time
}

// A Server takes requests and decisions.
type Server struct{ o Options }

// New returns a server.
func New(o Options) *Server { return &Server{o} }

type fileIn struct {
	Name         string   `json:"name" required:"true" minLength:"1" maxLength:"100" description:"Name of the sender."`
	Organization string   `json:"organization" maxLength:"120" description:"Organization for which the sender speaks."`
	Email        string   `json:"email" required:"true" minLength:"3" maxLength:"254" description:"E-mail address that the receipt and the answer go to."`
	Kind         string   `json:"kind" enum:"copyright,trademark,personal_rights,court_order,other" description:"Right that the request rests on; required unless answers is given."`
	Targets      []string `json:"targets" maxItems:"50" maxLength:"500" description:"Ids of channels and streams, addresses of pages and streams, and host names that the request is about; at least one unless answers is given."`
	Answers      int      `json:"answers" minimum:"0" maximum:"999999999" description:"Number of the listed takedown that a counter-notice answers."`
	Text         string   `json:"text" required:"true" minLength:"1" maxLength:"4000" description:"Explanation, as plain text of several lines."`
	GoodFaith    bool     `json:"good_faith" required:"true" description:"True: the sender states in good faith that what it says is true and that it may speak for the holder of the rights."`
	Signature    string   `json:"signature" required:"true" minLength:"1" maxLength:"100" description:"Full name of the sender, as a signature."`
	Challenge    string   `json:"challenge_response" maxLength:"2048" description:"Token of the human verification of the form."`
	Turnstile    string   `json:"cf-turnstile-response" maxLength:"2048" description:"The same, by the name that the provider's widget gives it."`
}

// A filed is the answer to a request.
type filed struct {
	OK      bool     `json:"ok" description:"Always true."`
	Number  int      `json:"number" description:"Number of the request in the log."`
	Next    string   `json:"next" description:"Next steps, in the caller's language."`
	Targets []target `json:"targets" nullable:"false" description:"Objects that the request names, each once, with what the catalog has by that name."`
}

// A target is something that a request names.
type target struct {
	Given   string  `json:"given" description:"The text of the request; empty for what a counter-notice is about."`
	Kind    *string `json:"kind" enum:"channel,stream,host" description:"Kind of the object; null when the catalog has nothing by that name."`
	Value   *string `json:"value" description:"Id or host name; null when the catalog has nothing by that name."`
	Name    *string `json:"name" description:"Name of a channel; null for others."`
	Streams int     `json:"streams" description:"Number of streams of a host; 0 for others."`
}

func showTargets(list []takedown.Target) []target {
	out := []target{}
	for _, t := range list {
		out = append(out, target{t.Given, orNil(t.Kind), orNil(t.Value), orNil(t.Name), t.Streams})
	}
	return out
}

// orNil returns nil for an empty value.
func orNil(value string) *string {
	if value == "" {
		return nil
	}
	return &value
}

func (s *Server) file(ctx context.Context, in fileIn) (out filed, err error) {
	r, err := in.request()
	if err != nil {
		return out, err
	}
	view, err := s.o.Catalog.View()
	if err != nil {
		return out, err
	}
	if s.o.Desk.Mail == nil {
		return out, takedown.ErrMail
	}
	if err := s.admit(ctx, r.Email, cmp.Or(in.Challenge, in.Turnstile)); err != nil {
		return out, err
	}
	if r.Answers == 0 {
		r.Targets = takedown.Resolve(view, in.Targets)
	}
	r.Locale = api.LocaleOf(ctx)
	c, r, err := s.o.Desk.File(ctx, r)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return filed{true, c.Number, r.Locale.T("mail.takedown_received.note", nil), showTargets(r.Targets)}, nil
}

// request returns what in says, or the fault of its first bad field.
func (in fileIn) request() (r takedown.Request, err error) {
	r = takedown.Request{
		Kind: takedown.Kind(in.Kind), Name: oneLine(in.Name), Organization: oneLine(in.Organization), Text: mail.Quoted(in.Text),
		Signature: oneLine(in.Signature), Answers: in.Answers,
	}
	blank := func(target string) bool { return strings.TrimSpace(target) == "" }
	for _, check := range []struct {
		param string
		bad   bool
	}{
		{"name", mail.Harmless(r.Name) == mail.Nameless},
		{"kind", r.Answers == 0 && in.Kind == ""},
		{"targets", r.Answers == 0 && !slices.ContainsFunc(in.Targets, func(t string) bool { return !blank(t) })},
		{"text", r.Text == ""},
		{"good_faith", !in.GoodFaith},
		{"signature", mail.Harmless(r.Signature) == mail.Nameless},
	} {
		if check.bad {
			return r, fault.ErrBody.With("param", check.param).With("reason", "missing")
		}
	}
	r.Email, err = address.Wire(in.Email)
	return r, err
}

// oneLine returns a text on one line, without characters that are not seen.
func oneLine(text string) string { return strings.Join(strings.Fields(mail.Quoted(text)), " ") }

// admit returns nil when the caller is a person that may send a request now.
func (s *Server) admit(ctx context.Context, email, token string) error {
	network := identity.Network(api.AddrOf(ctx)).String()
	if err := s.o.Throttle.Attempt(ctx, throttle.TakedownOfNetwork.Of(network)); err != nil {
		return err
	}
	if err := s.o.Humans.Verify(ctx, token, api.AddrOf(ctx)); err != nil {
		return err
	}
	if err := human.Use(ctx, s.o.DB, token, s.o.Now()); err != nil {
		return err
	}
	return s.o.Throttle.Attempt(ctx, throttle.TakedownOfAddress.Of(strings.ToLower(email)))
}

// A blocking is something that a request blocks.
type blocking struct {
	Kind  string `json:"kind" enum:"channel,stream,host" description:"Kind of the object."`
	Value string `json:"value" description:"Id of the channel or stream, or the host name, which includes its subdomains."`
}

// A notice is a counter-notice in the entry of the request that it answers.
type notice struct {
	Number    int     `json:"number" description:"Number of the counter-notice in the log."`
	At        string  `json:"at" format:"date-time" description:"Time at which it arrived, in UTC."`
	State     string  `json:"state" enum:"received,asked,refused,accepted" description:"Result of the counter-notice."`
	DecidedAt *string `json:"decided_at" format:"date-time" description:"Time of the last decision, in UTC; null before the first."`
}

// A listed is a case in the public log.
type listed struct {
	Number    int        `json:"number" description:"Number of the request or counter-notice."`
	Kind      string     `json:"kind" enum:"copyright,trademark,personal_rights,court_order,other,counter_notice" description:"Right that the request rests on, or counter_notice."`
	At        string     `json:"at" format:"date-time" description:"Time at which it arrived, in UTC."`
	State     string     `json:"state" enum:"received,asked,blocked,refused,lifted,accepted" description:"Decision: asked waits for an answer of the sender, lifted was blocked before, accepted is a counter-notice that was right."`
	DecidedAt *string    `json:"decided_at" format:"date-time" description:"Time of the last decision, in UTC; null before the first."`
	Blocked   []blocking `json:"blocked" nullable:"false" description:"Objects that the request blocks, or blocked before that was lifted."`
	Answers   *int       `json:"answers" description:"Number of the request that a counter-notice answers; null for a request."`
	Notices   []notice   `json:"counter_notices" nullable:"false" description:"Counter-notices to the request, oldest first."`
}

func moment(t store.Time) string { return t.UTC().Format(time.RFC3339) }

func orNever(t store.Time) *string {
	if t.IsZero() {
		return nil
	}
	return orNil(moment(t))
}

func showCase(c takedown.Case, answered []takedown.Case) listed {
	out := listed{
		Number: c.Number, Kind: string(c.Kind), At: moment(c.At), State: string(c.State), DecidedAt: orNever(c.DecidedAt),
		Blocked: []blocking{}, Notices: []notice{},
	}
	for _, b := range c.Blocked {
		out.Blocked = append(out.Blocked, blocking(b))
	}
	if c.Answers != 0 {
		out.Answers = &c.Answers
	}
	for _, n := range answered {
		out.Notices = append(out.Notices, notice{n.Number, moment(n.At), string(n.State), orNever(n.DecidedAt)})
	}
	return out
}

// A log is a page of the public log.
type log struct {
	Items  []listed `json:"items" nullable:"false"`
	Totals totals   `json:"totals" description:"Numbers of the whole log."`
	page.Position
}

// totals are the numbers of the whole log.
type totals struct {
	Requests map[takedown.State]int `json:"requests" nullable:"false" description:"Number of requests by state."`
	Notices  map[takedown.State]int `json:"counter_notices" nullable:"false" description:"Number of counter-notices by state."`
	Kinds    map[takedown.Kind]int  `json:"kinds" nullable:"false" description:"Number of requests by kind."`
}

func (s *Server) list(ctx context.Context, in page.In) (out log, err error) {
	list, t, err := s.o.Desk.Public(ctx, in.Offset, in.Limit)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	out = log{Items: []listed{}, Totals: totals{orEmpty(t.Requests), orEmpty(t.Notices), orEmpty(t.Kinds)}, Position: in.Of(t.Last, s.o.Base+listPath)}
	for _, e := range list {
		out.Items = append(out.Items, showCase(e.Case, e.Answered))
	}
	return out, nil
}

// orEmpty returns an empty map for nil.
func orEmpty[K ~string](m map[K]int) map[K]int {
	if m == nil {
		return map[K]int{}
	}
	return m
}

type statusIn struct {
	Number int    `path:"number" minimum:"1" maximum:"999999999" description:"Number of the request."`
	Secret string `header:"X-Takedown-Secret" required:"true" maxLength:"64" description:"Secret of the receipt, which follows the number in its link."`
}

// A state is the status of a request.
type state struct {
	listed
	Targets   []target `json:"targets" nullable:"false" description:"Objects that the request names, with what the catalog had by that name."`
	Decisions []made   `json:"decisions" nullable:"false" description:"Decisions of the operator, oldest first."`
}

// A made is a decision of the operator.
type made struct {
	Decision string `json:"decision" enum:"block,refuse,ask,lift,accept" description:"Decision of the operator."`
	Text     string `json:"text" description:"Answer that was mailed to the sender; empty for none."`
	At       string `json:"at" format:"date-time" description:"Time of the decision, in UTC."`
}

func showDecisions(list []takedown.Decision) []made {
	out := []made{}
	for _, d := range list {
		out = append(out, made{string(d.Verb), d.Text, moment(d.At)})
	}
	return out
}

func (s *Server) status(ctx context.Context, in statusIn) (out state, err error) {
	c, r, err := s.o.Desk.Status(ctx, in.Number, in.Secret)
	if err != nil {
		return out, fault.OrUnavailable(err)
	}
	return state{showCase(c, nil), showTargets(r.Targets), showDecisions(r.Decisions)}, nil
}
