package policy

import (
	"fmt"
	"slices"
	"strings"
)

// A layer is a set of packages with the packages of the module that they may
// import, in addition to those in their own folder. Patterns match whole
// folders.
type layer struct {
	packages, may, why string
}

// Sets of packages that several layers name.
const (
	words     = `shared/(fault|i18n|config|keyring)`
	keepers   = `shared/(store|bus|origin|blob)`
	suites    = `shared/(store/storetest|bus/bustest|apitest|catalog/index/indextest|probe/probetest(/.*)?|reference|killtest|keyring/keyringtest|wire/wiretest|metrics/metricstest|billing/localnet/nettest)|functions/web/webtest`
	leaves    = `shared/(store|bus)/(embedded|firestore|pubsub)(/.*)?`
	functions = `functions/\w+(/.*)?`

	layersOfIndex = `shared/catalog/index/(layout|state|search|hint|show)(/.*)?`
	anything      = `.*`
)

// layers are the allowed imports, lowest first. A package belongs to the
// first layer that matches it; a package without a layer is an error.
var layers = []layer{
	{`shared/policy`, ``, "the rules stand beside the code"},
	{`shared/keyring`, ``, "keys are parsed from text and used on bytes"},
	{words, `shared/(fault|keyring)`, "what everything may use depends on nothing; settings hold keys"},
	{suites, `shared/(account|billing|fault|keyring|mail|store|bus|api|catalog|origin|probe|source)(/.*)?|shared/(credential|i18n|identity|price|reference|wire)(/(wiretest|cloud))?`, "a suite imports what it tests"},
	{leaves, `shared/(fault|store|bus|store/embedded(/.*)?)`, "a leaf imports its contract and its vendor"},
	{`shared/store/sealed`, `shared/store`, "sealing is the same for every database"},
	{keepers + `|shared/overlay`, `shared/(fault|store)`, "documents, events and fetches come below all subjects"},
	{`shared/source(/.*)?`, words + `|` + keepers + `|shared/source(/.*)?`, "sources come before the catalog"},
	{`shared/site`, `shared/i18n`, "where pages are is a function of the locale"},
	{`shared/catalog/fold`, ``, "folding is a function of text"},
	{`shared/catalog/(translit|numeral)`, `shared/catalog/fold`, "spellings and numerals are functions of text"},
	{`shared/catalog/rank`, `shared/catalog`, "the choice of a stream is a function of values"},
	{`shared/(catalog/(reload|history|dump)|guide/refresh|logo/fetch|probe/round)`, words + `|` + keepers + `|shared/(job|source|catalog|guide|logo|raster|probe)(/.*)?`,
		"a job reads the catalog and runs its subject, without people or the web"},
	{`shared/catalog/(release|block)`, words + `|` + keepers + `|shared/(overlay|source|catalog)(/.*)?`, "what is kept of the catalog goes from the sources to the index"},
	{`shared/catalog/build(/.*)?`, words + `|shared/(source|catalog)(/(fold|rank|translit))?|shared/catalog/build/(clean|brand)`, "the register is made from values"},
	{`shared/catalog(/.*)?`, `shared/(fault|i18n|catalog)(/.*)?`, "the model and the index work without a database"},
	{`shared/agent`, ``, "the class of a caller is a function of text"},
	{`shared/price(/.*)?`, `shared/(fault|price)`, "what is sold is a list of values"},
	{`shared/identity`, words + `|` + keepers, "callers are identified without the catalog"},
	{`shared/budget`, words + `|shared/identity`, "a budget counts owners and networks in memory, and its documents are kept by others"},
	{`shared/fact(/.*)?`, words + `|` + keepers + `|shared/fact(/.*)?`, "facts are counted without knowledge of their subjects"},
	{`shared/social`, words + `|` + keepers + `|shared/(overlay|fact)`, "what people do is counted without the catalog"},
	{`shared/social/environment`, `shared/(agent|social)`, "where a channel plays is read from text"},
	{`shared/social/(counting|report)`, words + `|` + keepers + `|shared/(social|fact(/outbox)?)`, "counting and reports name channels by their ids"},
	{`shared/social/(kept|comment|speech|played)`, words + `|` + keepers + `|shared/(identity|moderation|fact(/.*)?|social(/.*)?)`, "what people keep and say belongs to an owner, and names channels by their ids"},
	{`shared/keptlist`, words + `|shared/(api/page|identity|catalog(/.*)?)`, "a list of what is kept needs the catalog, and no database"},
	{`shared/library/(public|follow)`, words + `|` + keepers + `|shared/(identity|moderation|library(/public)?|social/speech)`, "what an owner publishes is text that others read, and follow"},
	{`shared/library(/.*)?`, words + `|` + keepers + `|shared/(identity|catalog(/fold)?|library(/.*)?)`, "a library belongs to an owner, and holds channels"},
	{`shared/social/companion`, words + `|` + keepers + `|shared/(overlay|identity|job|library|catalog(/(index|similar))?|social(/kept)?)`,
		"what people keep together is counted from what each keeps"},
	{`shared/health`, words + `|shared/(store|social|catalog(/rank)?)`, "verdicts are functions of counts"},
	{`shared/cities`, `shared/(site|catalog(/.*)?)`, "stations are counted to cities from the catalog in memory"},
	{`shared/works`, `shared/(social|health|catalog(/.*)?)`, "what plays in a country is judged from counts and the catalog in memory"},
	{`shared/probe(/.*)?`, words + `|` + keepers + `|shared/(overlay|catalog|probe(/.*)?)`, "a measurement is of a stream, not of a channel"},
	{`shared/guide/setting`, `shared/catalog`, "a setting is parsed from text"},
	{`shared/guide/pin`, `shared/(fault|store)`, "a pin names channels by their ids"},
	{`shared/guide/match`, `shared/(catalog(/fold)?|source)`, "a match is a function of names"},
	{`shared/guide(/gather)?`, words + `|` + keepers + `|shared/(overlay|catalog(/fold)?|source(/xmltv)?|guide(/(setting|match|pin))?)`, "a guide names channels by their ids and names"},
	{`shared/raster`, `shared/fault`, "decoding is a function of bytes"},
	{`shared/logo/thumbnail`, `shared/(fault|logo|raster)`, "a logo is made from the bytes of a file"},
	{`shared/logo`, words + `|` + keepers + `|shared/(overlay|catalog)`, "a logo names channels by their ids"},
	{`shared/nowplaying`, `shared/origin`, "what a station plays is read from its address"},
	{`shared/qr`, ``, "a code is a function of text"},
	{`shared/account/(password|throttle|factor|challenge)`, words + `|` + keepers + `|shared/(identity|keyring|budget)`, "a proof of identity is checked without the account"},
	{`shared/account/passkey`, words + `|shared/(store|identity)`, "a passkey belongs to an owner, and is verified without documents"},
	{`shared/account(/.*)?`, words + `|` + keepers + `|shared/(identity|keyring|raster|mail|account|library|catalog|fact|social|site|price|billing|chat|moderation)(/.*)?`,
		"an account owns what guests own, and is reached by mail"},
	{`shared/billing/(x402|facilitator|localnet)`, words + `|` + keepers + `|shared/price|shared/billing/(x402|facilitator)`, "payments are verified and settled without the things that they buy"},
	{`shared/billing/pass`, words + `|` + keepers + `|shared/(identity|price)`, "until when a pass is valid is read without a payment"},
	{`shared/billing(/.*)?`, words + `|` + keepers + `|shared/(identity|price|billing)(/.*)?`, "a purchase belongs to an owner, and names what was bought by its kind"},
	{`shared/moderation`, words + `|` + keepers + `|shared/identity`, "limits of an owner's speech are read without the texts"},
	{`shared/chat(/.*)?`, words + `|` + keepers + `|shared/(identity|moderation|billing/pass|chat)|shared/social/speech`, "a message belongs to an owner with a pass, and names a channel by its id"},
	{`shared/moderation/act`, words + `|` + keepers + `|shared/(account/claim|identity|library(/public)?|moderation|chat|social/comment|fact/outbox)`, "the operator acts on texts of every kind"},
	{`shared/(job|stream|feed|numbers)(/.*)?`,
		words + `|` + keepers + `|shared/catalog`, "a subject imports the catalog at most; other neighbours are named here"},
	{`shared/(partner|producer)`, `shared/i18n`, "what is offered by agreement is a list of texts"},
	{`shared/visit`, words + `|` + keepers + `|shared/(agent|identity|fact(/.*)?)`, "visits are counted without knowledge of what was seen"},
	{`shared/metrics`, `shared/(store|bus|overlay|api|api/(cloudlog|request))`, "what a process does is counted without knowledge of the subjects"},
	{`shared/trace`, `shared/bus`, "what a request leads to is recorded without knowledge of the subjects"},
	{`shared/usage/edge`, `shared/(agent|identity|usage|api/request)`, "calls are counted as the request layer finishes them"},
	{`shared/usage`, words + `|` + keepers + `|shared/(agent|identity|fact)`, "usage is counted without knowledge of the subjects"},
	{`shared/vitrine`, words + `|` + keepers + `|shared/(agent|identity|job|usage|visit)`, "public numbers are a function of counts"},
	{`shared/clienterror`, ``, "reports of pages are values, without callers or documents"},
	{`shared/takedown`, words + `|` + keepers + `|shared/(catalog(/(block|index))?|mail(/outbox)?|moderation/act|site)`, "a takedown request blocks what it names, is answered by mail, and is logged as an act"},
	{`shared/contact`, words + `|` + keepers + `|shared/(mail(/.*)?|billing)`, "a message to the operator is sent by mail, and may be paid for"},
	{`shared/human`, words + `|` + keepers, "people are verified by a provider, and each token is used once"},
	{`shared/mail/outbox`, `shared/store`, "a mail is stored by its subject, and sent from there"},
	{`shared/mail(/.*)?`, words + `|shared/mail(/.*)?`, "a mail is made from values, and sent"},
	{`shared/credential`, `shared/identity`, "credentials are read from headers and verified by identity"},
	{`shared/api/request`, words + `|shared/(identity|credential|overlay|budget|trace|api(/.*)?)`, "the request layer serves every process, and imports no subject"},
	{`shared/api(/.*)?`, words + `|shared/(identity|price|budget)|shared/api(/.*)?`, "the web layer serves every subject, and imports none"},
	{`shared/wire(/cloud)?`, words + `|` + keepers + `|shared/wire|` + leaves, "wire opens what the configuration names"},
	{`shared/compose`, words + `|` + keepers + `|shared/store/sealed|shared/(account|budget|wire|overlay|identity|job|source|catalog|guide|logo|probe|social|fact|library|mail|billing|contact|human|metrics|nowplaying|price|takedown|trace|usage|visit)(/.*)?`, "compose opens subjects and answers no requests"},
	{`shared/container`, `shared/(api/cloudlog|compose|config|metrics)`, "a container is started from its declaration"},
	{`functions/web/markdown`, ``, "Markdown is a function of HTML"},
	{`functions/web/page`, `shared/.*|functions/web/(static|templates|poster|markdown)`, "the machinery of all pages imports no page"},
	{`functions/web/\w+`, `shared/.*|functions/web/(page|part|poster|private)`, "a page imports the machinery of all pages, and no other page"},
	{`functions/describe/profile`, `shared/.*`, "the facts about the service come before the documents that state them"},
	{`functions/describe/\w+`, `shared/.*|functions/describe/profile`, "a document states facts, and no other document"},
	{functions, `shared/.*`, "functions are deployed apart; they meet in shared"},
	{`hop/(playlist|ticket)`, `shared/(fault|keyring|catalog)|hop/playlist`, "rewriting and tickets are functions of values"},
	{`hop(/.*)?`, `(shared|hop)/.*`, "a container holds no functions"},
	{`chatroom(/.*)?`, `(shared|chatroom)/.*`, "a container holds no functions"},
	{`functions|functions/serve|miramundo(/.*)?|scripts/.*`, anything, "what puts the service together may use all of it"},
}

