package api

import (
	"maps"
	"net/http"
	"slices"

	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
)

// statuses gives the HTTP status of each kind of fault.
var statuses = map[fault.Kind]int{
	fault.Internal:        http.StatusInternalServerError,
	fault.Invalid:         http.StatusBadRequest,
	fault.Unauthenticated: http.StatusUnauthorized,
	fault.Unpaid:          http.StatusPaymentRequired,
	fault.Forbidden:       http.StatusForbidden,
	fault.NotFound:        http.StatusNotFound,
	fault.NoMethod:        http.StatusMethodNotAllowed,
	fault.Conflict:        http.StatusConflict,
	fault.Gone:            http.StatusGone,
	fault.TooLarge:        http.StatusRequestEntityTooLarge,
	fault.Unsupported:     http.StatusUnsupportedMediaType,
	fault.Unprocessable:   http.StatusUnprocessableEntity,
	fault.Upgrade:         http.StatusUpgradeRequired,
	fault.Limited:         http.StatusTooManyRequests,
	fault.BadGateway:      http.StatusBadGateway,
	fault.Unavailable:     http.StatusServiceUnavailable,
}

// Status returns the HTTP status of a kind of fault.
func Status(k fault.Kind) int {
	if s, ok := statuses[k]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// AllFaults lists every fault that e may answer with: those that it declares,
// those that its credential and its input imply, and fault.ErrInternal.
func (e Endpoint) AllFaults() []*fault.Error {
	all := append([]*fault.Error(nil), e.Faults...)
	if (e.Budget != nil || e.Credential != "") && !slices.Contains(all, budget.ErrTooMany) {
		all = append(all, budget.ErrTooMany)
	}
	switch {
	case e.Credential != "":
		all = append(all, fault.ErrOperatorToken, ErrNoOperatorToken)
	case e.Auth == Guest, e.Auth == Session:
		all = append(all, identity.ErrCredential, identity.ErrEnded, identity.ErrRetired, identity.ErrUnavailable)
	}
	switch session := e.Auth == Guest || e.Auth == Session || e.Speaker; {
	case e.FromPage:
		all = append(all, identity.ErrOrigin, identity.ErrCSRF, identity.ErrUnavailable)
	case session && e.Writes():
		all = append(all, identity.ErrOrigin, identity.ErrCSRF)
	}
	if e.Auth == Guest || e.Speaker && e.Writes() {
		all = append(all, identity.ErrOrganization)
	}
	if len(e.Prices) > 0 {
		all = append(all, price.Faults()...)
	}
	if e.Lenient {
		return append(all, fault.ErrInternal)
	}
	if e.refusesInput() {
		all = append(all, fault.ErrInvalid)
	}
	if e.plan.Body {
		all = append(all, fault.ErrBody, fault.ErrBodyTooLarge, fault.ErrMediaType)
	}
	return append(all, fault.ErrInternal)
}

// Message returns the sentence that describes f in a locale.
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

// Body returns the body of the answer to f in a locale: its code, the sentence that
// describes it, and its further members.
func Body(l i18n.Locale, f *fault.Error) map[string]any {
	body := maps.Clone(f.Fields)
	if body == nil {
		body = map[string]any{}
	}
	body["error"], body["message"] = f.Code, Message(l, f)
	return body
}
