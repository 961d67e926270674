package account

import (
	"context"
	"strings"
	"time"
	_ "time/tzdata" // so that time zones exist on every machine
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// MaxName is the greatest length of a name, in characters.
const MaxName = 60

// ErrProfile means that a part of a profile is not valid. Its field param names the
// part, and reason says why.
var ErrProfile = fault.New(fault.Invalid, "invalid_profile")

// A Profile is what a person says of themselves, and how they want the service to
// look. Any part may be empty, except the revision.
type Profile struct {
	Name     string `json:"name"`
	Locale   string `json:"locale"`    // tag of one of the locales of the service; empty for that of the browser
	TimeZone string `json:"time_zone"` // name in the IANA database
	Theme    string `json:"theme"`     // light, dark or system
	Revision int64  `json:"revision"`  // counts the changes
}

// Themes are the themes of a profile.
var Themes = []string{"system", "light", "dark"}

// check returns ErrProfile when p has a part that is not valid.
func (p *Profile) check() error {
	if reason := NameProblem(p.Name); reason != "" {
		return ErrProfile.With("param", "name").With("reason", reason).With("bound", MaxName)
	}
	if _, ok := i18n.Find(p.Locale); !ok && p.Locale != "" {
		return notListed("locale", localeTags())
	}
	if !isTimeZone(p.TimeZone) {
		return notListed("timeZone", []string{"America/Sao_Paulo", "Europe/Lisbon", "…"})
	}
	for _, t := range Themes {
		if p.Theme == t {
			return nil
		}
	}
	return notListed("theme", Themes)
}

// notListed returns the fault of a part that is not one of values.
func notListed(param string, values []string) error {
	return ErrProfile.With("param", param).With("reason", "not_listed").With("bound", strings.Join(values, ", "))
}

// localeTags returns the tags of the locales.
func localeTags() (tags []string) {
	for _, l := range i18n.Locales {
		tags = append(tags, l.Tag())
	}
	return tags
}

// NameProblem returns why the name of a person or an organization may not be shown
// to others, as the field reason of a fault, or "". An empty name has no problem.
func NameProblem(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "encoding"
	case utf8.RuneCountInString(name) > MaxName:
		return "too_long"
	case strings.ContainsFunc(name, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) }):
		return "control"
	}
	return ""
}

// isTimeZone reports whether name is a time zone, or empty.
func isTimeZone(name string) bool {
	if name == "" {
		return true
	}
	if len(name) > 64 || name == "Local" {
		return false
	}
	_, err := time.LoadLocation(name)
	return err == nil
}

// SetProfile replaces the profile of an account, if its revision is still that of p,
// and returns the result. Otherwise it returns ErrChanged, so that of two people who
// change it at once none overwrites what the other wrote.
func SetProfile(ctx context.Context, db store.DB, id identity.Owner, p Profile) (Profile, error) {
	p.Name = strings.TrimSpace(p.Name)
	if err := p.check(); err != nil {
		return Profile{}, err
	}
	a, err := Update(ctx, db, id, func(a *Account) error {
		if a.Profile.Revision != p.Revision {
			return ErrChanged.With("revision", a.Profile.Revision)
		}
		a.Profile = p
		a.Profile.Revision++
		return nil
	})
	if err != nil {
		return Profile{}, err
	}
	return a.Profile, nil
}
