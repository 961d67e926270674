package billing

import (
	"context"
	"net/http"
	"strings"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/price/quota"
)

// A pricing is the answer of GET /api/pricing.
type pricing struct {
	Product  string      `json:"product" description:"Name of the service."`
	Quota    quota.Quota `json:"quota" description:"Free quota, and what is sold beyond it."`
	Pricing  string      `json:"pricing" format:"uri" description:"Address of this list."`
	Billing  string      `json:"billing" format:"uri" description:"Address of the settings of payments."`
	APIIndex string      `json:"api_index" format:"uri" description:"Address of the index of the API."`
}

func (s *Server) pricing(context.Context, struct{}) (pricing, error) { return s.prices, nil }

func (s *Server) describePrices() pricing {
	return pricing{
		Product: config.Product, Quota: quota.Of(s.Quota),
		Pricing: s.Base + quota.ListPath, Billing: s.Base + quota.LivePath, APIIndex: s.Base + catalog.IndexPath,
	}
}

// A manifest is the answer of GET /.well-known/x402. No specification fixes its shape:
// it has the members that directories of paid services read, and those of drafts.
type manifest struct {
	Version      int      `json:"version" description:"Version of the manifest: 1."`
	X402Version  int      `json:"x402Version" description:"Version of x402 that the terms follow: 1. Calls take payments of version 2 too."`
	Kind         string   `json:"kind" description:"Always resource-server."`
	Name         string   `json:"name"`
	Description  string   `json:"description" description:"The service in one sentence."`
	Network      *string  `json:"network" description:"Network of payments; null while nothing is sold, like the members about them."`
	ChainID      *int64   `json:"chain_id"`
	PayTo        *string  `json:"payTo" description:"Address that receives payments."`
	Asset        *string  `json:"asset" description:"Address of the stablecoin's contract."`
	Facilitator  *string  `json:"facilitator" format:"uri" description:"Address that verifies and settles payments; null when payments are off."`
	Resources    []string `json:"resources" nullable:"false" description:"Addresses that answer 402 without a payment."`
	Routes       []route  `json:"routes" nullable:"false" description:"Every route that charges, also those with a parameter in their address."`
	Instructions string   `json:"instructions" description:"Instructions for paying, in one sentence."`
	Docs         string   `json:"docs" format:"uri" description:"Address of the OpenAPI document."`
	Updated      string   `json:"updated" format:"date-time" description:"Last change of the prices."`
}

// A route is a route that charges.
type route struct {
	Method      string              `json:"method"`
	URL         string              `json:"url"`
	Description string              `json:"description" description:"Product that the route sells."`
	USD         string              `json:"price_usd" description:"Least price of a call in US dollars."`
	Accepts     []x402.Requirement1 `json:"accepts" nullable:"false" description:"Terms of version 1 of x402."`
}

func (s *Server) manifest(context.Context, struct{}) (manifest, error) { return s.charges, nil }

// describeCharges lists the endpoints that charge, and the hop, which sells more
// minutes to a network that has spent its free ones.
func (s *Server) describeCharges() manifest {
	m := manifest{
		Version: 1, X402Version: 1, Kind: "resource-server", Name: config.Product,
		Description: "TV channels and radio stations of the public registers. Catalog and playback are free of charge; a few uses are sold.",
		Resources:   []string{}, Routes: []route{}, Instructions: s.prices.Quota.HowToPay,
		Docs: s.Base + api.DescriptionPath, Updated: price.Revised,
	}
	terms, ok := s.terms()
	if !ok {
		return m
	}
	m.Network, m.ChainID, m.PayTo, m.Asset = &terms.Asset.Network, &terms.Asset.ChainID, &terms.PayTo, &terms.Asset.Address
	m.Facilitator = textOrNil(s.Payment.Facilitator)
	for _, e := range s.Table {
		if len(e.Prices) == 0 {
			continue
		}
		path := openapi.Path(e)
		m.Routes = append(m.Routes, s.route(e.Method, s.Base+path, e.Summary, e.Prices))
		if !strings.Contains(path, "{") {
			m.Resources = append(m.Resources, s.Base+path)
		}
	}
	passes := []price.Product{price.Network30, price.Network90, price.Network365}
	m.Routes = append(m.Routes, s.route(http.MethodGet, s.Hop+catalog.StreamsPath+"{id}", "Watch beyond the free minutes", passes))
	return m
}

// route describes a route that sells products.
func (s *Server) route(method, url, description string, products []price.Product) route {
	r := route{Method: method, URL: url, Description: description, Accepts: []x402.Requirement1{}}
	least := price.Of(products[0]).Amount
	for _, t := range s.Till.Offer(billing.Order{Products: products, URL: url}, "").Terms {
		r.Accepts = append(r.Accepts, t.V1())
		least = min(least, t.Amount)
	}
	r.USD = least.USD()
	return r
}
