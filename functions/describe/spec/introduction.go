package spec

import (
	"fmt"
	"strings"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/i18n"
)

// introduction returns the description of the public document. It explains once what
// all operations have in common.
func introduction(summary string, first []profile.Step) string {
	var locales []string
	for _, l := range i18n.Locales {
		locales = append(locales, "`"+l.Tag()+"`")
	}
	var calls strings.Builder
	for i, s := range first {
		fmt.Fprintf(&calls, "%d. `%s`: %s %s. %s\n", i+1, s.Name, s.Method, s.URL, s.Does)
	}
	return summary + strings.NewReplacer(
		"LOCALES", strings.Join(locales, ", "), "FIRSTCALLS\n", calls.String(), "TERMS\n", rows(profile.Terms), "WIRENAMES\n", rows(profile.WireNames),
		"BUDGETS\n", budgets(),
	).Replace(common)
}

// rows returns words as rows of a table.
func rows(words []profile.Word) string {
	var b strings.Builder
	for _, w := range words {
		fmt.Fprintf(&b, "| %s | %s |\n", w.Word, w.Means)
	}
	return b.String()
}

// budgets returns the budgets of calls as rows of a table.
func budgets() string {
	var b strings.Builder
	for _, one := range budget.All() {
		owner := "no limit"
		if one.Owner.AtOnce > 0 {
			owner = one.Owner.String()
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", one.Of, owner, one.Network)
	}
	return b.String()
}

const common = `

## First calls

FIRSTCALLS

## Credentials

Search, detail, guides and feeds need none. A guest token goes in ` + "`X-Guest-Token`" + `, an API key in ` + "`X-Api-Key`" + `; both are also
taken as ` + "`Authorization: Bearer`" + `. Pages of the service use the account cookie, with their Origin and ` + "`X-CSRF-Token`" + ` on writes.
A paid call is paid by x402 (` + "`X-PAYMENT`" + ` or ` + "`PAYMENT-SIGNATURE`" + `) or by a prepaid credit in ` + "`X-Credito`" + `.

## Errors

Every failure is JSON with ` + "`error`" + `, a stable code for programs, and ` + "`message`" + `, one sentence for people. ` + "`param`" + `, ` + "`reason`" + ` and
` + "`bound`" + ` say which input is wrong, why, and what its limit is. Each operation lists its codes. Three answers belong to no operation and
are not listed: a path that nothing serves answers 404 ` + "`not_found`" + `, a method that a path does not have answers 405
` + "`method_not_allowed`" + ` with the header Allow, and a path with a superfluous slash answers 308. Every GET also answers HEAD, and every
path OPTIONS. The pages for people are HTML and deliberately outside of this document; the sitemap lists them.

## Rate limits

Reading the catalog has no quota. Writes have budgets, which are made so that no person meets one: a call beyond them changes nothing and
answers 429 with ` + "`Retry-After`" + ` in seconds. So does 503, whose calls
succeed when they are repeated later. Where the cause of a 503 is known, ` + "`reason`" + ` names it: ` + "`storage_full`" + ` and ` + "`read_only`" + ` concern
writes alone, ` + "`busy`" + ` and ` + "`starting`" + ` pass by themselves. Repeating a write is safe where its description says so. GET /api/ has the free quota of watching.

| Calls | of one caller | of one network |
|---|---|---|
BUDGETS
## Paging

Lists take ` + "`limit`" + ` and ` + "`offset`" + `. A limit above the maximum is reduced to it. Search results carry ` + "`total`" + `, ` + "`next_offset`" + ` and
` + "`next`" + `, which are null on the last page.

## Caching

Answers that may be kept have an ` + "`ETag`" + `; send it in ` + "`If-None-Match`" + ` and an unchanged answer is 304 without a body. Every answer says
in ` + "`Cache-Control`" + ` how long it may be kept, and in ` + "`Vary`" + ` what it depends on.

## Languages

Labels and messages exist in LOCALES. ` + "`lang`" + ` in the query decides, then ` + "`Accept-Language`" + `; Portuguese is the default. Names of
channels are never translated.

## Glossary

| word | means |
|---|---|
TERMS

Some names on the wire are Portuguese, because the first clients used them. They do not change.

| name | means |
|---|---|
WIRENAMES
`

const operatorIntroduction = `The endpoints of the operator: releases of the catalog, jobs, blocks, moderation, payments and raw reports.

Each call sends a token of the operator in ` + "`Authorization: Bearer`" + `; a wrong one answers 401 ` + "`invalid_token`" + `, and a service without
one 503 ` + "`operator_token_unavailable`" + `. Scripts of other origins cannot call these endpoints. Errors, paging and languages are as in
the document of the public API, /openapi.json.`

// tags describe the groups of endpoints.
var tags = map[string]string{
	"account":      "Signing in, and the account: its profile, sessions, passkeys, devices, API keys and organizations. For pages of the service.",
	"admin":        "The catalog's releases, jobs, blocks and guide pins, and accounts. For the operator.",
	"billing":      "Prices, payments by x402, prepaid credits and purchases.",
	"catalog":      "Search, channels, streams and programme guides.",
	"chat":         "Chat rooms of channels, and the pass to write in them.",
	"claim":        "Moving what a guest owns into an account.",
	"comments":     "Comments on channels.",
	"contact":      "Messages to the operator, offers to partners and producers, and counting of visits.",
	"describe":     "Documents that describe the API.",
	"facets":       "The values of the filters of a search, with how many channels have each.",
	"favorites":    "The caller's favorite channels.",
	"feeds":        "Playlists and programme guides of a library for media players, by a secret address or by a login of Xtream Codes, and of public libraries.",
	"guest":        "Guest tokens.",
	"history":      "The channels that the caller has played.",
	"library":      "The caller's folders, sub-tabs and channels; what callers publish of them, follow and copy.",
	"mcp":          "The server of the Model Context Protocol, by which agents call operations of this API as tools.",
	"media":        "Logos, flags, and earlier addresses of streams.",
	"moderation":   "Reporting texts and hiding authors; for the operator, moderating them.",
	"radiobrowser": "Radio stations in the paths and formats of radio-browser, for its clients.",
	"reports":      "Reports whether channels play.",
	"status":       "Health of the service.",
	"takedown":     "Requests of rights holders, counter-notices, and the public log of both; for the operator, deciding them.",
	"vitrine":      "Public numbers of the service, and exact ones for the operator.",
	"beacon":       "Reports of errors in the pages.",
	"changes":      "Changes of the catalog between releases, and dumps of all of it.",
}
