package channel

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/functions/web/page"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/site"
)

// When a person shares something from another app, the system opens the installed app with
// a title, a text and an address. Apps fill in some of the three, and many put the address
// into the text. The address of a channel here opens its page; other words are searched for.

// opens are the endpoints that open what was shared, one for each locale.
var opens = func() (all []api.Endpoint) {
	for _, l := range i18n.Locales {
		all = append(all, api.Bind(func(s *Server, _ context.Context, _ struct{}) (opened, error) { return opened{s, l}, nil }, api.Endpoint{
			Method: "GET", Path: page.Below(l, page.Open), Auth: api.None, Page: true, Status: http.StatusSeeOther,
			Summary: "Open what another app shares (" + l.Tag() + ")",
			Doc: "Redirects to the page of the channel whose address was shared, or that " + site.Scheme + ": names, or else to a search for the words that were shared. " +
				"The manifest of the installed app names it.",
			Cache: api.Private, Produces: []string{"text/html"},
		}))
	}
	return all
}()

// Limits of what is shared.
const (
	maxShared = 4000 // bytes of each parameter
	maxWords  = 200  // characters of a search
)

// An opened is a redirect to what was shared. It reads the parameters itself, since apps
// share texts of several lines, which the input of an endpoint refuses in a query.
type opened struct {
	server *Server
	locale i18n.Locale
}

// Reply writes the redirect.
func (o opened) Reply(w http.ResponseWriter, r *http.Request) error {
	return api.Redirect(w, o.server.where(o.locale, r.URL.Query()), http.StatusSeeOther)
}

// around are the marks that stand before and after an address in a sentence.
const around = ".,;:!?()[]{}<>\"'«»“”‘’…"

// where returns the path of the channel that is shared, or else of a search for its words.
func (s *Server) where(l i18n.Locale, shared url.Values) string {
	home := site.Home.Path(l, "")
	snapshot, err := s.Catalog.View()
	if err != nil {
		return home // the page says that the catalog is not loaded
	}
	search := map[string][]string{}
	for _, name := range []string{"url", "text", "title"} {
		text := shared.Get(name)
		for word := range strings.FieldsSeq(printable(text[:min(len(text), maxShared)])) {
			if !strings.Contains(word, "://") && !strings.Contains(word, site.Scheme+":") {
				search[name] = append(search[name], word)
				continue
			}
			for _, address := range []string{word, strings.Trim(word, around)} {
				if id, ok := channelNamed(snapshot, address); ok {
					return site.Channel.Path(l, id)
				}
			}
		}
	}
	words := search["text"]
	if len(words) == 0 {
		words = search["title"] // most apps repeat the title in the text
	}
	q := strings.Join(words, " ")
	if utf8.RuneCountInString(q) > maxWords {
		q = string([]rune(q)[:maxWords])
	}
	if q == "" {
		return home
	}
	return home + "?q=" + url.QueryEscape(q)
}

// printable returns text with a space in place of each control character and of each
// sequence that is not valid UTF-8.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, " "))
}

// channelNamed returns the current id of the channel that an address names, if it is one
// of the service or of the scheme of the app.
func channelNamed(snapshot *index.View, address string) (string, bool) {
	if rest, ok := strings.CutPrefix(address, site.Scheme+":"); ok {
		id, err := url.PathUnescape(strings.Trim(rest, "/"))
		if err != nil {
			return "", false
		}
		return snapshot.Current(id)
	}
	at, ok := site.ChannelAt(snapshot.Links().Base, catalog.PagePath, address)
	if !ok {
		return "", false
	}
	return snapshot.Current(at.Channel)
}
