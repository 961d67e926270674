package show

import (
	"bytes"
	"strconv"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index/search"
	"miramundo.dev/shared/catalog/jsontext"
)

// crowdOf asks c, unless it is nil, about the channel with an escaped id.
func crowdOf(c search.Crowd, escaped []byte) (catalog.Social, bool) {
	if c == nil {
		return catalog.Social{}, false
	}
	if bytes.IndexByte(escaped, '\\') >= 0 {
		escaped = []byte(jsontext.Text(escaped))
	}
	return c.Social(escaped)
}

// appendSocial adds s as encoding/json writes it.
func appendSocial(dst []byte, s *catalog.Social) []byte {
	dst = appendInt(dst, `{"plays":`, s.Plays)
	dst = appendInt(dst, `,"fails":`, s.Fails)
	dst = appendInt(dst, `,"favorites":`, s.Favorites)
	dst = appendInt(dst, `,"comments":`, s.Comments)
	dst = appendText(dst, `,"last_fail_code":`, s.LastFailCode)
	dst = appendIntOrNull(dst, `,"health":`, s.Health)
	dst = appendInt(dst, `,"your_plays":`, s.YourPlays)
	dst = appendInt(dst, `,"your_fails":`, s.YourFails)
	dst = appendText(dst, `,"your_fail_code":`, s.YourFailCode)
	dst = appendInt(dst, `,"your_country_ok":`, s.YourCountryOK)
	dst = appendInt(dst, `,"your_country_fail":`, s.YourCountryFail)
	dst = append(dst, `,"your_geo_ok":`...)
	if s.YourGeoOK == nil {
		dst = append(dst, null...)
	} else {
		dst = strconv.AppendBool(dst, *s.YourGeoOK)
	}
	dst = appendIntOrNull(dst, `,"your_latency_ms":`, s.YourLatencyMS)
	dst = appendText(dst, `,"your_latency_grade":`, s.YourLatencyGrade)
	return append(dst, '}')
}

// appendInt adds a member after what stands before its value.
func appendInt(dst []byte, before string, n int) []byte {
	return strconv.AppendInt(append(dst, before...), int64(n), 10)
}

func appendIntOrNull(dst []byte, before string, n *int) []byte {
	if n == nil {
		return append(append(dst, before...), null...)
	}
	return appendInt(dst, before, *n)
}

func appendText(dst []byte, before string, s *string) []byte {
	dst = append(dst, before...)
	if s == nil {
		return append(dst, null...)
	}
	return jsontext.Quote(dst, *s)
}
