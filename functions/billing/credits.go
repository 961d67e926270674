package billing

import (
	"context"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/page"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/credit"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/price"
)

type buyIn struct {
	Product string `json:"product" enum:"credit_1,credit_5,credit_10,credit_25" description:"Credit to buy. Without it the answer 402 offers every credit, and the amount of the payment chooses."`
	Ref     string `json:"ref" maxLength:"64" description:"Secret of the caller's choice, such as a random text: a repeated call gets the token again only with the same one. Send it where a network is shared."`
}

// A bought is the answer to a payment for a credit.
type bought struct {
	OK      bool            `json:"ok" description:"Always true."`
	Charged bool            `json:"charged" description:"Always true: a payment was settled, by this call or by the same call before."`
	Token   string          `json:"token" description:"Token of the credit (cred_...), to send in X-Credito or as a bearer token."`
	USD     *string         `json:"balance_usd" description:"Balance in US dollars; null when it cannot be read now."`
	API     string          `json:"api" format:"uri" description:"Address of the statement."`
	Receipt billing.Receipt `json:"receipt" description:"Receipt of the purchase."`
}

// buyCredit sells a credit. The credit that the call shows is topped up; a payment has
// to be shown beside it. A call that is repeated gets the token again: for that it must
// come from the same owner or, without a credential, from the same network, and with the
// same ref, because everybody can read a payment on the chain once it is settled.
func (s *Server) buyCredit(ctx context.Context, in buyIn) (out api.WithHeader[bought], err error) {
	shown := api.CredentialsOf(ctx)
	order := billing.Order{
		Products: []price.Product{price.Credit1, price.Credit5, price.Credit10, price.Credit25},
		Route:    "POST " + creditsPath, URL: s.Base + creditsPath, Credit: shown.Credit, Data: []byte(in.Ref),
	}
	if in.Product != "" {
		order.Products = []price.Product{price.Product(in.Product)}
	}
	if speaker, ok := identity.SpeakerOf(ctx); ok {
		order.Owner = speaker.Owner
	} else if names := s.network(ctx); len(names) > 0 {
		order.Network = names[0]
	} else {
		return out, identity.ErrCredential
	}
	sale, err := s.Till.Sell(ctx, order, shown)
	if err != nil {
		return out, err
	}
	out.Header = sale.Header
	out.Body = bought{OK: true, Charged: sale.Charged, Token: sale.Credit, Receipt: sale.Receipt, API: s.Base + creditsPath}
	if statement, err := s.Till.Statement(ctx, sale.Credit, 0, 0); err == nil { // the credit is bought in any case
		usd := statement.Balance.USD()
		out.Body.USD = &usd
	}
	return out, nil
}

// A statement is the answer of GET /api/credits.
type statement struct {
	USD       string  `json:"balance_usd" description:"Balance in US dollars, with at least two decimals."`
	CreatedAt *string `json:"created_at" format:"date-time"`
	ChangedAt *string `json:"changed_at" format:"date-time" description:"Last change of the balance."`
	Items     []entry `json:"items" nullable:"false"`
	page.Position
}

// An entry is a change of a balance.
type entry struct {
	At      *string       `json:"at" format:"date-time"`
	Product price.Product `json:"product" description:"Product that the credit bought, or the credit that was added."`
	USD     string        `json:"amount_usd" description:"Change of the balance in US dollars; negative when it was spent."`
	Balance string        `json:"balance_usd" description:"Balance after the change."`
	Receipt string        `json:"receipt" description:"Id of the purchase."`
}

func (s *Server) credit(ctx context.Context, in page.In) (out statement, err error) {
	token := api.CredentialsOf(ctx).Credit
	if token == "" {
		return out, credit.ErrUnknown
	}
	st, err := s.Till.Statement(ctx, token, in.Limit, in.Offset)
	if err != nil {
		return out, err
	}
	out = statement{
		USD: st.Balance.USD(), CreatedAt: stamp(st.CreatedAt), ChangedAt: stamp(st.ChangedAt), Items: make([]entry, 0, len(st.Entries)),
		Position: in.Of(st.Total, s.Base+creditsPath),
	}
	for _, e := range st.Entries {
		out.Items = append(out.Items, entry{stamp(e.At.Time), e.Product, e.Amount.USD(), e.Balance.USD(), e.Purchase})
	}
	return out, nil
}