// composers may import the leaves through wire's packages and all functions.
const composers = `functions|functions/serve|miramundo(/.*)?|scripts/.*|hop|chatroom`

// Imports checks that packages import only packages below them.
func Imports(t *Tree) []string {
	var found []string
	for _, f := range t.code() {
		for _, im := range f.Imports {
			if why := importProblem(f.Dir, im); local(im) && why != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", f.Path, im, why))
			}
		}
	}
	return found
}

// importProblem returns why a package may not import another, or "".
func importProblem(dir, im string) string {
	switch {
	case match(suites, im) && !match(suites+`|scripts/bench(/.*)?`, dir):
		return "only tests import a test suite"
	case match(leaves, im) && !match(leaves+`|shared/wire(/cloud)?|miramundo/.*|scripts/.*`, dir):
		return "only wire opens a leaf"
	case im == "shared/wire/cloud" && !match(composers+`|shared/wire/wiretest`, dir):
		return "only programs have the cloud's clients; suites have them by the build tag emulators"
	case im == "shared/compose" && !match(composers+`|(hop|chatroom)/server|shared/container`, dir):
		return "the table and the mains open parts; a function is given those that it declares"
	case match(layersOfIndex, im) && !match(`shared/catalog/index(/.*)?`, dir):
		return "the layers of the index meet in shared/catalog/index"
	case match(composers, dir) || strings.HasPrefix(im, dir+"/"):
		return ""
	}
	i := slices.IndexFunc(layers, func(l layer) bool { return match(l.packages, dir) })
	if i < 0 {
		return "the package stands in no layer: place it in shared/policy"
	}
	if l := layers[i]; !match(l.may, im) {
		return l.why
	}
	return ""
}

