// Package vitrine publishes the numbers of the service: once an hour a job folds the
// counts of the last 31 days into one document, from which they are served.
//
//	vitrine/current    a Publication: the rounded numbers for everyone, and the exact ones for the operator
//
// Numbers for everyone are rounded to two significant digits. A number that was not
// measured is null, which is not the same as zero: days before the first count, a
// catalog that is not loaded, a time with no call.
package vitrine

import (
	"context"
	"encoding/json"
	"time"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/store"
)

const current = store.Path("vitrine/current")

// Version is the version of the contract of the public numbers.
const Version = 1

// StaleAfter is the age after which the numbers are marked as stale: the job has
// missed a day by then.
const StaleAfter = 26 * time.Hour

// Series is how many days are listed, today included.
const Series = 31

// A Publication is what one run of the job publishes. What it holds is encoded, so
// that a field that is added later needs no migration.
type Publication struct {
	At       store.Time `json:"at"`
	Public   []byte     `json:"public"`   // a Public
	Operator []byte     `json:"operator"` // an Operator
}

// Read returns the last publication, or store.ErrNotFound before the first.
func Read(ctx context.Context, db store.DB) (Publication, error) {
	var p Publication
	err := db.Get(ctx, current, &p)
	return p, err
}

// Decode returns what p holds.
func (p Publication) Decode() (public Public, operator OperatorNumbers, err error) {
	if err = json.Unmarshal(p.Public, &public); err == nil {
		err = json.Unmarshal(p.Operator, &operator)
	}
	return public, operator, err
}

// Number is a number, or null when it was not measured.
type Number = *int64

// A Head is the part of the public numbers that is always there.
type Head struct {
	Version   int     `json:"v" description:"Version of this contract, 1."`
	Product   string  `json:"produto"`
	Published bool    `json:"publicado" description:"False before the first publication: then there are no other fields than these five."`
	UpdatedAt *string `json:"atualizado_em" format:"date-time" description:"Time of the last publication, which happens every hour; null before the first one."`
	Stale     bool    `json:"stale" description:"True when the numbers are older than 26 hours."`
}

// HeadOf returns the head of numbers published at a time, as it is seen now; of none
// when at is zero.
func HeadOf(at, now time.Time) Head {
	h := Head{Version: Version, Product: config.Product}
	if !at.IsZero() {
		text := at.UTC().Format(time.RFC3339)
		h.Published, h.UpdatedAt, h.Stale = true, &text, now.Sub(at) > StaleAfter
	}
	return h
}

// Public are the numbers for everyone, besides the Head.
type Public struct {
	Name     string `json:"nome,omitempty" description:"Name of the product."`
	Since    string `json:"desde,omitempty" format:"date" description:"First day that was counted."`
	TimeZone string `json:"fuso,omitempty" description:"Time zone of the days: UTC."`

	Today   *DayNumbers    `json:"hoje,omitempty" description:"Today until the numbers were published."`
	Days    []DayNumbers   `json:"dias,omitempty" description:"Up to 31 days, oldest first, today included."`
	Windows *NumberWindows `json:"janelas,omitempty" description:"Sums of the last days, today included."`

	Visitors   *NumberSpans        `json:"visitantes,omitempty" description:"Different visitors of pages, estimated. Visitors of two days cannot be linked, so one who comes on both counts on both."`
	People     *NumberSpans        `json:"pessoas,omitempty" description:"People whose browser ran the page's script, each once a day."`
	Agents     *AgentNumbers       `json:"agentes,omitempty" description:"Calls by AI agents."`
	Surfaces   *SurfaceNumbers     `json:"superficies,omitempty" description:"Calls of the last 30 days by surface."`
	MCP        *MCPNumbers         `json:"mcp,omitempty" description:"Calls of the Model Context Protocol in the last 30 days."`
	Use        *UseNumbers         `json:"uso,omitempty" description:"Uses of channels in the last 30 days."`
	Accounts   *AccountNumbers     `json:"contas,omitempty" description:"Guests and sign-ins of the last 30 days."`
	Quality    *ReliabilityNumbers `json:"confiabilidade,omitempty" description:"Failures and times of all calls in the last 30 days."`
	Catalog    *CatalogNumbers     `json:"catalogo,omitempty" description:"The catalog as it is now."`
	Supporters *SupportNumbers     `json:"apoio,omitempty" description:"Interest in what is sold, in the last 30 days."`
}

// NumberSums are what was counted in some days.
type NumberSums struct {
	Pages    Number `json:"paginas" description:"Pages that people opened."`
	API      Number `json:"api" description:"Calls of the API and of MCP, by any caller."`
	AI       Number `json:"api_ia" description:"Calls of the API and of MCP by AI agents; MCP calls all count as theirs."`
	Machine  Number `json:"maquina" description:"Pages and documents that crawlers, agents and other programs read."`
	Visitors Number `json:"visitantes" description:"Different visitors of pages, estimated, each once a day."`
	Use      Number `json:"uso" description:"Plays, one for each person, channel and day, estimated."`
}

// DayNumbers are what was counted on a day.
type DayNumbers struct {
	Day string `json:"dia" format:"date"`
	NumberSums
}

// NumberWindows are the sums of some days until today.
type NumberWindows struct {
	Week  WindowNumbers `json:"d7" description:"The last 7 days."`
	Month WindowNumbers `json:"d30" description:"The last 30 days."`
}

