package catalog

import (
	"context"
	"slices"

	"golang.org/x/text/language"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
)

// The orders relevance and popular put forward what is close to the caller: the
// channels of the country that the edge located the caller in, and those in the
// language that the caller asked for. A caller who asked for no language has none
// here, although the labels are then in the default one. Other orders are the same
// for every caller.

// setCaller adds the caller's country and language to q where its order looks at
// them. Lang is the parameter lang of the request.
func setCaller(ctx context.Context, q *index.Query, lang string) {
	if q.Sort != filter.ByRelevance && q.Sort != filter.ByPopularity {
		return
	}
	q.Home = api.CountryOf(ctx)
	if code, ok := firstLanguage(lang); ok {
		q.Speaks = code
	} else if code, ok := firstLanguage(api.AcceptLanguageOf(ctx)); ok {
		q.Speaks = code
	}
}

// setWorks adds to q what plays in the country of works_in or, where only the order asks
// for it, in the caller's country. It refuses a works_in that is not an existing country.
func (s *Server) setWorks(ctx context.Context, v *index.View, q *index.Query) error {
	country := q.WorksIn
	if country == "" && q.Sort == filter.BySureness {
		country = api.CountryOf(ctx)
	}
	switch _, ok := i18n.CountryName(country, i18n.EN); {
	case ok:
		q.Stalled = index.Stale(s.Catalog, s.Now()) // what probes found does not count then
		q.Works = s.works.In(v, country, q.Stalled)
	case q.WorksIn != "":
		return fault.ErrInvalid.With("param", filter.All[filter.WorksIn].Name).With("reason", "pattern")
	}
	return nil
}

// maxLanguages is the length of the longest Accept-Language header that is parsed,
// in bytes.
const maxLanguages = 1000

// noLanguages are the codes of ISO 639 that stand for several languages, which
// "*" is parsed as, for no language, and for one without a code.
var noLanguages = []string{"mul", "zxx", "mis"}

// firstLanguage returns the ISO 639-3 code of the language that an
// Accept-Language header prefers. It reports false when the header has no
// language, or does not parse.
func firstLanguage(header string) (string, bool) {
	if len(header) > maxLanguages {
		return "", false
	}
	tags, weights, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return "", false
	}
	for i, tag := range tags {
		base, confidence := tag.Base()
		if code := base.ISO3(); weights[i] > 0 && confidence == language.Exact && !slices.Contains(noLanguages, code) {
			return code, true
		}
	}
	return "", false
}
