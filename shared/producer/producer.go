// Package producer describes what the service offers to the producers of channels and
// programmes whose transmission they authorize.
//
// It is information on consultation. Nothing is provisioned, charged or activated by it.
package producer

import "miramundo.dev/shared/i18n"

// services are the texts of what is offered, in order.
var services = []string{"catalog", "guide", "health", "review"}

// An Offering is the body of GET /api/producers.
type Offering struct {
	Status       string   `json:"status" enum:"sob_consulta" description:"Always sob_consulta: on request."`
	Activation   bool     `json:"activation_available" description:"Always false: nothing is activated through the API."`
	Title        string   `json:"title" description:"Title of the offer."`
	Description  string   `json:"description" description:"Text of the offer."`
	Audience     string   `json:"audience" description:"Audience of the service."`
	Services     []string `json:"services" description:"Services of the offer."`
	Requirements string   `json:"requirements" description:"Conditions of the offer."`
	Availability string   `json:"availability" description:"Availability of the offer."`
	Pricing      string   `json:"pricing" description:"Terms of the prices."`
	Contact      contact  `json:"contact" description:"Ways to get in touch."`
	Links        links    `json:"_links"`
}

// contact is how a project begins.
type contact struct {
	Email        *string `json:"email" description:"Null when the operator shows none."`
	FormURL      string  `json:"form_url" format:"uri"`
	APIURL       string  `json:"api_url" format:"uri"`
	Template     string  `json:"message_template" description:"Text to fill in and send."`
	Instructions string  `json:"instructions" description:"Instructions for getting in touch."`
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
}

// Of returns the information in a language.
func Of(l i18n.Locale, at Addresses) Offering {
	text := func(key string) string { return l.T("producer."+key, nil) }
	info := Offering{
		Status: "sob_consulta", Title: text("title"), Description: text("description"), Audience: text("audience"),
		Requirements: text("requirements"), Availability: text("availability"), Pricing: text("pricing"),
		Contact: contact{FormURL: at.Form, APIURL: at.API, Template: text("template"), Instructions: text("instructions")},
		Links:   links{at.Self, at.Page},
	}
	if at.Email != "" {
		info.Contact.Email = &at.Email
	}
	for _, s := range services {
		info.Services = append(info.Services, text("service."+s))
	}
	return info
}
