package web

import "miramundo.dev/shared/site"

// A thing is something that schema.org has words for.
type thing map[string]any

const schemaOrg = "https://schema.org"

// Facts lists what search engines are told of the page in the words of
// schema.org.
func (v *view) Facts() []any {
	var all []any
	switch v.Page {
	case site.Home:
		all = append(all, v.website(), v.organization())
	case site.Country:
		all = append(all, v.trail())
	}
	if v.JSONLD != nil {
		all = append(all, v.JSONLD)
	}
	return all
}

// website says where the service is searched.
func (v *view) website() thing {
	home := v.Base() + v.Page.Path(v.Locale, "")
	return thing{
		"@context": schemaOrg, "@type": "WebSite", "name": service, "url": home, "inLanguage": v.Locale.HTML(),
		"potentialAction": thing{
			"@type":       "SearchAction",
			"target":      thing{"@type": "EntryPoint", "urlTemplate": home + "?q={search_term_string}"},
			"query-input": "required name=search_term_string",
		},
	}
}

// organization says whose the service is.
func (v *view) organization() thing {
	return thing{
		"@context": schemaOrg, "@type": "Organization", "name": service, "url": v.Base() + "/",
		"logo": thing{"@type": "ImageObject", "url": v.Base() + iconPath(largeIcon), "width": largeIcon, "height": largeIcon},
	}
}

// trail says by which pages one comes to that of a country.
func (v *view) trail() thing {
	steps := []struct{ name, path string }{
		{service, site.Home.Path(v.Locale, "")},
		{v.T("layout.countries"), site.Countries.Path(v.Locale, "")},
		{v.CountryName(v.Name), v.In(v.Locale)},
	}
	var items []thing
	for i, step := range steps {
		items = append(items, thing{"@type": "ListItem", "position": i + 1, "name": step.name, "item": v.Base() + step.path})
	}
	return thing{"@context": schemaOrg, "@type": "BreadcrumbList", "itemListElement": items}
}