// WindowNumbers are the sum of some days.
type WindowNumbers struct {
	NumberSums
	Days int `json:"dias" description:"Days of the window that were counted."`
}

// NumberSpans are a number of today and of the windows.
type NumberSpans struct {
	Today Number `json:"hoje"`
	Week  Number `json:"d7"`
	Month Number `json:"d30"`
}

// AgentNumbers are calls by AI agents.
type AgentNumbers struct {
	NumberSpans
	Families []NamedNumber `json:"familias" nullable:"false" description:"Calls of the last 30 days by who makes the agent, most first."`
}

// A NamedNumber is a number with a name.
type NamedNumber struct {
	Name  string `json:"nome"`
	Count Number `json:"chamadas"`
}

// SurfaceNumbers are calls by surface.
type SurfaceNumbers struct {
	Site      Number `json:"site"`
	API       Number `json:"api"`
	MCP       Number `json:"mcp"`
	Feeds     Number `json:"feeds" description:"Playlists of libraries, folders and searches."`
	Hop       Number `json:"hop" description:"Playlists of streams."`
	Chat      Number `json:"chat"`
	Documents Number `json:"documentos" description:"Descriptions for programs, such as llms.txt and OpenAPI."`
}

// MCPNumbers are calls of tools.
type MCPNumbers struct {
	Calls Number        `json:"chamadas" description:"Requests to the MCP endpoint."`
	Tools []NamedNumber `json:"ferramentas" nullable:"false" description:"Calls of tools, most first."`
}

// UseNumbers are what was done with channels.
type UseNumbers struct {
	Plays     Number `json:"reproducoes" description:"Plays through the stream hop, one for each person, channel and day, estimated."`
	Reports   Number `json:"relatos" description:"Reports that a channel played or not."`
	Favorites Number `json:"favoritos" description:"Favorites that were added."`
	Comments  Number `json:"comentarios" description:"Comments that were posted."`
	Messages  Number `json:"mensagens" description:"Chat messages that were posted."`
	Feeds     Number `json:"listas" description:"Playlists that players and programs read."`
}

// AccountNumbers are how people came to a library.
type AccountNumbers struct {
	Guests  Number `json:"convidados" description:"Guests that were created."`
	SignIns Number `json:"entradas" description:"Sign-ins with a valid proof of identity; a second factor may follow."`
}

// ReliabilityNumbers are how calls were answered.
type ReliabilityNumbers struct {
	Calls    Number `json:"chamadas"`
	Failures Number `json:"falhas_por_milhao" description:"Calls of a million that failed for a reason of the service."`
	Median   Number `json:"p50_ms" description:"Time within which half of the calls were answered, up to the next bound of 5, 10, 25, 50, 100, 250, 500, 1000 and 5000 ms; null beyond."`
	Slow     Number `json:"p95_ms" description:"Likewise for 95 of 100 calls."`
}

// CatalogNumbers are how much the catalog has.
type CatalogNumbers struct {
	Channels Number `json:"canais" description:"TV channels."`
	Stations Number `json:"radios" description:"Radio stations."`
	Streams  Number `json:"streams"`
	Playable Number `json:"tocaveis" description:"Channels and stations with a usable stream."`
}

// SupportNumbers are interest in what is sold.
type SupportNumbers struct {
	Prices    Number `json:"precos_vistos" description:"People who were shown a price, each once a day."`
	Purchases Number `json:"compras" description:"Purchases that were delivered, by payment or by credit."`
}

// OperatorNumbers are the exact numbers.
type OperatorNumbers struct {
	Public
	Routes []RouteNumbers  `json:"rotas" nullable:"false" description:"Calls of the last 7 days by route, most first."`
	Bounds []int64         `json:"limites_ms" nullable:"false" description:"Upper bounds of the buckets of times, in milliseconds; the last bucket has none."`
	Errors []NamedNumber   `json:"erros_de_clientes" nullable:"false" description:"Failures that pages reported in the last 7 days, by code, most first."`
	Cursor *string         `json:"borda" format:"date-time" description:"Time at which counts came from the processes last; null before the first ones."`
	Kinds  []CallerNumbers `json:"chamadores" nullable:"false" description:"Calls of the last 30 days by surface and kind of caller."`
}

// RouteNumbers are what was counted of a route.
type RouteNumbers struct {
	Route  string  `json:"rota" description:"Method and path; unmatched for calls that no route takes."`
	Calls  int64   `json:"chamadas"`
	Client int64   `json:"falhas_cliente" description:"Answered with a fault of the caller."`
	Server int64   `json:"falhas_servidor" description:"Answered with a fault of the service."`
	Bytes  int64   `json:"bytes" description:"Bytes of bodies, as they were sent."`
	Median Number  `json:"p50_ms"`
	Slow   Number  `json:"p95_ms"`
	Times  []int64 `json:"tempos" nullable:"false" description:"Answers by the buckets of limites_ms."`
}

// CallerNumbers are the number of calls of a surface by a kind of caller.
type CallerNumbers struct {
	Surface string `json:"superficie"`
	Kind    string `json:"tipo" description:"person, assistant, crawler, player or program; test for our own tests."`
	Calls   int64  `json:"chamadas"`
}
