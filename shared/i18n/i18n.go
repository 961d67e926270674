// Package i18n knows the locales of the service, the texts people read in them
// and the names of languages and countries.
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

// A Locale is a language that the service speaks: its place in [Locales], so
// that it indexes whatever keeps one text for each.
type Locale int

// The locales. The first is the default.
const (
	PT Locale = iota
	EN
	ES
	FR
	DE
)

// Locales lists the locales in their order.
var Locales = []Locale{PT, EN, ES, FR, DE}

var (
	tags  = [...]string{"pt", "en", "es", "fr", "de"}
	htmls = [...]string{"pt-BR", "en", "es", "fr", "de"}
)

// Tag returns the tag of l in paths and parameters, such as "pt".
func (l Locale) Tag() string { return tags[l] }

// HTML returns the tag of l in lang attributes, such as "pt-BR".
func (l Locale) HTML() string { return htmls[l] }

// String returns the tag of l.
func (l Locale) String() string { return l.Tag() }

// Find returns the locale with the given tag, in either case and with or
// without a region, and whether there is one.
func Find(tag string) (Locale, bool) {
	tag, _, _ = strings.Cut(tag, "-")
	for _, l := range Locales {
		if strings.EqualFold(tags[l], tag) {
			return l, true
		}
	}
	return PT, false
}

// maxHeader bounds the Accept-Language headers that are read, in bytes;
// browsers send less than a tenth of it.
const maxHeader = 512

// maxKept is how many headers are remembered before all are forgotten.
const maxKept = 1024

var (
	matcher = newMatcher()
	kept    = remember()
)

func remember() *atomic.Pointer[memory] {
	p := new(atomic.Pointer[memory])
	p.Store(new(memory))
	return p
}

// A memory is what some headers were found to match.
type memory struct {
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

// Match returns the locale that serves an Accept-Language header best, or the
// default when it names none of ours. Answers are remembered, since most callers
// send one of few headers, and forgotten together when too many came.
func Match(header string) Locale {
	if header == "" || len(header) > maxHeader {
		return PT
	}
	m := kept.Load()
	if l, ok := m.locales.Load(header); ok {
		return l.(Locale)
	}
	l := match(header)
	if m.size.Add(1) > maxKept {
		kept.CompareAndSwap(m, new(memory))
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

// The texts: those that more than the pages show, and of the pages each area in
// a file of its own, which its keys begin with.
//
//go:embed messages/*.json messages/web/*.json
var files embed.FS

var messages = load()

// load reads the texts. A file that is not a map of texts is a defect of the
// build, which the first test that runs finds.
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

// filesOf lists the files with the texts of l.
func filesOf(l Locale) []string {
	areas, err := fs.Glob(files, "messages/web/*."+l.Tag()+".json")
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
// name: a list as its elements joined by commas, a number with all its digits,
// everything else as fmt prints it. A name that fields lack stays as it is; a key without a text returns the
// key, so that a slip is seen and harms no one.
func (l Locale) T(key string, fields map[string]any) string {
	text, ok := messages[l][key]
	if !ok {
		return key
	}
	if len(fields) == 0 || !strings.Contains(text, "{") {
		return text
	}
	return fill(text, fields)
}

func fill(text string, fields map[string]any) string {
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
		b.WriteString(show(value))
		text = after
	}
}

func show(value any) string {
	switch v := value.(type) {
	case []string:
		return strings.Join(v, ", ")
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return fmt.Sprint(value)
}
