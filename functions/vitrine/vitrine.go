// Package vitrine is the function that shows the numbers of the service: rounded to
// everyone, and exact to the operator.
//
// It counts nothing and accepts no numbers: package shared/vitrine publishes them
// every hour.
package vitrine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/vitrine"
)

const path = "/api/vitrine"

// Endpoints is this function's part of the API.
var Endpoints = []api.Endpoint{
	api.Bind((*Server).public, api.Endpoint{
		Name: "get_public_numbers", Tool: true,
		Method: "GET", Path: path, Auth: api.None,
		Summary: "Get the public numbers",
		Doc: "Returns how much the service is used, published every hour and rounded to two significant digits; null means not " +
			"measured, never zero. Before the first publication publicado is false and only the first five fields come.",
		Cache:  api.Public(15 * time.Minute),
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).operator, api.Endpoint{
		Name:   "get_operator_numbers",
		Method: "GET", Path: path + "/operador", Auth: api.Operator, Credential: api.MetricsToken,
		Summary: "Get the exact numbers",
		Doc: "Returns the numbers of the last publication as they were counted, with calls, faults, bytes and times by route, and " +
			"failures of browsers by code; operador is null before the first publication.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).panel, api.Endpoint{
		Name:   "get_numbers_panel",
		Method: "GET", Path: path + "/painel", Auth: api.Operator, Credential: api.MetricsToken,
		Summary: "Get the numbers by product",
		Doc: "Returns today and the windows of each product that is published, and their totals. The numbers are exact; before the " +
			"first publication there are no products.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).cursors, api.Endpoint{
		Name:   "get_numbers_cursors",
		Method: "GET", Path: path + "/cursores", Auth: api.Operator, Credential: api.MetricsToken,
		Summary: "Get how far counts have come",
		Doc: "Returns, by product, when counts came from the processes last, as of the last publication; an empty object before " +
			"the first count.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
}

// A Server answers for the numbers in a database.
type Server struct {
	numbers *vitrine.Reader
	now     func() time.Time
}

// New returns a server of the numbers in db.
func New(db store.DB, now func() time.Time) *Server {
	return &Server{vitrine.NewReader(db, now), now}
}

// PublicNumbers are the public numbers.
type PublicNumbers struct {
	vitrine.Head
	vitrine.Public
}

// ETag returns the version of the numbers: a hash of what is answered.
func (n PublicNumbers) ETag() string {
	text, err := json.Marshal(n)
	if err != nil {
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

func (s *Server) public(ctx context.Context, _ struct{}) (PublicNumbers, error) {
	p, err := s.numbers.Current(ctx)
	if err != nil {
		return PublicNumbers{}, err
	}
	return PublicNumbers{vitrine.HeadOf(p.At, s.now()), p.Public}, nil
}

// ExactNumbers are the numbers as they were counted.
type ExactNumbers struct {
	Product   string                   `json:"produto"`
	UpdatedAt *string                  `json:"atualizado_em" format:"date-time" description:"Time of the last publication; null before the first one."`
	Operator  *vitrine.OperatorNumbers `json:"operador" description:"The exact numbers; null before the first publication."`
}

func (s *Server) operator(ctx context.Context, _ struct{}) (ExactNumbers, error) {
	p, err := s.numbers.Current(ctx)
	if err != nil {
		return ExactNumbers{}, err
	}
	return ExactNumbers{config.Product, vitrine.HeadOf(p.At, s.now()).UpdatedAt, p.Operator}, nil
}

// ProductNumbers are what was counted of a product.
type ProductNumbers struct {
	Product   string                `json:"produto"`
	UpdatedAt string                `json:"atualizado_em" format:"date-time"`
	Stale     bool                  `json:"stale"`
	Today     vitrine.NumberSums    `json:"hoje"`
	Week      vitrine.WindowNumbers `json:"d7"`
	Month     vitrine.WindowNumbers `json:"d30"`
}

// A NumbersPanel is the numbers by product.
type NumbersPanel struct {
	Apps      []ProductNumbers       `json:"apps" nullable:"false"`
	UpdatedAt string                 `json:"updated,omitempty" format:"date-time" description:"Time of the newest publication; absent before the first one."`
	Totals    *vitrine.WindowNumbers `json:"totals,omitempty" description:"Sums of the last 30 days of all products."`
}

func (s *Server) panel(ctx context.Context, _ struct{}) (NumbersPanel, error) {
	p, err := s.numbers.Current(ctx)
	if err != nil || p.Operator == nil {
		return NumbersPanel{Apps: []ProductNumbers{}}, err
	}
	head, o := vitrine.HeadOf(p.At, s.now()), p.Operator
	return NumbersPanel{
		Apps:      []ProductNumbers{{head.Product, *head.UpdatedAt, head.Stale, o.Today.NumberSums, o.Windows.Week, o.Windows.Month}},
		UpdatedAt: *head.UpdatedAt, Totals: &o.Windows.Month,
	}, nil
}

// A NumbersCursor is how far the counts of a product have come.
type NumbersCursor struct {
	Edge string `json:"borda,omitempty" format:"date-time" description:"Time at which counts came from the processes last."`
	CLI  string `json:"cli,omitempty" format:"date-time" description:"Time at which counts came from command-line programs last; absent, since this product has none."`
}

func (s *Server) cursors(ctx context.Context, _ struct{}) (map[string]NumbersCursor, error) {
	p, err := s.numbers.Current(ctx)
	if err != nil || p.Operator == nil || p.Operator.Cursor == nil {
		return map[string]NumbersCursor{}, err
	}
	return map[string]NumbersCursor{config.Product: {Edge: *p.Operator.Cursor}}, nil
}
