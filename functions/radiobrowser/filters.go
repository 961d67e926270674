package radiobrowser

import (
	"strings"

	"miramundo.dev/shared/catalog"
)

// conditionOf returns the condition that a path names; false when it names none.
func conditionOf(by, value string) (condition, bool) {
	low := strings.ToLower(value)
	exact := strings.HasSuffix(by, "exact")
	switch strings.TrimSuffix(by, "exact") {
	case "byname":
		return named(func(r *row) string { return r.name }, low, exact), true
	case "bycodec":
		return named(func(r *row) string { return r.codec }, low, exact), true
	case "bycountry":
		return named(func(r *row) string { return r.country }, low, exact), true
	case "bystate":
		return named(func(r *row) string { return r.state }, low, exact), true
	case "bylanguage":
		return valued(func(r *row) string { return r.Languages }, low, exact), true
	case "bytag":
		return valued(func(r *row) string { return r.Tags }, low, exact), true
	case "bycountrycode":
		code := strings.ToUpper(value)
		return func(r *row) bool { return r.Country == code }, true
	}
	return nil, false
}

// named returns the condition that a text is or contains another. Both are in lower case.
func named(text func(*row) string, part string, exact bool) condition {
	if exact {
		return func(r *row) bool { return text(r) == part }
	}
	return func(r *row) bool { return strings.Contains(text(r), part) }
}

// valued returns the condition that a list with commas has a value, or contains a part.
func valued(list func(*row) string, part string, exact bool) condition {
	if exact {
		return func(r *row) bool { return listed(list(r), part) }
	}
	return func(r *row) bool { return strings.Contains(list(r), part) }
}

// conditions returns what the stations of a search must meet.
func (in *searchIn) conditions() (all []condition) {
	for _, f := range []struct{ by, value, exact string }{
		{"byname", in.Name, in.NameExact}, {"bycountry", in.Country, in.CountryExact}, {"bystate", in.State, in.StateExact},
		{"bylanguage", in.Language, in.LanguageExact}, {"bytag", in.Tag, in.TagExact}, {"bycodec", in.Codec, on}, {"bycountrycode", in.CountryCode, on},
	} {
		if f.value == "" {
			continue
		}
		if isOn(f.exact) {
			f.by += "exact"
		}
		meets, _ := conditionOf(f.by, f.value)
		all = append(all, meets)
	}
	for tag := range strings.SplitSeq(strings.ToLower(in.TagList), ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			all = append(all, valued(func(r *row) string { return r.Tags }, tag, true))
		}
	}
	if in.BitrateMin > 0 || in.BitrateMax < 1_000_000 {
		all = append(all, func(r *row) bool { return in.BitrateMin <= r.Bitrate && r.Bitrate <= in.BitrateMax })
	}
	if in.HasGeo != "both" {
		all = append(all, func(r *row) bool { return (r.Geo != nil) == isOn(in.HasGeo) })
	}
	if in.HasExtended == on {
		all = append(all, func(*row) bool { return false })
	}
	if from := in.from(); from != nil && in.Distance > 0 {
		all = append(all, func(r *row) bool { return r.Geo != nil && from.Metres(*r.Geo) <= in.Distance })
	}
	return all
}

// from returns the place from which distances are measured, or nil when the request names
// no place.
func (in *searchIn) from() *catalog.Geo {
	if in.Lat == nil || in.Lon == nil {
		return nil
	}
	return &catalog.Geo{Lat: *in.Lat, Lon: *in.Lon}
}

// filtered returns the stations that meet every filter.
func (s *Server) filtered(in *searchIn) (stationList, error) {
	v, err := s.o.Catalog.View()
	if err != nil {
		return stationList{}, err
	}
	t := s.tables.of(v)
	rows := t.where(v, t.byName, isOn(in.HideBroken), len(t.stations), in.conditions()...)
	if in.IsHTTPS != "both" {
		kept := rows[:0]
		for _, i := range rows {
			r, _ := v.Reception(t.stations[i].Doc)
			if r.Stream != nil && strings.HasPrefix(strings.ToLower(r.Stream.URL), "https:") == isOn(in.IsHTTPS) {
				kept = append(kept, i)
			}
		}
		rows = kept
	}
	t.order(v, rows, in.Order, isOn(in.Reverse))
	return s.write(v, t, partOf(rows, in.page), in.Format, in.from())
}
