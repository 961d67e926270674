package directory

import (
	"net/url"

	"miramundo.dev/functions/describe/profile"
	"miramundo.dev/shared/site"
)

// specificationVersion is the version of APIs.json that the document follows. Its text
// and its schema differ in the spelling of some members: the schema decides.
const specificationVersion = "0.19"

// The dates of the document. Modified is changed with the members that are written by
// hand; the endpoints change with every build.
const (
	created  = "2026-11-23"
	modified = "2026-11-23"
)

// An Index is an APIs.json document.
type Index struct {
	AID                  string       `json:"aid" description:"Name of the document, unique among directories."`
	Name                 string       `json:"name"`
	Description          string       `json:"description" description:"The service in one sentence."`
	Image                string       `json:"image" format:"uri" description:"Address of a picture."`
	URL                  string       `json:"url" format:"uri" description:"Address of this document."`
	Type                 string       `json:"type" enum:"Index" description:"Kind of the document."`
	Position             string       `json:"position" enum:"Producing" description:"The service offers these APIs."`
	Access               string       `json:"access" enum:"3rd-Party" description:"Access that the APIs allow."`
	Created              string       `json:"created" format:"date" description:"Day on which the index was first published."`
	Modified             string       `json:"modified" format:"date" description:"Day of the last change."`
	SpecificationVersion string       `json:"specificationVersion" enum:"0.19" description:"Version of APIs.json."`
	Tags                 []string     `json:"tags" nullable:"false" description:"Subjects of the service."`
	APIs                 []listedAPI  `json:"apis" nullable:"false" description:"The APIs of the service."`
	Common               []property   `json:"common" nullable:"false" description:"Documents about all APIs."`
	Maintainers          []maintainer `json:"maintainers" nullable:"false" description:"Maintainers of the service."`
}

// A listedAPI is an API of the service.
type listedAPI struct {
	AID         string       `json:"aid" description:"Id of the API, by the host and its name."`
	Name        string       `json:"name"`
	Description string       `json:"description" description:"The API in one sentence."`
	Image       string       `json:"image" format:"uri" description:"Address of a picture."`
	BaseURL     string       `json:"baseURL" format:"uri" description:"Address below which the API is."`
	HumanURL    string       `json:"humanURL" format:"uri" description:"Address of the page about the API."`
	Tags        []string     `json:"tags" nullable:"false" description:"Subjects of the API."`
	Properties  []property   `json:"properties" nullable:"false" description:"Documents about the API."`
	Contact     []maintainer `json:"contact" nullable:"false" description:"People and addresses to write to."`
}

// A property is a document of a known type.
type property struct {
	Type        string `json:"type" description:"Type of the closed list of APIs.json, or one that begins with X-."`
	Name        string `json:"name"`
	Description string `json:"description" description:"Content of the document."`
	MediaType   string `json:"mediaType" description:"Media type of the document."`
	URL         string `json:"url" format:"uri"`
}

// A maintainer is who answers for the document.
type maintainer struct {
	FN    string `json:"FN" description:"Name."`
	Email string `json:"email,omitempty" format:"email" description:"Address of the maintainer."`
	URL   string `json:"url" format:"uri" description:"Address of the contact form."`
}

// APIs returns the APIs.json document of the service.
func APIs(p *profile.Profile) Index {
	aid := p.Name
	if u, err := url.Parse(p.Base); err == nil && u.Hostname() != "" {
		aid = u.Hostname()
	}
	people := []maintainer{{FN: p.Name, Email: p.Email, URL: p.Page(site.Contact)}}
	image := p.URL(site.PicturePath)
	x := Index{
		AID: aid, Name: p.Name, Description: profile.Summary, Image: image, URL: p.URL(profile.APIsPath),
		Type: "Index", Position: "Producing", Access: "3rd-Party", Created: created, Modified: modified,
		SpecificationVersion: specificationVersion, Tags: tags, Common: []property{}, Maintainers: people,
	}
	rest := listedAPI{
		AID: aid + ":api", Name: p.Name + " API", Description: profile.Summary, Image: image, BaseURL: p.URL(profile.IndexPath),
		HumanURL: p.Page(site.Guide), Tags: tags, Properties: []property{}, Contact: people,
	}
	for _, l := range p.Links() {
		one := property{Type: l.Property, Name: l.Title, Description: l.Note + ".", MediaType: l.Media, URL: l.URL}
		if l.Section == profile.API || l.Relation == profile.Documents {
			rest.Properties = append(rest.Properties, one)
		} else {
			x.Common = append(x.Common, one)
		}
	}
	x.APIs = []listedAPI{rest}
	if mcp, ok := p.Find("mcp"); ok {
		x.APIs = append(x.APIs, listedAPI{
			AID: aid + ":mcp", Name: p.Name + " MCP", Description: mcp.Note + ".", Image: image, BaseURL: mcp.URL, HumanURL: p.Page(site.Guide),
			Tags: append([]string{"mcp"}, tags...), Properties: documentsOf(rest.Properties), Contact: people,
		})
	}
	return x
}

// documentsOf returns the properties that document an API for people.
func documentsOf(all []property) (found []property) {
	for _, p := range all {
		if p.Type == "Documentation" {
			found = append(found, p)
		}
	}
	return found
}
