// Package setting parses GUIDE_SOURCES, the operator's setting of the programme
// guides to read.
package setting

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"regexp"
	"strings"
	"time"
	_ "time/tzdata" // so that time zones exist on every machine

	"miramundo.dev/shared/catalog"
)

// MaxSources is how many sources a guide may have.
const MaxSources = 32

// A Source is an XMLTV file that the operator configured.
type Source struct {
	Name     string // letters, digits and "-_."; unique
	URL      string // of http or https; empty for a file
	File     string // path of a file; empty for a URL
	Site     string // shown as the origin of programmes
	Zone     *time.Location
	Country  string // of its channels, as the catalog writes it; empty when their ids contain it
	Language string // preferred for texts, as ISO 639-1; empty for the first language
}

// Sum returns a hash of where and how the source is read.
func (s *Source) Sum() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{s.URL, s.File, s.Site, s.Zone.String(), s.Country, s.Language}, "\n")))
	return hex.EncodeToString(sum[:16])
}

// Parse parses the value of GUIDE_SOURCES: URLs or paths, separated by commas; a
// comma in a URL is written as %2C. Options may follow "#", in the form of a query:
//
//	tz       the zone of times without one, such as Europe/London; UTC by default
//	country  of the channels, as ISO 3166-1 alpha-2; without it their ids must contain it, as in "Name.cc"
//	lang     the language to prefer, as ISO 639-1
//	site     the site that the programmes come from, such as freeview.co.uk: it is shown,
//	         and its lists of channels are used; by default the host of the URL, or the name
//	name     the name of the source in reports and in the service's health, which are
//	         public; by default the name of the file
//
// The first source that has a channel is shown. The error lists all problems, and
// names entries by their number, since URLs may hold secrets.
func Parse(setting string) ([]Source, error) {
	var sources []Source
	var problems []error
	names, places := map[string]int{}, map[string]int{}
	n := 0
	for entry := range strings.SplitSeq(setting, ",") {
		if entry = strings.TrimSpace(entry); entry == "" {
			continue
		}
		n++
		s, err := parseEntry(entry)
		switch {
		case err != nil:
		case places[s.URL+s.File] > 0:
			err = fmt.Errorf("is the same as entry %d", places[s.URL+s.File])
		case names[s.Name] > 0:
			err = fmt.Errorf("has the name %q of entry %d: give it another with #name=", s.Name, names[s.Name])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("entry %d %w", n, err))
			continue
		}
		names[s.Name], places[s.URL+s.File] = n, n
		sources = append(sources, s)
	}
	if n > MaxSources {
		problems = append(problems, fmt.Errorf("%d entries are more than %d", n, MaxSources))
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return sources, nil
}

// parseEntry parses one entry. Errors complete the phrase "entry 2 ...".
func parseEntry(entry string) (Source, error) {
	place, options, _ := strings.Cut(entry, "#")
	s, err := parsePlace(place)
	if err != nil {
		return s, err
	}
	values, err := url.ParseQuery(options)
	if err != nil {
		return s, errors.New("has options that are not in the form of a query")
	}
	for option, given := range values {
		set, ok := setters[option]
		switch {
		case !ok:
			return s, fmt.Errorf("has the unknown option %q", option)
		case len(given) > 1:
			return s, fmt.Errorf("has the option %q more than once", option)
		}
		if err := set(&s, given[0]); err != nil {
			return s, err
		}
	}
	if s.File != "" && !values.Has("site") {
		s.Site = s.Name
	}
	if !nameForm.MatchString(s.Name) {
		return s, fmt.Errorf("needs a name of 1 to 40 letters, digits and -_.: give it one with #name=")
	}
	return s, nil
}

// parsePlace parses an address or a path, and derives name and site from it.
func parsePlace(place string) (Source, error) {
	s := Source{Zone: time.UTC}
	if !strings.Contains(place, "://") {
		s.File, s.Name = place, nameOf(place)
		s.Site = s.Name
		if place == "" {
			return s, errors.New("has options, but no address or path")
		}
		return s, nil
	}
	u, err := url.Parse(place)
	switch {
	case err != nil || u.Hostname() == "":
		return s, errors.New("is not a valid address")
	case u.Scheme != "http" && u.Scheme != "https":
		return s, fmt.Errorf("has the scheme %q, not http or https", u.Scheme)
	case u.User != nil:
		return s, errors.New("has credentials in its address")
	}
	s.URL, s.Site, s.Name = place, strings.ToLower(u.Hostname()), cmp.Or(nameOf(u.Path), u.Hostname())
	return s, nil
}

var (
	nameForm     = regexp.MustCompile(`^[A-Za-z0-9_.-]{1,40}$`)
	languageForm = regexp.MustCompile(`^[a-z]{2}$`)
	countryForm  = regexp.MustCompile(`^[A-Z]{2}$`)
	siteForm     = regexp.MustCompile(`^[a-z0-9.-]{1,100}$`)
)

// nameOf returns the name of the file at a path without its suffixes, or "" when
// the path has no file.
func nameOf(p string) string {
	name := path.Base(p)
	for _, ending := range []string{".gz", ".xz", ".xml", ".xmltv"} {
		name = strings.TrimSuffix(name, ending)
	}
	if name == "." || name == "/" {
		return ""
	}
	return name
}

// setters are the functions that set the options, by name.
var setters = map[string]func(*Source, string) error{
	"tz": func(s *Source, v string) (err error) {
		if s.Zone, err = time.LoadLocation(v); err != nil || v == "" || v == "Local" {
			return fmt.Errorf("has the unknown zone %q", v)
		}
		return nil
	},
	"country": func(s *Source, v string) error {
		if s.Country = catalog.CountryCode(v); !countryForm.MatchString(s.Country) {
			return fmt.Errorf("has the country %q, which is not a code of two letters", v)
		}
		return nil
	},
	"lang": func(s *Source, v string) error {
		if s.Language = strings.ToLower(v); !languageForm.MatchString(s.Language) {
			return fmt.Errorf("has the language %q, which is not a code of two letters", v)
		}
		return nil
	},
	"site": func(s *Source, v string) error {
		if s.Site = strings.ToLower(v); !siteForm.MatchString(s.Site) {
			return fmt.Errorf("has the site %q, which is not a host name", v)
		}
		return nil
	},
	"name": func(s *Source, v string) error {
		s.Name = v
		return nil
	},
}