// TestImports checks that even tests do not import packages above their own.
func TestImports(t *Tree) []string {
	var found []string
	for _, f := range t.Files {
		for _, im := range f.Imports {
			if f.Test && match(`shared/.*`, f.Dir) && match(`(functions|hop|chatroom|miramundo|scripts)(/.*)?`, im) {
				found = append(found, fmt.Sprintf("%s imports %s: shared code is below what uses it", f.Path, im))
			}
		}
	}
	return found
}

// A vendorHome lists the packages that may import an external module, except
// in tests.
type vendorHome struct {
	module, dirs string
}

// vendorHomes are the external modules in use with the packages that may
// import them. Using a module elsewhere is a decision that is made here.
var vendorHomes = []vendorHome{
	{`cloud\.google\.com/go/firestore(/.*)?`, `shared/store/firestore`},
	{`cloud\.google\.com/go/pubsub/v2(/.*)?`, `shared/bus/pubsub`},
	{`google\.golang\.org/api/(idtoken|option)`, `functions/jobs|shared/store/firestore|shared/bus/pubsub`},
	{`google\.golang\.org/.*|github\.com/googleapis/.*`, `shared/store/firestore|shared/bus/pubsub`},
	{`modernc\.org/sqlite(/.*)?`, `shared/(store|bus)/embedded(/.*)?|shared/catalog/dump|scripts/bench(/.*)?`},
	{`github\.com/arran4/golang-ical`, `functions/catalog`},
	{`github\.com/caarlos0/env/.*`, `shared/config`},
	{`github\.com/swaggest/.*`, `shared/api/openapi`},
	{`github\.com/getkin/kin-openapi(/.*)?`, `shared/apitest`},
	{`code\.dny\.dev/ssrf`, `shared/origin`},
	{`github\.com/andybalholm/brotli`, `shared/(api/encoding|apitest|origin)`},
	{`github\.com/cespare/xxhash/v2`, `shared/(api|social|catalog/index/(state|show))|functions/catalog`},
	{`github\.com/maypok86/otter/v2`, `shared/api/encoding|functions/catalog`},
	{`github\.com/klauspost/compress(/.*)?`, `shared/(api/encoding|apitest|origin|source(/.*)?|catalog/.*|blob|feed)|hop/upstream|scripts/bench(/.*)?`},
	{`github\.com/bluenviron/mediacommon/v2(/.*)?`, `shared/probe/(media/codec|probetest/clip)`},
	{`github\.com/grafov/m3u8`, `shared/probe/measure/manifest`},
	{`github\.com/HugoSmits86/nativewebp`, `shared/raster`},
	{`github\.com/sergeymakinen/.*`, `shared/raster`},
	{`golang\.org/x/image(/.*)?`, `shared/raster|functions/web/poster`},
	{`github\.com/ulikunitz/xz(/.*)?`, `shared/source/xmltv/packing`},
	{`github\.com/golang-jwt/jwt/v5`, `shared/identity`},
	{`golang\.org/x/time/rate`, `shared/probe/round`},
	{`github\.com/go-webauthn/webauthn/(webauthn|protocol)`, `shared/account/passkey`},
	{`github\.com/axiomhq/hyperloglog`, `shared/usage`},
	{`github\.com/mileusna/useragent`, `shared/(agent|social/environment)`},
	{`github\.com/wneessen/go-mail(/.*)?`, `shared/mail(/smtp)?`},
	{`golang\.org/x/text(/.*)?`, `shared/(i18n|mail(/address)?|site|catalog(/.*)?|source(/.*)?|library|guide/match|nowplaying|social/speech)|functions/(catalog|web/(channel|part))`},
	{`github\.com/modelcontextprotocol/go-sdk/(mcp|jsonrpc)`, `functions/mcp`},
	{`github\.com/evanw/esbuild(/.*)?`, `scripts/assets`},
	{`github\.com/(CycloneDX/cyclonedx-go|google/licensecheck)`, `scripts/sbom`},
	{`github\.com/mozillazg/go-unidecode`, `shared/catalog/translit`},
	{`github\.com/rivo/uniseg`, `shared/(library|social/speech)`},
	{`github\.com/coder/websocket`, `chatroom/.*|scripts/(bench(/.*)?|chaos)`},
	{`golang\.org/x/net(/.*)?`, `shared/(origin|mail/address|source/.*|catalog(/.*)?|container)|functions/web/(markdown|webtest)`},
	{`github\.com/JohannesKaufmann/html-to-markdown/v2(/.*)?`, `functions/web/markdown`},
	{`golang\.org/x/sys(/.*)?`, `miramundo/backup|scripts/.*`},
	{`gonum\.org/v1/plot(/.*)?|github\.com/jackc/pgx/v5(/.*)?`, `scripts/bench(/.*)?`},
	{`golang\.org/x/sync(/.*)?`, `(shared|functions|scripts)/.*`},
	{`golang\.org/x/crypto/argon2`, `shared/account/password`},
	{`golang\.org/x/crypto/acme(/autocert)?`, `miramundo`},
	{`golang\.org/x/crypto/sha3|github\.com/decred/dcrd/dcrec/secp256k1/v4(/ecdsa)?`, `shared/billing/(x402|localnet/wallet)`},
	{`rsc\.io/qr`, `shared/qr`},
	{`github\.com/google/go-cmp(/.*)?`, `shared/(apitest|store/storetest|bus/bustest)`},
	{`github\.com/prometheus/client_golang/prometheus(/(collectors|promhttp))?`, `shared/metrics|scripts/dev/platform`},
	{`github\.com/prometheus/client_model/go`, `scripts/dev/platform`},
	{`github\.com/prometheus/(client_golang/prometheus/testutil/promlint|common/(expfmt|model))`, `shared/metrics/metricstest|scripts/(dev/platform|scale/check)`},
	{`go\.opentelemetry\.io/otel(/(attribute|codes|exporters/otlp/otlptrace/otlptracehttp|propagation|sdk/resource|sdk/trace(/tracetest)?|trace))?`, `shared/trace`},
	{`go\.opentelemetry\.io/proto/otlp/collector/trace/v1`, `functions`},
	{`github\.com/(lmittmann/tint|mattn/go-isatty)`, `scripts/dev`},
}

