package public

import (
	"crypto/rand"
	"slices"
	"strings"

	"miramundo.dev/shared/library"
	"miramundo.dev/shared/social/speech"
)

// A Draft is a publication as its owner asks for it.
type Draft struct {
	Name    string
	Title   string
	About   string
	Author  string
	Listed  bool
	Folders []string // ids
}

// Clean returns d with its texts as they are stored. It returns ErrWords when a text
// may not be shown, or when the name has another form or is kept for the service.
func (d Draft) Clean() (Draft, error) {
	switch {
	case !isName(d.Name):
		return d, ErrWords.With("param", "name").With("reason", "form")
	case isKept(d.Name):
		return d, ErrWords.With("param", "name").With("reason", "reserved")
	case len(d.Folders) == 0 || len(d.Folders) > library.MaxCategories:
		return d, ErrWords.With("param", "folders").With("reason", "number").With("bound", library.MaxCategories)
	}
	for _, text := range []struct {
		param string
		at    *string
		max   int
		check func(string, int) speech.Problem
		empty bool // it may be empty
	}{
		{"title", &d.Title, MaxTitle, speech.CheckName, false},
		{"about", &d.About, MaxAbout, speech.Check, true},
		{"author", &d.Author, MaxAuthor, speech.CheckName, true},
	} {
		*text.at = strings.TrimSpace(*text.at)
		if *text.at == "" && text.empty {
			continue
		}
		if p := text.check(*text.at, text.max); p != speech.Fine {
			err := ErrWords.With("param", text.param).With("reason", string(p))
			if p == speech.TooLong {
				err = err.With("bound", text.max)
			}
			return d, err
		}
		*text.at = speech.Neutral(*text.at)
	}
	if strings.Contains(strings.ToLower(d.Author), ownWord) {
		return d, ErrWords.With("param", "author").With("reason", "reserved")
	}
	slices.Sort(d.Folders)
	d.Folders = slices.Compact(d.Folders)
	return d, nil
}

// As returns the publication that d describes, which has neither an owner nor an id.
func (d Draft) As(l *library.Library) (*Publication, error) {
	for _, id := range d.Folders {
		if !slices.ContainsFunc(l.Categories, func(c library.Category) bool { return c.ID == id }) {
			return nil, library.ErrNoCategory
		}
	}
	return &Publication{Name: d.Name, Title: d.Title, About: d.About, Author: d.Author, Listed: d.Listed, Folders: d.Folders}, nil
}

// isName reports whether name has the form of a name: lower-case letters of ASCII, digits
// and single hyphens within.
func isName(name string) bool {
	return len(name) >= MinName && len(name) <= MaxName && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == "" &&
		name[0] != '-' && name[len(name)-1] != '-' && !strings.Contains(name, "--")
}

// ownWord is the word that no name and no author contains.
const ownWord = "miramundo"

// isKept reports whether a name would speak for the service or for those who run it.
func isKept(name string) bool {
	return slices.Contains(kept, name) || strings.Contains(name, ownWord) ||
		slices.ContainsFunc(strings.Split(name, "-"), func(part string) bool { return slices.Contains(offices, part) })
}

// offices are words that no name has between its hyphens.
var offices = []string{
	"admin", "administrator", "moderation", "moderator", "official", "oficial", "offiziell", "officiel", "operator", "security", "staff", "suporte", "support", "soporte",
}

// kept are the names that nobody gets, because they would speak for the service or for
// those who run it.
var kept = []string{
	"about", "abuse", "account", "api", "app", "assets", "billing", "catalog", "contact", "docs", "feed", "feeds", "help",
	"home", "info", "legal", "library", "login", "mail", "mcp", "null",
	"payment", "payments", "press", "privacy", "root", "service", "sign-in", "status",
	"system", "takedown", "team", "terms", "test", "undefined", "www",
}

// idPrefix is what ids of publications begin with. No name has it.
const idPrefix = "pub_"

const idLen = 20 // characters after the prefix

func newID() string { return idPrefix + strings.ToLower(rand.Text()[:idLen]) }

func isID(id string) bool {
	rest, ok := strings.CutPrefix(id, idPrefix)
	return ok && len(rest) == idLen && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz234567") == ""
}
