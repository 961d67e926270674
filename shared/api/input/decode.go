package input

import (
	"errors"
	"net/http"
	"net/url"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// A request is decoded in the order query, path and headers, body; the first bad
// input is reported. The raw query is read in one pass without a map: most requests
// have no more than three parameters, and most values need no unescaping and are
// parts of the query string. Each value is parsed and checked by its field, so a
// handler receives values within the declared bounds only.

// MaxQuery is the greatest length of a raw query, in bytes: room for one
// ticket of 6,000 characters and everything else.
const MaxQuery = 16 << 10

// A problem is the reason for which a value is refused. It is sent to the caller as
// a code, so that a program need not parse the message.
type problem struct {
	reason string
	bound  any // the limit that was exceeded, or the allowed values; nil for other reasons
}

var (
	badEncoding = &problem{reason: "encoding"} // not percent-encoded UTF-8
	badControl  = &problem{reason: "control"}  // control characters
	badInteger  = &problem{reason: "not_integer"}
	badNumber   = &problem{reason: "not_number"}
	badFlag     = &problem{reason: "not_flag"}
	badPattern  = &problem{reason: "pattern"}
	badType     = &problem{reason: "wrong_type"} // of JSON
	missing     = &problem{reason: "missing"}
)

// refuse returns base with the name of the bad input, the reason and the bound.
func (b *problem) refuse(base *fault.Error, name string) error {
	e := base.With("param", name).With("reason", b.reason)
	if b.bound != nil {
		e = e.With("bound", b.bound)
	}
	return e
}

// Decode fills v, a copy of the preset, from r, whose body may have at most
// limit bytes. Its errors are faults with the members "param", the name of the
// bad input, "reason", and "bound" for a limit. After an error v is partly filled
// and must not be used. A plan may decode requests concurrently.
func (p *Plan) Decode(r *http.Request, v reflect.Value, limit int64) error {
	seen, err := p.decodeQuery(r.URL.RawQuery, v, 0)
	if err != nil {
		return err
	}
	for i := range p.fields {
		f := &p.fields[i]
		text := ""
		switch f.In {
		case "path":
			text = r.PathValue(f.Name)
		case "header":
			text = r.Header.Get(f.Name)
		}
		if text == "" {
			continue
		}
		seen |= 1 << i
		bad := f.setText(v.FieldByIndex(f.index), text)
		if bad != nil && f.absent != nil {
			return f.absent
		}
		if bad != nil {
			return bad.refuse(f.refusal, f.Name)
		}
	}
	if p.Form {
		got, err := p.decodeForm(r, v, limit, seen)
		if err != nil {
			return err
		}
		seen |= got
	} else if p.Raws != nil {
		if err := p.decodeRaw(r, v, limit); err != nil {
			return err
		}
	} else if p.Body {
		got, err := p.decodeBody(r, v, limit)
		if err != nil {
			return err
		}
		seen |= got
	}
	return p.complete(seen)
}

// complete refuses a request that lacks a required input, naming the first one that
// is missing. seen is the bit set of the inputs that the request has.
func (p *Plan) complete(seen uint64) error {
	lacks := p.required &^ seen
	if lacks == 0 {
		return nil
	}
	for i := range p.fields {
		if lacks&(1<<i) != 0 {
			return missing.refuse(p.fields[i].refusal, p.fields[i].Name)
		}
	}
	return nil
}

// decodeQuery reads a raw query in one pass and returns a bit set of the fields that have
// a value: those that it set, and those that were set before, which it leaves. It ignores
// the query of an endpoint without parameters.
func (p *Plan) decodeQuery(raw string, v reflect.Value, before uint64) (seen uint64, err error) {
	seen = before
	if len(p.queries) == 0 {
		return seen, nil
	}
	if len(raw) > MaxQuery {
		return seen, fault.ErrInvalid.With("reason", "too_long").With("bound", MaxQuery)
	}
	for raw != "" {
		var q pair
		q, raw = nextPair(raw)
		if q.value == "" {
			continue
		}
		i, ok := p.query(q)
		if !ok || seen&(1<<i) != 0 {
			continue
		}
		seen |= 1 << i
		f := &p.fields[i]
		text, bad := q.value, (*problem)(nil)
		if q.escaped {
			text, bad = unescape(q.value)
		}
		if bad == nil {
			bad = f.setText(v.FieldByIndex(f.index), text)
		}
		if bad != nil {
			return seen, bad.refuse(f.refusal, f.Name)
		}
	}
	return seen, nil
}

// A pair is one parameter of a raw query.
type pair struct {
	key, value string
	escaped    bool // key or value contains "%" or "+"
}

// nextPair cuts the first parameter off a raw query.
func nextPair(raw string) (q pair, rest string) {
	equals := -1
	for i := range len(raw) {
		switch raw[i] {
		case '=':
			if equals < 0 {
				equals = i
			}
		case '%', '+':
			q.escaped = true
		case '&':
			return q.cut(raw[:i], equals), raw[i+1:]
		}
	}
	return q.cut(raw, equals), ""
}

// cut returns q with the key and the value of text, whose first "=" is at the index
// equals. A parameter without "=" has no value and is ignored.
func (q pair) cut(text string, equals int) pair {
	if equals >= 0 {
		q.key, q.value = text[:equals], text[equals+1:]
	}
	return q
}

// query returns the index of the field for a parameter, and false for an unknown
// parameter.
func (p *Plan) query(q pair) (int, bool) {
	name := q.key
	if q.escaped {
		var bad *problem
		if name, bad = unescape(name); bad != nil {
			return 0, false
		}
	}
	i, ok := p.queries[name]
	return i, ok
}

// Query returns the first value of a parameter in a raw query that is not
// empty, and "" without one.
func Query(raw, name string) string {
	if !strings.Contains(raw, name+"=") {
		return "" // the usual case, found without parsing
	}
	for raw != "" {
		var q pair
		q, raw = nextPair(raw)
		if q.key == name && q.value != "" {
			text, _ := unescape(q.value)
			return text
		}
	}
	return ""
}

// unescape decodes a percent-encoded key or value.
func unescape(s string) (string, *problem) {
	if strings.IndexByte(s, '%') < 0 && strings.IndexByte(s, '+') < 0 {
		return s, nil
	}
	text, err := url.QueryUnescape(s)
	if err != nil {
		return "", badEncoding
	}
	return text, nil
}

// setText parses text, the value of a parameter, into v, and checks its bounds.
func (f *field) setText(v reflect.Value, text string) *problem {
	if f.pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	switch f.kind {
	case reflect.String:
		if bad := f.checkText(text, false); bad != nil {
			return bad
		}
		v.SetString(text)
	case reflect.Int, reflect.Int64:
		return f.setInteger(v, text)
	case reflect.Float64:
		return f.setNumber(v, text)
	case reflect.Bool:
		if text != "0" && text != "1" {
			return badFlag
		}
		v.SetBool(text == "1")
	}
	return nil
}

// setInteger parses a decimal integer. A number above the cap is reduced to the cap,
// even one that exceeds 64 bits.
func (f *field) setInteger(v reflect.Value, text string) *problem {
	n, err := strconv.ParseInt(text, 10, 64)
	if text[0] == '+' || err != nil && !errors.Is(err, strconv.ErrRange) {
		return badInteger
	}
	if f.Cap != nil && n > *f.Cap {
		n, err = *f.Cap, nil
	}
	if bad := f.checkNumber(float64(n)); bad != nil {
		return bad
	}
	if err != nil {
		return badInteger
	}
	v.SetInt(n)
	return nil
}

// setNumber parses a decimal number; "NaN", "Inf" and hexadecimal are refused.
func (f *field) setNumber(v reflect.Value, text string) *problem {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || strings.Trim(text, "0123456789.eE-") != "" {
		return badNumber
	}
	if bad := f.checkNumber(n); bad != nil {
		return bad
	}
	v.SetFloat(n)
	return nil
}

// checkNumber compares a number with the bounds of the field.
func (f *field) checkNumber(n float64) *problem {
	if f.Min != nil && n < *f.Min {
		return &problem{"too_small", *f.Min}
	}
	if f.Max != nil && n > *f.Max {
		return &problem{"too_large", *f.Max}
	}
	return nil
}

// checkText refuses invalid UTF-8, control characters other than the line breaks
// and tabs of body members, and texts outside of the bounds of the field.
func (f *field) checkText(text string, breaks bool) *problem {
	if bad := checkRunes(text, breaks); bad != nil {
		return bad
	}
	if len(text) > f.MaxLength && utf8.RuneCountInString(text) > f.MaxLength {
		return &problem{"too_long", f.MaxLength}
	}
	if f.MinLength > 0 && utf8.RuneCountInString(text) < f.MinLength {
		return &problem{"too_short", f.MinLength}
	}
	if f.enum != nil && !f.enum[text] {
		return &problem{"not_listed", f.Enum}
	}
	if f.pattern != nil && !f.pattern.MatchString(text) {
		return badPattern
	}
	return nil
}

// checkRunes refuses invalid UTF-8 and control characters.
func checkRunes(text string, breaks bool) *problem {
	if isPlain(text) {
		return nil
	}
	for i, r := range text {
		switch {
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return badEncoding
			}
		case breaks && (r == '\n' || r == '\r' || r == '\t'):
		case unicode.IsControl(r):
			return badControl
		}
	}
	return nil
}

// isPlain reports whether text is printable ASCII, as most texts are.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