// Vendors checks that each external module is imported only by its own
// packages.
func Vendors(t *Tree) []string {
	var found []string
	for _, f := range t.code() {
		for _, im := range f.Imports {
			if standard(im) || local(im) {
				continue
			}
			if why := homeless(f.Dir, im); why != "" {
				found = append(found, fmt.Sprintf("%s imports %s: %s", f.Path, im, why))
			}
		}
	}
	return found
}

func homeless(dir, im string) string {
	i := slices.IndexFunc(vendorHomes, func(h vendorHome) bool { return match(h.module, im) })
	switch {
	case i < 0:
		return "name the packages that may import this module in shared/policy"
	case !match(vendorHomes[i].dirs, dir):
		return "a vendor stays in its leaves: " + vendorHomes[i].dirs
	}
	return ""
}

// httpPackages may import net/http: servers, and packages that make requests
// or read their responses.
const httpPackages = `shared/(api(/.*)?|credential|container|metrics(/metricstest)?|trace|apitest|origin|human|nowplaying|probe/probetest|guide/refresh|logo/fetch|billing(/(x402|facilitator|localnet(/.*)?))?)|shared/source/.+|functions(/.*)?|(hop|chatroom|miramundo|scripts)(/.*)?`

// HTTP checks that domain packages do not import net/http.
func HTTP(t *Tree) []string {
	var found []string
	for _, f := range t.code() {
		if slices.Contains(f.Imports, "net/http") && !match(httpPackages, f.Dir) {
			found = append(found, f.Path+" imports net/http: only the web layer and the guarded client use HTTP")
		}
	}
	return found
}
