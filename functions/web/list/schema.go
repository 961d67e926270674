package list

import (
	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/site"
)

// A thing is an object of structured data in the vocabulary of schema.org, which
// search engines read from the head of a page.
type thing map[string]any

const schemaOrg = "https://schema.org"

// websiteOf describes the service and the URL template of its search.
func websiteOf(v *page.View) thing {
	home := v.Base() + v.Page.Path(v.Locale, "")
	return thing{
		"@context": schemaOrg, "@type": "WebSite", "name": page.Service, "url": home, "inLanguage": v.Locale.HTML(),
		"potentialAction": thing{
			"@type":       "SearchAction",
			"target":      thing{"@type": "EntryPoint", "urlTemplate": home + "?q={search_term_string}"},
			"query-input": "required name=search_term_string",
		},
	}
}

// organizationOf describes the publisher of the service.
func organizationOf(v *page.View) thing {
	return thing{
		"@context": schemaOrg, "@type": "Organization", "name": page.Service, "url": v.Base() + "/",
		"logo": thing{"@type": "ImageObject", "url": v.Base() + page.IconPath(page.LargeIcon), "width": page.LargeIcon, "height": page.LargeIcon},
	}
}

// trailOf describes the breadcrumb trail of a country's page: home, the index of
// countries, the country.
func trailOf(v *page.View) thing {
	steps := []struct{ name, path string }{
		{page.Service, site.Home.Path(v.Locale, "")},
		{v.T("layout.countries"), site.Countries.Path(v.Locale, "")},
		{v.CountryName(v.Name), v.In(v.Locale)},
	}
	var items []thing
	for i, step := range steps {
		items = append(items, thing{"@type": "ListItem", "position": i + 1, "name": step.name, "item": v.Base() + step.path})
	}
	return thing{"@context": schemaOrg, "@type": "BreadcrumbList", "itemListElement": items}
}
