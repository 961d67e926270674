package profile

import "miramundo.dev/shared/api"

// A Mode is a class of credentials with the way to send them.
type Mode struct {
	Mode string `json:"mode" description:"Class of the credential."`
	How  string `json:"how" description:"Headers that send the credential."`
}

// Modes that are not the class of an endpoint, but pay for a call of any class.
const (
	creditMode  = "credit"
	paymentMode = "payment"
)

// modes are the classes of credentials in the order in which documents list them.
var modes = []Mode{
	{string(api.None), "No credential."},
	{string(api.Guest), "Guest token in X-Guest-Token or as a bearer token, an API key in X-Api-Key or as a bearer token, or an account session."},
	{string(api.Session), "The account cookie. Writes also send the Origin of the service and X-CSRF-Token from GET " + api.BootstrapPath + "."},
	{creditMode, "A prepaid credit in X-Credito or as a bearer token: pays for calls."},
	{paymentMode, "A payment by x402 in X-PAYMENT or PAYMENT-SIGNATURE, after the answer 402 of a paid call."},
	{string(api.Operator), "Authorization: Bearer, with the operator's token."},
}

// Modes returns the classes of credentials that some endpoint accepts.
func (p *Profile) Modes() []Mode {
	accepted := map[string]bool{}
	for _, e := range p.Table {
		accepted[string(e.Auth)] = true
		accepted[paymentMode] = accepted[paymentMode] || len(e.Prices) > 0
		accepted[creditMode] = accepted[creditMode] || e.Credit || len(e.Prices) > 0
	}
	all := []Mode{}
	for _, m := range modes {
		if accepted[m.Mode] {
			all = append(all, m)
		}
	}
	return all
}
