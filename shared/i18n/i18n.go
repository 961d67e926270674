// Package i18n provides the texts that people read, in every locale of the
// service.
//
// It also matches requests to locales, and gives numbers, languages and
// countries their names in each.
package i18n

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/text/language"
)

// A Locale is a language of the service. Its value is an index into [Locales]
// and into any array with one element for each.
type Locale int

// The locales. The first is the default.
const (
	PT Locale = iota
	EN
	ES
	FR
	DE
)

// Locales lists the locales in order.
var Locales = []Locale{PT, EN, ES, FR, DE}

var (
	tags     = [...]string{"pt", "en", "es", "fr", "de"}
	htmlTags = [...]string{"pt-BR", "en", "es", "fr", "de"}
)

// Tag returns the tag of l in paths and parameters, such as "pt".
func (l Locale) Tag() string { return tags[l] }

// HTML returns the tag of l in lang attributes, such as "pt-BR".
func (l Locale) HTML() string { return htmlTags[l] }

// String returns the tag of l.
func (l Locale) String() string { return l.Tag() }

// Find returns the locale with a tag, in any case and with or without a
// region, and whether there is one.
func Find(tag string) (Locale, bool) {
	tag, _, _ = strings.Cut(tag, "-")
	for _, l := range Locales {
		if strings.EqualFold(tags[l], tag) {
			return l, true
		}
	}
	return PT, false
}

// maxHeader is the size in bytes above which an Accept-Language header is
// ignored; browsers send less than a tenth of it.
const maxHeader = 512

// maxHeaders is how many headers are cached; one more empties the cache.
const maxHeaders = 1024

var (
	matcher = newMatcher()
	matches = newMatches()
)

func newMatches() *atomic.Pointer[headerCache] {
	p := new(atomic.Pointer[headerCache])
	p.Store(new(headerCache))
	return p
}

// A headerCache holds the locales that headers matched.
type headerCache struct {
	locales sync.Map // of header to Locale
	size    atomic.Int32
}

func newMatcher() language.Matcher {
	var ts []language.Tag
	for _, l := range Locales {
		ts = append(ts, language.MustParse(l.HTML()))
	}
	return language.NewMatcher(ts)
}

// Match returns the locale that best matches an Accept-Language header, or
// the default when none does. Results are cached, since most callers send one
// of few headers. It may be called concurrently.
func Match(header string) Locale {
	if header == "" || len(header) > maxHeader {
		return PT
	}
	m := matches.Load()
	if l, ok := m.locales.Load(header); ok {
		return l.(Locale)
	}
	l := match(header)
	if m.size.Add(1) > maxHeaders {
		matches.CompareAndSwap(m, new(headerCache))
		return l
	}
	m.locales.Store(strings.Clone(header), l)
	return l
}

func match(header string) Locale {
	want, q, err := language.ParseAcceptLanguage(header)
	if err != nil {
		return PT
	}
	for i, weight := range q {
		if weight == 0 {
			want = want[:i]
			break
		}
	}
	_, i, confidence := matcher.Match(want...)
	if confidence == language.No {
		return PT
	}
	return Locale(i)
}

// The texts that not only pages show, those of the pages, of mails, and of what is
// offered to partners and producers: in a folder one file for each area, whose keys
// begin with its name.
//
//go:embed messages/*.json messages/web/*.json messages/mail/*.json messages/offer/*.json
var files embed.FS

var messages = load()

// load parses the texts. It panics on an invalid file, a defect of the build
// that any test finds.
func load() (all [len(tags)]map[string]string) {
	for _, l := range Locales {
		all[l] = map[string]string{}
		for _, name := range filesOf(l) {
			data, err := files.ReadFile(name)
			if err == nil {
				err = json.Unmarshal(data, &all[l])
			}
			if err != nil {
				panic(fmt.Sprintf("%s: %v", name, err))
			}
		}
	}
	return all
}

// filesOf returns the names of the files with the texts of l.
func filesOf(l Locale) []string {
	areas, err := fs.Glob(files, "messages/*/*."+l.Tag()+".json")
	if err != nil {
		panic(err) // never: the pattern is well-formed
	}
	return append(areas, "messages/"+l.Tag()+".json")
}

// Has reports whether there is a text for key.
func Has(key string) bool {
	_, ok := messages[PT][key]
	return ok
}

// T returns the text for key, with each {name} replaced by the field of that
// name: a list is joined by commas, a number has all its digits, and any
// other value is formatted by fmt. A placeholder without a field stays, and a
// key without a text is returned itself, so that a mistake is visible and
// harmless.
func (l Locale) T(key string, fields map[string]any) string {
	text, ok := messages[l][key]
	if !ok {
		return key
	}
	if len(fields) == 0 || !strings.Contains(text, "{") {
		return text
	}
	return substitute(text, fields)
}

func substitute(text string, fields map[string]any) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "{")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		name, after, closed := strings.Cut(rest, "}")
		value, ok := fields[name]
		if !closed || !ok {
			b.WriteByte('{')
			text = rest
			continue
		}
		b.WriteString(format(value))
		text = after
	}
}

func format(value any) string {
	switch v := value.(type) {
	case []string:
		return strings.Join(v, ", ")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
