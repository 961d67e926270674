package input

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// A JSON body is read whole, up to the limit of its endpoint, and checked in the
// order of cost before it is decoded: size, media type, UTF-8, depth, syntax. So a
// hostile body is refused after one pass over at most limit bytes. Only then are
// the members that the plan declares decoded, each by its own field; the others are
// never decoded.

// maxDepth is how deep arrays and objects of a body may nest. No endpoint
// reads more than two levels.
const maxDepth = 32

// decodeBody reads a JSON object from the body of r into v. Members are matched by
// their exact names, case included; the last of repeated members counts. It returns
// a bit set of the fields that it set. An empty body is an empty object, unless a
// member is required.
func (p *Plan) decodeBody(r *http.Request, v reflect.Value, limit int64) (seen uint64, err error) {
	data, err := readBody(r, limit, isJSON)
	if err != nil || len(data) == 0 && p.required&p.body == 0 {
		return 0, err
	}
	members, err := Object(data)
	if err != nil {
		return 0, err
	}
	for i := range p.fields {
		f := &p.fields[i]
		raw, ok := members[f.Name]
		if f.In != "body" || !ok {
			continue
		}
		seen |= 1 << i
		if bad := f.setJSON(v.FieldByIndex(f.index), raw); bad != nil {
			return seen, bad.refuse(f.refusal, f.Name)
		}
	}
	return seen, nil
}

// largeBody is the size in bytes above which few bodies are read at once. Anybody may
// send one to a page whose form takes a picture, and it is in memory before the visitor
// is known: without a bound, a few dozen would exhaust the memory of an instance.
const largeBody = 1 << 20

// large holds an element for each large body that is being read.
var large = make(chan struct{}, 4)

var errLarge = errors.New("too many large bodies are being read")

// readBody returns the body of r; nil when r has none. It refuses a body of more
// than limit bytes, by its declared length before reading where there is one; a
// content type for which taken returns false; any content encoding, since a
// compressed body has no known size; and a large body while others are being read.
func readBody(r *http.Request, limit int64, taken func(contentType string) bool) ([]byte, error) {
	if r.Body == nil || r.Body == http.NoBody || r.ContentLength == 0 {
		return nil, nil
	}
	if r.ContentLength > limit {
		return nil, fault.ErrBodyTooLarge.With("bound", limit)
	}
	if !taken(r.Header.Get("Content-Type")) || r.Header.Get("Content-Encoding") != "" {
		return nil, fault.ErrMediaType
	}
	if limit > largeBody && (r.ContentLength < 0 || r.ContentLength > largeBody) {
		select {
		case large <- struct{}{}:
			defer func() { <-large }()
		default:
			return nil, fault.ErrUnavailable.Because(errLarge)
		}
	}
	data, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, fault.ErrBody.With("reason", "truncated").Because(err)
	}
	if int64(len(data)) > limit {
		return nil, fault.ErrBodyTooLarge.With("bound", limit)
	}
	return data, nil
}

// isJSON reports whether a content type is JSON in UTF-8.
func isJSON(contentType string) bool {
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil || media != "application/json" {
		return false
	}
	charset := params["charset"]
	return charset == "" || strings.EqualFold(charset, "utf-8")
}

// Object returns the members of data, which must be one JSON object in UTF-8 that
// nests at most 32 levels deep. Its errors are [fault.ErrBody] with the member
// "reason": missing, encoding, too_deep, syntax or not_object. The values are parts
// of data, and not decoded.
func Object(data []byte) (map[string]json.RawMessage, error) {
	refuse := func(reason string) error { return fault.ErrBody.With("reason", reason) }
	switch data = bytes.TrimSpace(data); {
	case len(data) == 0:
		return nil, refuse("missing")
	case !utf8.Valid(data):
		return nil, refuse("encoding")
	case depth(data) > maxDepth:
		return nil, refuse("too_deep")
	case !json.Valid(data):
		return nil, refuse("syntax")
	case data[0] != '{':
		return nil, refuse("not_object")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(data, &members); err != nil {
		return nil, fault.ErrBody.With("reason", "syntax").Because(err)
	}
	return members, nil
}

// depth returns how deep the brackets of a JSON text nest. It does not recurse, so
// that deep nesting cannot exhaust the stack, and works on invalid JSON too.
func depth(data []byte) (most int) {
	level, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			level++
			most = max(most, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return most
}

// setJSON decodes raw, the value of a body's member, into v, and checks its bounds.
// null leaves a nullable field as it is. A number stands for its text where the texts
// are listed, since a list such as 30,90,365 invites callers to send one.
func (f *field) setJSON(v reflect.Value, raw json.RawMessage) *problem {
	if string(raw) == "null" {
		if f.Nullable {
			return nil
		}
		return badType
	}
	if f.pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if (f.kind == reflect.Int || f.kind == reflect.Int64) && isDigit(raw[0]) {
		return f.setInteger(v, string(raw))
	}
	if f.kind == reflect.String && f.enum != nil && isDigit(raw[0]) {
		v.SetString(string(raw))
		return f.checkText(string(raw), true)
	}
	if f.kind == reflect.Slice {
		return f.setList(v, raw)
	}
	if json.Unmarshal(raw, v.Addr().Interface()) != nil {
		return badType
	}
	switch f.kind {
	case reflect.String:
		return f.checkText(v.String(), true)
	case reflect.Float64:
		return f.checkNumber(v.Float())
	}
	return nil
}

// isDigit reports whether a JSON value that begins with c is a number.
func isDigit(c byte) bool { return c == '-' || '0' <= c && c <= '9' }

// setList decodes a list of texts. It refuses null among them.
func (f *field) setList(v reflect.Value, raw json.RawMessage) *problem {
	var items []*string
	if json.Unmarshal(raw, &items) != nil {
		return badType
	}
	if len(items) > f.MaxItems {
		return &problem{"too_many", f.MaxItems}
	}
	v.Set(reflect.MakeSlice(v.Type(), len(items), len(items)))
	for i, item := range items {
		if item == nil {
			return badType
		}
		if bad := f.checkText(*item, true); bad != nil {
			return bad
		}
		v.Index(i).SetString(*item)
	}
	return nil
}
