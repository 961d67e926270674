package billing

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/fault"
)

// operator are the endpoints of the operator.
var operator = []api.Endpoint{
	api.Bind((*Server).open, api.Endpoint{
		Name:   "list_open_receipts",
		Method: "GET", Path: "/api/admin/payments/open", Auth: api.Operator,
		Summary: "List the open receipts",
		Doc: "Returns the receipts of payments of which the service cannot find out whether they were charged, or that were charged " +
			"after a refusal: at most the 200 newest, newest first. Nothing was delivered for them. Look for the payer and the amount on the " +
			"chain, and return what was charged.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).retry, api.Endpoint{
		Name:   "settle_open_receipt",
		Method: "POST", Path: "/api/admin/payments/open/{id}/settle", Auth: api.Operator,
		Summary: "Run an open receipt again",
		Doc: "Asks the chain and a facilitator about one open receipt once more, delivers what was charged, and returns the receipt as it " +
			"is then. Repeating it never charges twice. A receipt that was charged after a refusal stays open: return the money.",
		Faults: []*fault.Error{billing.ErrNoReceipt, fault.ErrUnavailable},
	}),
}

type retryIn struct {
	ID string `path:"id" maxLength:"64" description:"Id of the receipt."`
}

func (s *Server) retry(ctx context.Context, in retryIn) (billing.Receipt, error) {
	return s.Till.Retry(ctx, in.ID)
}

// openReceipts is the answer with the open receipts.
type openReceipts struct {
	Items []billing.Receipt `json:"items" nullable:"false"`
}

func (s *Server) open(ctx context.Context, _ struct{}) (openReceipts, error) {
	items, err := s.Till.Open(ctx)
	if items == nil {
		items = []billing.Receipt{}
	}
	return openReceipts{items}, err
}
