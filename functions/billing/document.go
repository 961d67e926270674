package billing

import (
	"context"
	"time"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/config"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/price"
)

// A document is the answer of GET /api/billing. The members about how payments are
// taken are null while nothing is sold.
type document struct {
	Provider     string   `json:"provider" description:"Protocol of payments: x402."`
	Mode         string   `json:"mode" enum:"live,test,free" description:"Kind of money that is taken: real, of a test network, or none."`
	Network      *string  `json:"network" description:"Network of payments by its name in version 1 of x402."`
	ChainID      *int64   `json:"chain_id"`
	PayTo        *string  `json:"pay_to" description:"Address that receives payments."`
	Homolog      bool     `json:"homolog" description:"Whether payments are of a test network."`
	Dev          bool     `json:"dev" description:"Whether the service is not deployed, but runs on the machine of a developer."`
	DevGate      bool     `json:"dev_gate" description:"Whether paid calls are let through without a payment, for development: always false."`
	Gratis       bool     `json:"gratis,omitempty" description:"True when nothing is sold and everything is free of charge; else absent."`
	Facilitator  *string  `json:"facilitator" format:"uri" description:"Address of the service that settles payments."`
	Asset        *string  `json:"asset" description:"Stablecoin that is taken."`
	AssetAddress *string  `json:"asset_address" description:"Address of its contract."`
	Faucet       *string  `json:"faucet" format:"uri" description:"Address that gives test money; null without one."`
	Wallets      []string `json:"wallets" nullable:"false" description:"Kinds of wallets that pages of the service pay with: eip1193, a wallet in the browser."`
	Product      string   `json:"product" description:"Name of the service."`

	Prices prices       `json:"prices" description:"Prices in US dollars."`
	Chat   validity     `json:"chat" description:"Writing in the chat, for the caller that the credential identifies. Active without an end when the chat is free of charge."`
	TV     validity     `json:"tv" description:"Pass of the network that the call comes from, which lifts the limit of free minutes."`
	Passes []pass.Shown `json:"passes" nullable:"false" description:"Passes in force of the caller that the credential identifies."`
	Limits limits       `json:"limits" description:"Caps of a library."`
}

// prices are those in force, in US dollars with at least two decimals.
type prices struct {
	Contact string  `json:"contact_agent_usd" description:"Price of one message of an agent to the operator."`
	Chat    string  `json:"chat_month_usd" description:"Price of writing in the chat for 30 days."`
	Abuse   *string `json:"abuso_24h_usd" description:"Price of calls without a browser's User-Agent; null, since they are not charged."`
}

// A validity is until when something that can be bought is in force.
type validity struct {
	Active bool    `json:"active"`
	Until  *string `json:"until" format:"date-time" description:"End in UTC; null when it is not active, or has no end."`
}

type limits struct {
	Categories int `json:"categories" description:"Folders of an owner."`
	Groups     int `json:"groups_per_category" description:"Sub-tabs of a folder."`
	Items      int `json:"items_per_group" description:"Channels of a sub-tab."`
}

// assetName is what the stablecoin is called on every network that is supported.
const assetName = "USDC"

// liveNetwork is the network of real money; every other one is a test network.
const liveNetwork = "base"

// billing returns the document for the caller. It reads the passes of the caller and
// of the caller's network.
func (s *Server) billing(ctx context.Context, _ struct{}) (document, error) {
	d := s.document()
	if s.Till.Free() {
		return d, nil
	}
	now := s.Now()
	if owner, err := identity.OwnerOf(ctx); err == nil {
		passes, err := pass.Of(ctx, s.DB, owner)
		if err != nil {
			return d, fault.OrUnavailable(err)
		}
		until, valid := passes.Chat(now)
		d.Chat, d.Passes = validityOf(until, valid), passes.Show(now)
	}
	for _, name := range s.network(ctx) {
		until, err := pass.NetworkUntil(ctx, s.DB, name)
		if err != nil {
			return d, fault.OrUnavailable(err)
		}
		if now.Before(until) {
			d.TV = validityOf(until, true)
		}
	}
	return d, nil
}

func validityOf(until time.Time, active bool) validity {
	if !active {
		return validity{}
	}
	return validity{true, stamp(until)}
}

// document returns what does not depend on the caller.
func (s *Server) document() document {
	d := document{
		Provider: "x402", Mode: "free", Gratis: true, Dev: s.Payment.Dev, Wallets: []string{}, Product: config.Product,
		Prices: prices{Contact: price.Amount(0).USD(), Chat: price.Amount(0).USD()},
		Chat:   validity{Active: true}, Passes: []pass.Shown{},
		Limits: limits{library.MaxCategories, library.MaxGroups, library.MaxItems},
	}
	terms, ok := s.terms()
	if !ok {
		return d
	}
	asset, name := terms.Asset, assetName
	d.Network, d.ChainID, d.PayTo, d.Asset, d.AssetAddress = &asset.Network, &asset.ChainID, &terms.PayTo, &name, &asset.Address
	d.Facilitator, d.Faucet = textOrNil(s.Payment.Facilitator), textOrNil(s.Payment.Faucet)
	d.Mode, d.Homolog, d.Gratis, d.Chat = "live", asset.Network != liveNetwork, false, validity{}
	if d.Homolog {
		d.Mode = "test"
	}
	d.Wallets = append(d.Wallets, "eip1193")
	d.Prices = prices{Contact: price.Of(price.Contact).Amount.USD(), Chat: price.Of(price.ChatPass).Amount.USD()}
	return d
}

// terms returns terms of the till, which name the network and the receiver of every
// payment; false when nothing is sold.
func (s *Server) terms() (x402.Terms, bool) {
	offer := s.Till.Offer(billing.Order{Products: []price.Product{price.ChatPass}, URL: s.Base}, "")
	if len(offer.Terms) == 0 {
		return x402.Terms{}, false
	}
	return offer.Terms[0], true
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
