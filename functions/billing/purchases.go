package billing

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
)

const purchasesPath = "/api/purchases"

var purchases = []api.Endpoint{
	api.Bind((*Server).purchases, api.Endpoint{
		Name: "list_purchases", Tool: true,
		Method: "GET", Path: purchasesPath, Auth: api.Guest,
		Summary: "List the caller's purchases",
		Doc: "Returns the receipts of what the caller bought, newest first, with the end of each pass. The newest 200 are kept for the " +
			"caller; a purchase made without a credential is in no list. It charges nothing.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// A bill is a purchase as the API shows it.
type bill struct {
	billing.Receipt
	Until *string `json:"until" format:"date-time" description:"End of the pass; null for a product that is no pass."`
}

// A ledger is a page of purchases.
type ledger struct {
	Items []bill `json:"items" nullable:"false"`
	page.Position
}

func (s *Server) purchases(ctx context.Context, in page.In) (out ledger, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	all, err := s.Till.Purchases(ctx, owner)
	if err != nil {
		return out, err
	}
	out = ledger{Items: []bill{}, Position: in.Of(len(all), s.Base+purchasesPath)}
	for _, p := range page.Cut(in, all) {
		out.Items = append(out.Items, bill{p.Receipt(), stamp(p.Until.Time)})
	}
	return out, nil
}
