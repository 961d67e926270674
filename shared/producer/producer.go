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
	Status       string   `json:"status" enum:"sob_consulta"`
	Activation   bool     `json:"activation_available" description:"Always false: nothing is activated through the API."`
	Title        string   `json:"title"`
	Description  string   `json:"description"`
	Audience     string   `json:"audience"`
	Services     []string `json:"services"`
	Requirements string   `json:"requirements"`
	Availability string   `json:"availability"`
	Pricing      string   `json:"pricing"`
	Contact      contact  `json:"contact"`
	Links        links    `json:"_links"`
}

// contact is how a project begins.
type contact struct {
	Email        *string `json:"email" description:"Null when the operator shows none."`
	FormURL      string  `json:"form_url" format:"uri"`
	APIURL       string  `json:"api_url" format:"uri"`
	Template     string  `json:"message_template" description:"Text to fill in and send."`
	Instructions string  `json:"instructions"`
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
