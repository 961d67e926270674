package chat

import (
	"context"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
)

// A sold is the answer to a call that asks for a pass.
type sold struct {
	OK      bool    `json:"ok" description:"Always true."`
	Charged bool    `json:"charged" description:"Whether this call, or the same call before, was charged."`
	Until   *string `json:"until" format:"date-time" description:"Until when the pass is valid; null when the chat is open free of charge."`
}

// order returns the order of a pass for an owner.
func (s *Server) order(owner identity.Owner, route, url string) billing.Order {
	return billing.Order{Products: []price.Product{price.ChatPass}, Route: route, URL: url, Owner: owner}
}

// pass sells a pass to an owner without one. While a pass is valid nothing is charged,
// and the same payment shown again is answered as it was at first.
func (s *Server) pass(ctx context.Context, _ struct{}) (out api.WithHeader[sold], err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	out.Body.OK = true
	if s.Till.Free() {
		return out, nil
	}
	of, err := pass.Of(ctx, s.DB, owner)
	if err != nil {
		return out, price.ErrUnavailable.Because(err)
	}
	shown, order := api.CredentialsOf(ctx), s.order(owner, "POST "+passPath, s.Links.Base+passPath)
	sale, valid := billing.Sale{}, false
	if sale.Until, valid = of.Chat(s.Now()); valid {
		if again, found := s.Till.Sold(ctx, order, shown); found {
			sale = again
		}
	} else if sale, err = s.Till.Sell(ctx, order, shown); err != nil {
		return out, err
	}
	until := sale.Until.UTC().Format(time.RFC3339)
	out.Header, out.Body.Charged, out.Body.Until = sale.Header, sale.Charged, &until
	return out, nil
}

// An upgrade is the result that a request without a socket never has.
type upgrade struct{}

// Reply fails as the endpoint does.
func (upgrade) Reply(http.ResponseWriter, *http.Request) error { return chat.ErrUpgrade }
