package api

import (
	"log/slog"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"miramundo.dev/shared/api/cloudlog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// fail answers with the fault in err, when no answer was begun.
func (c *call) fail(err error) {
	f := fault.From(err)
	c.cause = err
	if c.w.status != 0 {
		return
	}
	h := c.w.Header()
	for _, name := range []string{"Content-Encoding", "Content-Length", "Etag", "Location"} {
		h.Del(name)
	}
	h["Cache-Control"] = noStore
	if f.Kind == fault.Unauthenticated {
		h["Www-Authenticate"] = challenge
	}
	if seconds, ok := f.Fields["retry_after"].(int); ok {
		h.Set("Retry-After", strconv.Itoa(seconds))
	}
	if c.showFault(f) {
		return
	}
	body := maps.Clone(f.Fields)
	if body == nil {
		body = map[string]any{}
	}
	body["error"], body["message"] = f.Code, Message(c.language(), f)
	if err := encode(&c.w, c.r, Status(f.Kind), body); err != nil && c.w.status == 0 {
		http.Error(&c.w, f.Code, Status(f.Kind))
	}
}

// showFault answers with a page that tells of f, and reports whether it did.
func (c *call) showFault(f *fault.Error) bool {
	if c.service == nil || c.service.FaultPage == nil || !c.forPeople() {
		return false
	}
	page := c.service.FaultPage(c.r, Status(f.Kind), f)
	return page != nil && page.Reply(&c.w, c.r) == nil
}

// forPeople reports whether a person reads the answer: a browser asked for a
// page, or opened an address of no endpoint.
func (c *call) forPeople() bool {
	if c.route != nil && !c.route.endpoint.Page {
		return false
	}
	return (c.r.Method == http.MethodGet || c.r.Method == http.MethodHead) && strings.Contains(c.r.Header.Get("Accept"), "text/html")
}

// WriteFault answers r with the fault in err, as an endpoint does that returns
// err. It is for servers that declare no endpoints; they log by themselves.
func WriteFault(w http.ResponseWriter, r *http.Request, err error) {
	c := &call{Context: r.Context(), r: r}
	c.w = response{ResponseWriter: w, call: c}
	c.fail(err)
}

// Message returns the sentence that tells of f in a locale.
func Message(l i18n.Locale, f *fault.Error) string {
	key := "fault." + f.Code
	if _, ok := f.Fields["param"]; ok && i18n.Has(key+".param") {
		key += ".param"
	}
	if !i18n.Has(key) {
		key = "fault." + fault.ErrInternal.Code
	}
	text := l.T(key, f.Fields)
	if reason, ok := f.Fields["reason"].(string); ok && i18n.Has("reason."+reason) {
		text += " " + l.T("reason."+reason, f.Fields)
	}
	return text
}

// unmatched answers for a path that is nobody's, or a method that its endpoint
// does not have.
func (c *call) unmatched() {
	allow := c.service.allowed(c.r)
	switch {
	case len(allow) > 0:
		c.w.Header().Set("Allow", strings.Join(allow, ", "))
		if c.r.Method == http.MethodOptions {
			c.preflight()
			return
		}
		for _, m := range allow {
			c.shareLike(c.service.find(m, c.r.Host, c.r.URL))
		}
		c.fail(fault.ErrNoMethod.With("allow", allow))
	case c.redirectSlash():
	default:
		c.fail(fault.ErrNotFound)
	}
}

// allowed lists the methods that endpoints have at the path of r, OPTIONS
// included; none when there is no endpoint. It asks the mux itself, so that it
// cannot disagree with what is served.
func (s *service) allowed(r *http.Request) (methods []string) {
	for _, m := range s.methods {
		if s.find(m, r.Host, r.URL) != nil {
			methods = append(methods, m)
		}
	}
	if methods != nil {
		methods = append(methods, http.MethodOptions)
	}
	return methods
}

// find returns the route of a method and address; nil when there is none.
func (s *service) find(method, host string, u *url.URL) *route {
	if !isClean(u.EscapedPath()) {
		return nil
	}
	h, _ := s.mux.Handler(&http.Request{Method: method, URL: u, Host: host})
	if rt, ok := h.(*route); ok && rt.endpoint.Method != "" {
		return rt
	}
	return nil
}

// shareLike lets scripts of other origins read an answer that is given in place
// of rt's, where they may read rt's.
func (c *call) shareLike(rt *route) {
	if rt != nil && rt.endpoint.crossOrigin() {
		c.w.Header()["Access-Control-Allow-Origin"] = anyOrigin
	}
}

// preflight answers OPTIONS. A browser that asks for leave to call from
// another origin gets it where the endpoint lets scripts of any origin in.
func (c *call) preflight() {
	h := c.w.Header()
	rt := c.service.find(c.r.Header.Get("Access-Control-Request-Method"), c.r.Host, c.r.URL)
	if rt != nil && rt.endpoint.crossOrigin() {
		h["Access-Control-Allow-Origin"] = anyOrigin
		h["Access-Control-Allow-Methods"] = h["Allow"]
		h["Access-Control-Allow-Headers"] = allowedHeaders
		h["Access-Control-Max-Age"] = preflightAges
	}
	c.w.WriteHeader(http.StatusNoContent)
}

// redirectSlash leads a path that differs from an endpoint's by its last slash
// alone to that endpoint, with the same method and body. Nothing is led to be
// deleted: where the name of one thing was left empty, that would be all of
// them.
func (c *call) redirectSlash() bool {
	if c.r.Method == http.MethodDelete {
		return false
	}
	to := url.URL{Path: otherSlash(c.r.URL.Path), RawQuery: c.r.URL.RawQuery}
	if c.r.URL.RawPath != "" {
		to.RawPath = otherSlash(c.r.URL.RawPath)
	}
	rt := c.service.find(c.r.Method, c.r.Host, &to)
	if rt == nil {
		return false
	}
	c.shareLike(rt)
	c.w.Header()["Cache-Control"] = noStore
	_ = Redirect(&c.w, to.String(), http.StatusPermanentRedirect)
	return true
}

func otherSlash(path string) string {
	if cut, ok := strings.CutSuffix(path, "/"); ok {
		return cut
	}
	return path + "/"
}

// log writes the record of the call.
func (c *call) log() {
	s := c.service
	level := c.level()
	log := s.Log
	if c.route != nil && c.route.log != nil {
		log = c.route.log
	}
	handler := log.Handler()
	if !handler.Enabled(c, level) {
		return
	}
	now := s.Now()
	c.logged = cloudlog.Request{
		Method: cloudlog.KnownMethod(c.r.Method), Route: c.path(), Status: c.w.status, Size: c.w.bytes, Latency: now.Sub(c.start),
	}
	record := slog.NewRecord(now, level, c.path(), 0)
	record.AddAttrs(slog.Any(cloudlog.RequestKey, &c.logged), slog.String("request_id", c.id))
	if c.cause != nil {
		record.AddAttrs(slog.String("code", fault.From(c.cause).Code), slog.String("cause", c.cause.Error()))
	}
	// A log that cannot be written cannot be told of either.
	_ = handler.Handle(c, record)
}

// level says how much the operator should care.
func (c *call) level() slog.Level {
	switch {
	case c.cause != nil && fault.From(c.cause).Kind == fault.Internal:
		return slog.LevelError
	case c.w.status >= 500:
		return slog.LevelWarn
	}
	return slog.LevelInfo
}

// path returns the pattern of the endpoint; what was asked for is not logged.
func (c *call) path() string {
	if c.route == nil {
		return "no such route"
	}
	return c.route.endpoint.Path
}
