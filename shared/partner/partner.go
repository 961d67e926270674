// Package partner describes the ways to support the service: what a sponsor, a partner
// or an advertiser can ask for, and what each space costs.
//
// It is information. Nothing is sold, reserved or activated by it: an agreement is made
// by a message to the operator.
package partner

import (
	"math"
	"slices"

	"miramundo.dev/shared/i18n"
)

// Consultation is the status of everything that is offered by agreement alone.
const Consultation = "sob_consulta"

// Kinds are the ids of the forms of support, as POST /api/contact takes them.
var Kinds = []string{"patrocinio", "parceria", "anuncio"}

// MaxSpaces is how many spaces one contact may ask for.
const MaxSpaces = 6

// A space is a place where the service can show a partner.
type space struct {
	id  string
	usd float64 // suggested, for 30 days
}

// spaces are in the order in which they are shown.
var spaces = []space{{"inicio", 60}, {"busca", 45}, {"pais", 30}, {"canal", 40}, {"radio", 25}, {"apoio", 10}}

// Spaces returns the ids of the spaces, in the order in which they are shown.
func Spaces() []string {
	var ids []string
	for _, s := range spaces {
		ids = append(ids, s.id)
	}
	return ids
}

// IsSpace reports whether there is a space with an id.
func IsSpace(id string) bool { return slices.Contains(Spaces(), id) }

// terms are the times that a space can be asked for, with their discounts.
var terms = []struct{ days, discount int }{{30, 0}, {90, 10}, {365, 25}}

// A Sponsoring is the body of GET /api/partners.
type Sponsoring struct {
	Status      string      `json:"status" enum:"sob_consulta" description:"Always sob_consulta: on request."`
	Product     string      `json:"produto" description:"Name of the service."`
	Language    string      `json:"idioma" enum:"pt,en,es,fr,de" description:"Language of the texts."`
	Title       string      `json:"titulo" description:"Title of the offer."`
	Description string      `json:"descricao" description:"Text of the offer."`
	Audience    string      `json:"publico" description:"People and programs that use the service."`
	Kinds       []kind      `json:"modalidades" description:"Kinds of partnership."`
	Placements  []placement `json:"placements" description:"Spaces that can be asked for, with suggested prices."`
	MaxSpaces   int         `json:"max_placements" description:"Largest number of spaces that one contact may ask for."`
	Note        string      `json:"observacao" description:"Explanation of the prices."`
	Sponsors    []string    `json:"patrocinadores" description:"Names of the present sponsors."`
	Wallet      *string     `json:"carteira" description:"Address that takes contributions in the stablecoin of the service; null when it takes none."`
	Contact     contact     `json:"contato" description:"Ways to get in touch."`
	Links       links       `json:"_links"`
}

// A kind is a form of support.
type kind struct {
	ID   string `json:"id" enum:"patrocinio,parceria,anuncio"`
	Name string `json:"nome" description:"Name of the kind."`
}

// A placement is a space.
type placement struct {
	ID          string  `json:"id" description:"As the field espaco of POST /api/contact takes it."`
	Name        string  `json:"nome" description:"Name of the space."`
	Description string  `json:"descricao" description:"Description of the space."`
	USD30       float64 `json:"preco_usd_30" description:"Suggested price in US dollars for 30 days."`
	Prices      []price `json:"precos" description:"Suggested prices of the space."`
}

// A price is what a space costs for a time.
type price struct {
	Days     int     `json:"dias" description:"30, 90 or 365."`
	USD      float64 `json:"usd" description:"Suggested price in US dollars for all days together."`
	Discount int     `json:"desconto_percentual" description:"By which it is below the price of 30 days for the same time."`
}

// contact is how an agreement begins.
type contact struct {
	FormURL string  `json:"form_url" format:"uri"`
	APIURL  string  `json:"api_url" format:"uri"`
	Email   *string `json:"email" description:"Null when the operator shows none."`
}

// links are addresses of the same information.
type links struct {
	Self string `json:"self" format:"uri"`
	Page string `json:"page" format:"uri"`
}

// Addresses are the parts of the information that depend on the installation.
type Addresses struct {
	Self, Page, Form, API string
	Email                 string // of the operator; empty when none is shown
	Wallet                string // that takes payments; empty without one
}

// Of returns the information about a product in a language.
func Of(l i18n.Locale, product string, at Addresses) Sponsoring {
	text := func(key string) string { return l.T("partner."+key, nil) }
	info := Sponsoring{
		Status: Consultation, Product: product, Language: l.Tag(), Title: text("title"), Description: text("description"),
		Audience: text("audience"), MaxSpaces: MaxSpaces, Note: text("note"), Sponsors: []string{}, Wallet: optional(at.Wallet),
		Contact: contact{FormURL: at.Form, APIURL: at.API, Email: optional(at.Email)}, Links: links{at.Self, at.Page},
	}
	for _, id := range Kinds {
		info.Kinds = append(info.Kinds, kind{id, text("kind." + id)})
	}
	for _, s := range spaces {
		info.Placements = append(info.Placements, placement{
			ID: s.id, Name: text("space." + s.id + ".name"), Description: text("space." + s.id + ".text"), USD30: s.usd, Prices: s.prices(),
		})
	}
	return info
}

// optional returns nil for an empty text.
func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// prices returns what s costs for each time, rounded to whole dollars.
func (s space) prices() (all []price) {
	for _, t := range terms {
		full := s.usd * float64(t.days) / 30
		all = append(all, price{t.days, math.Round(full * float64(100-t.discount) / 100), t.discount})
	}
	return all
}
