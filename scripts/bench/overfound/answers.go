package overfound

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
)

// answers are the records that answer a query: those for which all predicates
// of some alternative hold.
type answers [][]predicate

// A predicate reports whether something holds for a record.
type predicate func(*catalog.Record) bool

// accept reports whether r is an answer.
func (a answers) accept(r *catalog.Record) bool {
	return slices.ContainsFunc(a, func(all []predicate) bool {
		return !slices.ContainsFunc(all, func(p predicate) bool { return !p(r) })
	})
}

// readAnswers reads alternatives separated by " | ", each of which is predicates
// separated by " & ".
func readAnswers(s string) (answers, error) {
	var list answers
	for alternative := range strings.SplitSeq(s, " | ") {
		var all []predicate
		for text := range strings.SplitSeq(alternative, " & ") {
			p, err := readPredicate(text)
			if err != nil {
				return nil, err
			}
			all = append(all, p)
		}
		list = append(list, all)
	}
	return list, nil
}

// fields are the fields of a record that a predicate may compare, by their names.
var fields = map[string]func(*catalog.Record) []string{
	"id":          func(r *catalog.Record) []string { return []string{r.ID} },
	"name":        func(r *catalog.Record) []string { return append([]string{r.Name}, r.AltNames...) },
	"country":     func(r *catalog.Record) []string { return []string{r.Country} },
	"subdivision": func(r *catalog.Record) []string { return []string{r.Subdivision} },
	"category":    func(r *catalog.Record) []string { return r.Categories },
	"language":    func(r *catalog.Record) []string { return r.Languages },
	"tag":         tags,
}

func tags(r *catalog.Record) []string {
	if r.Radio == nil {
		return nil
	}
	return r.Radio.Tags
}

// readPredicate reads field=value, field~regexp or near=latitude,longitude.
func readPredicate(s string) (predicate, error) {
	at := strings.IndexAny(s, "=~")
	if at < 0 {
		return nil, fmt.Errorf("predicate %q must have = or ~", s)
	}
	name, value := s[:at], s[at+1:]
	if name == "near" {
		return readNear(value)
	}
	values, ok := fields[name]
	if !ok || value == "" {
		return nil, fmt.Errorf("predicate %q must name a field and a value", s)
	}
	matches := func(v string) bool { return v == value }
	if s[at] == '~' {
		form, err := regexp.Compile("(?i)" + value)
		if err != nil {
			return nil, err
		}
		matches = form.MatchString
	}
	return func(r *catalog.Record) bool { return slices.ContainsFunc(values(r), matches) }, nil
}

// nearby is how far from a place a station may be that is "in" it, in degrees of
// latitude: 60 km.
const nearby = 60.0 / 111

// readNear reads a place as latitude,longitude.
func readNear(s string) (predicate, error) {
	a, b, _ := strings.Cut(s, ",")
	lat, err := strconv.ParseFloat(a, 64)
	if err != nil {
		return nil, err
	}
	lon, err := strconv.ParseFloat(b, 64)
	if err != nil {
		return nil, err
	}
	shrink := math.Cos(lat * math.Pi / 180)
	return func(r *catalog.Record) bool {
		if r.Radio == nil || r.Radio.Geo == nil {
			return false
		}
		return math.Hypot(r.Radio.Geo.Lat-lat, (r.Radio.Geo.Lon-lon)*shrink) <= nearby
	}, nil
}
