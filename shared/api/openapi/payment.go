package openapi

import (
	"maps"
	"slices"

	"github.com/swaggest/openapi-go/openapi31"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/price"
)

// Paid operations are described for programs that pay by the protocol x402, and for
// the directories that list such operations: the extension x-payment-info says what
// the operation costs, its response 402 holds the terms, and its security lists the
// headers that show a payment. All of it derives from [api.Endpoint.Prices].

// discovery returns the extension x-discovery of a document with paid operations. It names the text for
// language models when an endpoint of the table serves it.
func discovery(info Info, table []api.Endpoint) map[string]any {
	x := map[string]any{"ownershipProofs": []string{}}
	if slices.ContainsFunc(table, func(e api.Endpoint) bool { return e.Path == api.LLMsPath }) {
		x["llmsTxtUrl"] = info.BaseURL + api.LLMsPath
	}
	return x
}

// paymentInfo returns the extension x-payment-info of a paid operation: one price, or
// the range of several.
func paymentInfo(products []price.Product) map[string]any {
	var amounts []price.Amount
	for _, p := range products {
		amounts = append(amounts, price.Of(p).Amount)
	}
	x := map[string]any{"protocols": []string{"x402"}}
	if least, most := slices.Min(amounts), slices.Max(amounts); least == most {
		x["pricingMode"], x["price"] = "fixed", least.USD()
	} else {
		x["pricingMode"], x["minPrice"], x["maxPrice"] = "range", least.USD(), most.USD()
	}
	return x
}

// addTerms describes the terms in the response 402 of a paid operation: in its body
// for version 1 of x402, and in a header for version 2.
func addTerms(r *openapi31.Response, members map[string]any) {
	members["x402Version"] = map[string]any{"type": "integer", "enum": []int{1}, "description": "Version of the protocol x402 that accepts follows."}
	members["accepts"] = map[string]any{
		"type": "array", "items": map[string]any{"$ref": "#/components/schemas/" + requirementName},
		"description": "The payments that the call accepts: pay one of them and repeat the call with it in X-PAYMENT.",
	}
	r.WithHeadersItem("PAYMENT-REQUIRED", header("The same terms for version 2 of x402: JSON in base64.", "string"))
}

// addReceipt describes the headers of the response to a call that was paid for.
func addReceipt(r *openapi31.Response) {
	r.WithHeadersItem("X-PAYMENT-RESPONSE", header("The settlement of a payment shown in X-PAYMENT: JSON in base64.", "string"))
	r.WithHeadersItem("PAYMENT-RESPONSE", header("The settlement of a payment shown in PAYMENT-SIGNATURE: JSON in base64.", "string"))
}

// requirementName names the schema of the elements of accepts.
const requirementName = "PaymentRequirement"

// requirement is the schema of one way to pay, by version 1 of x402.
var requirement = map[string]any{
	"type":        "object",
	"description": "One payment that a call accepts, by version 1 of x402.",
	"required": []string{
		"scheme", "network", "maxAmountRequired", "resource", "description", "mimeType", "payTo", "maxTimeoutSeconds", "asset", "extra",
	},
	"properties": map[string]any{
		"scheme":            map[string]any{"type": "string", "description": "Always exact: the amount is paid to the unit."},
		"network":           map[string]any{"type": "string", "description": "The network to pay on, such as base."},
		"maxAmountRequired": map[string]any{"type": "string", "pattern": "^[0-9]+$", "description": "Amount in atomic units of the asset: millionths of a US dollar."},
		"resource":          map[string]any{"type": "string", "format": "uri", "description": "Address of the call that is paid for."},
		"description":       map[string]any{"type": "string", "description": "Product that the payment buys."},
		"mimeType":          map[string]any{"type": "string", "description": "Media type of the answer to the paid call."},
		"payTo":             map[string]any{"type": "string", "description": "Address of the receiver."},
		"maxTimeoutSeconds": map[string]any{"type": "integer", "description": "Seconds for which an authorization should be valid."},
		"asset":             map[string]any{"type": "string", "description": "Address of the token's contract."},
		"extra":             map[string]any{"type": "object", "description": "Name and version of the token's signing domain."},
	},
}

// paymentSchemes describe what pays for a call, by the names that security uses.
var paymentSchemes = map[string]openapi31.SecuritySchemeOrReference{
	"credit": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Prepaid credit (cred_...) that POST /api/credits sells, also taken as a bearer token.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInHeader, Name: "X-Credito"})),
	"payment": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Payment by version 1 of x402, for one of the terms in accepts of the answer 402: JSON in base64.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInHeader, Name: "X-PAYMENT"})),
	"paymentSignature": scheme((&openapi31.SecurityScheme{}).
		WithDescription("Payment by version 2 of x402, for one of the terms in the header PAYMENT-REQUIRED of the answer 402: JSON in base64.").
		WithAPIKey(openapi31.SecuritySchemeAPIKey{In: openapi31.SecuritySchemeAPIKeyInHeader, Name: "PAYMENT-SIGNATURE"})),
}

// paying returns the alternatives of list, followed by each of them together with
// each kind of payment. A paid call may be made without one: its answer is then 402,
// or what was paid for before.
func (b *builder) paying(list []map[string][]string) []map[string][]string {
	all := slices.Clone(list)
	for _, name := range slices.Sorted(maps.Keys(paymentSchemes)) {
		b.addScheme(name, paymentSchemes[name])
		for _, alternative := range list {
			with := maps.Clone(alternative)
			with[name] = []string{}
			all = append(all, with)
		}
	}
	return all
}
