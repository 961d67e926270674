package openapi_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/openapi"
	"miramundo.dev/shared/price"
)

var paid = []api.Endpoint{
	api.Bind(server.look, api.Endpoint{
		Name: "buy_pass", Method: "POST", Path: "/pass", Auth: api.Guest, Summary: "Buy a pass", Doc: "Buys a pass.", Prices: []price.Product{price.ChatPass},
	}),
	api.Bind(server.get, api.Endpoint{
		Name: "buy_credit", Method: "POST", Path: "/credit/{id}", Auth: api.None, Summary: "Buy a credit", Doc: "Buys a credit.",
		Prices: []price.Product{price.Credit5, price.Credit1, price.Credit25},
	}),
	api.Bind(server.look, api.Endpoint{Name: "get_credit", Method: "GET", Path: "/credit", Auth: api.None, Summary: "Get a credit", Doc: "Returns a credit.", Credit: true}),
}

// describe returns the document of a table as a tree, after it was held to the
// standard.
func describe(t *testing.T, table []api.Endpoint) (at func(path ...string) any) {
	t.Helper()
	raw, err := openapi.Document(openapi.Info{Title: "T", Description: "D", Version: "v", BaseURL: "https://t.example"}, table)
	if err != nil {
		t.Fatal(err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(raw)
	if err != nil {
		t.Fatal(err)
	}
	if err := doc.Validate(context.Background()); err != nil {
		t.Error(err)
	}
	var root any
	if err := json.Unmarshal(raw, &root); err != nil {
		t.Fatal(err)
	}
	return func(path ...string) any {
		v := root
		for _, name := range path {
			m, _ := v.(map[string]any)
			v = m[name]
		}
		return v
	}
}

// TestPaid checks how paid operations are described: their price, their terms and
// what pays for them.
func TestPaid(t *testing.T) {
	at := describe(t, paid)
	for _, test := range []struct {
		path []string
		want string
	}{
		{[]string{"paths", "/pass", "post", "x-payment-info"}, `{"protocols":["x402"],"pricingMode":"fixed","price":"0.10"}`},
		{[]string{"paths", "/credit/{id}", "post", "x-payment-info"}, `{"protocols":["x402"],"pricingMode":"range","minPrice":"1.00","maxPrice":"25.00"}`},
		{[]string{"paths", "/credit", "get", "x-payment-info"}, `null`},
		{[]string{"paths", "/credit/{id}", "post", "security"}, `[{},{"credit":[]},{"payment":[]},{"paymentSignature":[]}]`},
		{[]string{"paths", "/credit", "get", "security"}, `[{"credit":[]}]`},
		{[]string{"paths", "/pass", "post", "responses", "402", "$ref"}, `"#/components/responses/PaymentRefusedOrPaymentRequired"`},
		{[]string{"components", "responses", "PaymentRefusedOrPaymentRequired", "content", "application/json", "schema", "allOf"}, `[
			{"$ref":"#/components/schemas/Error"},
			{"type":"object","properties":{
				"error":{"type":"string","enum":["payment_refused","payment_required"],"description":"Code of the failure, for programs."},
				"x402Version":{"type":"integer","enum":[1],"description":"Version of the protocol x402 that accepts follows."},
				"accepts":{"type":"array","items":{"$ref":"#/components/schemas/PaymentRequirement"},
					"description":"The payments that the call accepts: pay one of them and repeat the call with it in X-PAYMENT."}}}]`},
		{[]string{"paths", "/credit", "get", "responses", "402"}, `null`},
		{[]string{"x-discovery"}, `{"ownershipProofs":[]}`},
	} {
		if diff := cmp.Diff(tree(t, test.want), at(test.path...)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", test.path, diff)
		}
	}
	for _, path := range [][]string{
		{"components", "responses", "PaymentRefusedOrPaymentRequired", "headers", "PAYMENT-REQUIRED"},
		{"paths", "/credit/{id}", "post", "responses", "200", "headers", "PAYMENT-RESPONSE"},
		{"paths", "/credit/{id}", "post", "responses", "200", "headers", "X-PAYMENT-RESPONSE"},
		{"components", "schemas", "PaymentRequirement", "properties", "maxAmountRequired"},
		{"components", "securitySchemes", "paymentSignature"},
	} {
		if at(path...) == nil {
			t.Errorf("the document has no %q", path)
		}
	}
	if list, _ := at("paths", "/pass", "post", "security").([]any); len(list) != 16 || !slices.ContainsFunc(list, func(one any) bool {
		return cmp.Equal(one, map[string]any{"guest": []any{}, "payment": []any{}})
	}) {
		t.Errorf("a guest may pay by %v", list)
	}
}

// TestDiscovery checks that the text for language models is named where there is one,
// and that a table without paid operations describes no payments.
func TestDiscovery(t *testing.T) {
	text := api.Bind(server.look, api.Endpoint{Name: "get_text", Method: "GET", Path: "/llms.txt", Auth: api.None, Summary: "T", Doc: "T."})
	want := tree(t, `{"ownershipProofs":[],"llmsTxtUrl":"https://t.example/llms.txt"}`)
	if diff := cmp.Diff(want, describe(t, append(slices.Clip(paid), text))("x-discovery")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	at := describe(t, []api.Endpoint{text})
	if at("x-discovery") != nil || at("components", "schemas", "PaymentRequirement") != nil {
		t.Error("a table without paid operations describes payments")
	}
}
