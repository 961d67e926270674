package mail

import (
	"cmp"
	_ "embed"
	"errors"
	"html/template"
	"maps"
	"net/url"
	"strings"
	"time"

	"miramundo.dev/shared/config"
	"miramundo.dev/shared/i18n"
)

// A Letterhead is what is the same on all mails of an installation.
type Letterhead struct {
	From    string // address of the sender
	Base    string // address of the service, without a trailing slash
	Contact string // address for answers; may be empty
	Now     func() time.Time
}

// A Letter is a mail in words.
type Letter struct {
	Subject string
	Text    string
	HTML    string
}

//go:embed layout.html
var layoutText string

var layout = template.Must(template.New("mail").Parse(layoutText))

// A view is what both bodies of a letter show, from top to bottom.
type view struct {
	Lang    string
	Subject string // also the heading
	Text    string
	Code    string
	Or      string // stands between the code and the link
	Link    string
	Action  string
	Holds   string
	Rows    []string // when and where it was done
	Quote   string   // what a person wrote
	Note    string
	Product string
	Base    string
	Footer  string
	Preview string // what lists of mails show beside the subject
}

// Letter returns m in words. It fails for a link that is not an http or https
// URL.
func (h Letterhead) Letter(m Message) (Letter, error) {
	v, err := h.view(m)
	if err != nil {
		return Letter{}, err
	}
	var b strings.Builder
	if err := layout.Execute(&b, v); err != nil {
		return Letter{}, err
	}
	return Letter{Subject: v.Subject, Text: v.plain(), HTML: b.String()}, nil
}

func (h Letterhead) view(m Message) (view, error) {
	if m.Content == nil {
		return view{}, errors.New("mail: the message has no content")
	}
	s, l := m.Content.sheet(m.Locale), m.Locale
	fields := map[string]any{"product": config.Product, "contact": cmp.Or(h.Contact, h.Base)}
	maps.Copy(fields, s.fields)
	say := func(key string) string { return l.T(key, fields) }
	v := view{
		Lang: l.HTML(), Subject: say("mail." + s.kind + ".subject"), Text: s.text, Code: s.code, Link: s.link, Holds: s.holds,
		Rows: append(s.event.rows(l), s.rows...), Quote: s.quote, Product: config.Product, Base: h.Base, Footer: say("mail.footer"),
	}
	if v.Text == "" {
		v.Text = say("mail." + s.kind + ".text")
	}
	if s.note != "" {
		v.Note = say(s.note)
	}
	if s.or {
		v.Or = say("mail." + s.kind + ".or")
	}
	if v.Link != "" {
		v.Action = say(s.action)
		if u, err := url.Parse(v.Link); err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
			return view{}, errors.New("mail: the link is not an http or https URL")
		}
	}
	v.Preview = strings.TrimSpace(v.Code + " " + v.Text)
	return v, nil
}

// rows returns when and where e was, as far as it is known.
func (e Event) rows(l i18n.Locale) (rows []string) {
	if !e.At.IsZero() {
		when := l.Date(e.At.Format(time.DateOnly)) + e.At.Format(", 15:04 (MST)")
		rows = append(rows, l.T("mail.row.time", map[string]any{"time": when}))
	}
	var place []string
	for _, name := range []string{e.Place.Browser, e.Place.System} {
		if name != "" {
			place = append(place, Harmless(name))
		}
	}
	if country, ok := i18n.CountryName(e.Place.Country, l); ok {
		place = append(place, country)
	}
	if place != nil {
		rows = append(rows, l.T("mail.row.place", map[string]any{"place": place}))
	}
	return rows
}

// plain returns the text body. The code and the link stand on lines of their own,
// so that they can be copied, and found by tests.
func (v view) plain() string {
	var link string
	if v.Link != "" && v.Or == "" {
		link = v.Action + ":\n\n" + v.Link
	} else {
		link = v.Link
	}
	var parts []string
	for _, part := range []string{v.Subject, v.Text, v.Code, v.Or, link, v.Holds, strings.Join(v.Rows, "\n"), quote(v.Quote), v.Note, "-- \n" + v.Product + "\n" + v.Base + "\n" + v.Footer} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// quote returns a text with a mark before each line, so that no line of it looks like
// one of ours.
func quote(text string) string {
	if text == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(text, "\n", "\n> ")
}
