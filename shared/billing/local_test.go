package billing_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/facilitator"
	"miramundo.dev/shared/billing/localnet"
	"miramundo.dev/shared/billing/localnet/nettest"
	"miramundo.dev/shared/billing/x402"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/keyring/keyringtest"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/store/sealed"
	"miramundo.dev/shared/wire/wiretest"
)

const receiver = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"

// TestLocalNetwork sells over HTTP for payments with real signatures, while the local
// facilitator fails in each way: the first answer, and the pass for the same call once
// the facilitator is well. Each payment moves its amount once.
func TestLocalNetwork(t *testing.T) {
	for _, test := range []struct {
		fault localnet.Fault
		want  error // of the first call; nil for a pass
	}{
		{localnet.None, nil},
		{localnet.Down, price.ErrUnavailable},
		{localnet.Busy, price.ErrUnavailable},
		{localnet.Page, price.ErrUnavailable},
		{localnet.VerifyLie, price.ErrRefused},
		{localnet.SettleDrop, price.ErrPending},
	} {
		t.Run("fault="+string(test.fault), func(t *testing.T) {
			net := nettest.New(t)
			till := tillOf(t, net)
			o := billing.Order{Products: []price.Product{price.ChatPass}, Route: "POST /x", URL: "https://mira.example/x", Owner: "g_1"}
			for version := 1; version <= 2; version++ {
				wallet := net.Wallet(t, 15*price.Cent)
				header := wallet.PayTerms(t, till.Offer(o, "").Terms[0], version)
				shown := identity.Credentials{Payment: header}
				net.Fail(test.fault, 1)
				_, err := till.Sell(t.Context(), o, shown)
				if !errors.Is(err, test.want) {
					t.Errorf("version %d: %v, want %v", version, err, test.want)
				}
				sale, err := till.Sell(t.Context(), o, shown)
				if err != nil || !sale.Charged || sale.Receipt.Payer != wallet.Address {
					t.Errorf("version %d again: %+v, %v", version, sale, err)
				}
				if paid := net.Holds(t, receiver); paid != price.Amount(version)*10*price.Cent || net.Holds(t, wallet.Address) != 5*price.Cent {
					t.Errorf("version %d: the receiver has %s", version, paid.USD())
				}
			}
			if list, err := till.Purchases(t.Context(), "g_1"); err != nil || len(list) != 2 {
				t.Errorf("%d purchases, %v", len(list), err)
			}
		})
	}
}

// TestPoor shows a payment that the payer's balance does not cover.
func TestPoor(t *testing.T) {
	net := nettest.New(t)
	till := tillOf(t, net)
	o := billing.Order{Products: []price.Product{price.ChatPass}, Route: "POST /x", URL: "https://mira.example/x", Owner: "g_1"}
	header := net.Wallet(t, 9*price.Cent).PayTerms(t, till.Offer(o, "").Terms[0], 1)
	if _, err := till.Sell(t.Context(), o, identity.Credentials{Payment: header}); !errors.Is(err, price.ErrRefused) || net.Holds(t, receiver) != 0 {
		t.Errorf("%v; the receiver has %s", err, net.Holds(t, receiver).USD())
	}
}

// tillOf returns a till that takes payments on a network.
func tillOf(t *testing.T, net *nettest.Net) *billing.Till {
	t.Helper()
	asset, ok := x402.AssetOf(localnet.Network)
	if !ok {
		t.Fatal("the local network has no asset")
	}
	return billing.New(billing.Options{
		DB: sealed.DB(wiretest.OpenDB(t), keyringtest.Ring(strings.Repeat("k", 32))), Asset: asset, PayTo: receiver,
		Facilitator: facilitator.New(facilitator.Options{URLs: []string{net.URL}, RPC: net.RPC, Log: slog.New(slog.DiscardHandler)}),
		Log:         slog.New(slog.DiscardHandler), Now: time.Now,
	})
}
