package filter

import (
	"reflect"
	"strconv"

	"miramundo.dev/shared/catalog/jsontext"
	"miramundo.dev/shared/i18n"
)

// complete returns rows with what the tags of Selection declare of them.
func complete(rows [Count]Filter) [Count]Filter {
	fields := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Selection]()) {
		fields[f.Tag.Get("query")] = f
	}
	before := "{"
	for id := range rows {
		f := &rows[id]
		f.initial = fields[f.Name].Tag.Get("default")
		f.member = before + strconv.Quote(f.Name) + ":"
		before = ","
	}
	return rows
}

// Normalize puts every text into the form in which the catalog has it. A radius without
// a place is dropped.
func (s *Selection) Normalize() {
	for id := range Count {
		if clean := All[id].Normalize; clean != nil {
			text := s.Text(id)
			*text = clean(*text)
		}
	}
	if s.Near == "" {
		s.Radius = 0
	}
}

// Value returns the value of a filter as an address writes it: a text, a number, or a
// flag as 0 or 1.
func (s *Selection) Value(id ID) string {
	if n := s.Number(id); n != nil {
		if *n == 0 {
			return ""
		}
		return strconv.Itoa(*n)
	}
	if flag := s.Flag(id); flag != nil {
		if *flag {
			return "1"
		}
		return "0"
	}
	return *s.Text(id)
}

// IsSet reports whether a filter differs from what a request without it means.
func (s *Selection) IsSet(id ID) bool {
	value := s.Value(id)
	return value != "" && value != All[id].initial
}

// Clear gives a filter the value that a request without it means: the default
// of a flag, no text, no number. Without a place there is no radius, and no order by
// distance.
func (s *Selection) Clear(id ID) {
	if n := s.Number(id); n != nil {
		*n = 0
		return
	}
	if id == Near {
		s.Radius = 0
		if s.Sort == ByDistance {
			s.Sort = ""
		}
	}
	if flag := s.Flag(id); flag != nil {
		*flag = All[id].initial == "1"
		return
	}
	*s.Text(id) = ""
}

// Pairs returns the parameters that an address must have to mean s: names and
// values, without those that go without saying.
func (s *Selection) Pairs() (pairs [][2]string) {
	for id := range Count {
		if s.IsSet(id) {
			pairs = append(pairs, [2]string{All[id].Name, s.Value(id)})
		}
	}
	return pairs
}

// Label returns how people read the value of a filter: its name or, without
// one, the value.
func (s *Selection) Label(id ID, n Names, l i18n.Locale) string {
	value := s.Value(id)
	if label := All[id].Label; label != nil && value != "" {
		if name, ok := label(n, value, l); ok {
			return name
		}
	}
	return value
}

// AppendJSON adds s to dst as a catalog.Filters: a text that selects nothing is
// null, and one with a default is written as that.
func (s *Selection) AppendJSON(dst []byte) []byte {
	for id := range Count {
		f := &All[id]
		dst = append(dst, f.member...)
		if flag := s.Flag(id); flag != nil {
			dst = strconv.AppendBool(dst, *flag)
			continue
		}
		if s.Number(id) != nil {
			dst = s.appendRadius(dst)
			continue
		}
		text := *s.Text(id)
		if text == "" {
			text = f.initial
		}
		if text == "" {
			dst = append(dst, "null"...)
			continue
		}
		dst = jsontext.Quote(dst, text)
	}
	return append(dst, '}')
}
