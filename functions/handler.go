package functions

import (
	"net/http"
	"slices"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
	"miramundo.dev/shared/usage"
	"miramundo.dev/shared/usage/edge"
)

// A Server answers for the endpoints of a function.
type Server struct {
	Groups    []request.Group                                             // its endpoints, each group with the value that answers for it
	FaultPage func(r *http.Request, status int, f *fault.Error) api.Reply // shows faults to people; nil where a function has no pages
}

// one returns the server of a function whose endpoints one value answers for.
func one(server any, endpoints []api.Endpoint) (Server, error) {
	return Server{Groups: []request.Group{{Server: server, Endpoints: endpoints}}}, nil
}

// Handler serves f over parts, which must have those that f needs. It answers a request
// with a method or a slash that no function has as [Mux] does, whichever of the
// functions of a host gets it.
func (f Function) Handler(p *compose.Parts) (http.Handler, error) { return serve(p, f) }

// Mux serves the functions of the main host on one handler, for tests and for
// local use.
func Mux(p *compose.Parts) (http.Handler, error) { return serve(p, together()...) }

// serve serves functions on one handler. Faults are shown by the pages of the
// one that has pages.
func serve(p *compose.Parts, fs ...Function) (http.Handler, error) {
	o := options(p, fs)
	var groups []request.Group
	for _, f := range fs {
		s, err := f.New(p.Only(f.Needs...))
		if err != nil {
			return nil, err
		}
		if s.FaultPage != nil {
			o.FaultPage = s.FaultPage
		}
		for _, g := range s.Groups {
			if len(fs) > 1 && p.Log != nil { // the log of one function alone names it already
				g.Log = p.Log.With("function", f.Name)
			}
			groups = append(groups, g)
		}
	}
	o.Elsewhere = elsewhere(o, fs)
	return request.Mux(o, groups...), nil
}

// elsewhere returns the routes of the functions that share the host of fs.
func elsewhere(o request.Options, fs []Function) []request.Route {
	var others []request.Group
	for _, f := range together() {
		same := func(g Function) bool { return g.Name == f.Name }
		if !fs[0].Apart && !slices.ContainsFunc(fs, same) {
			others = append(others, request.Group{Endpoints: f.Endpoints})
		}
	}
	return request.Endpoints(o, others...)
}

func options(p *compose.Parts, fs []Function) request.Options {
	guesses := api.NewGuesses(p.Log, p.Now, p.Metrics.Guesses())
	p.AtClose(guesses.Flush)
	apart := slices.ContainsFunc(fs, func(f Function) bool { return f.Apart }) // such as the player of plain HTTP media
	return request.Options{
		Secure:        p.Config.Secure() && !apart,
		Log:           p.Log,
		Tokens:        tokens(p.Config, fs),
		Guesses:       guesses,
		CountryHeader: p.Config.CountryHeader,
		AddressHeader: p.Config.AddressHeader,
		Auth:          authenticator(p),
		Pages:         p.Pages(),
		Budgets:       p.Budgets,
		Now:           p.Now,
		Followers:     p.Followers,
		Links:         links,
		Count:         p.Metrics.CountCalls(edge.Count(p.Usage, surfaces(fs))),
		Trace:         p.Trace,
	}
}

// links is the header Link of pages and of answers of the API. The addresses are
// relative to the host.
var links = []string{
	"<" + api.DescriptionPath + `>; rel="service-desc"; type="application/json", ` +
		"<" + site.Reference.Path(i18n.EN, "") + `>; rel="service-doc"; type="text/html", ` +
		"<" + api.CatalogPath + `>; rel="api-catalog"; type="application/linkset+json"`,
}

// surfaces returns as what the endpoints of functions are counted. The calls of the
// operator, and the reports that pages send by themselves, are no use of the service.
func surfaces(fs []Function) edge.Surfaces {
	all := edge.Surfaces{}
	for _, f := range fs {
		for _, e := range f.Endpoints {
			if all[e.Pattern()] = f.Surface; e.Auth == api.Operator || e.SameOrigin {
				all[e.Pattern()] = usage.Internal
			}
		}
	}
	return all
}

// tokens returns the operator's tokens that endpoints of functions ask for.
func tokens(c config.Config, fs []Function) map[string]string {
	all := map[string]string{}
	for _, f := range fs {
		for _, e := range f.Endpoints {
			if e.Credential != "" {
				all[e.Credential] = c.Value(e.Credential)
			}
		}
	}
	return all
}

// authenticator returns what identifies the callers of endpoints.
func authenticator(p *compose.Parts) api.Authenticator {
	o := identity.Options{Guests: p.Guests(), Owns: p.Owning(), Now: p.Now}
	if p.Access != nil {
		o.Accounts = p.Access
	}
	return identity.NewAuthority(o)
}
