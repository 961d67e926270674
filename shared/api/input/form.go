package input

import (
	"encoding/json"
	"mime"
	"net/http"
	"reflect"
	"strings"

	"miramundo.dev/shared/fault"
)

// FormType is the media type of a form in the syntax of queries.
const FormType = "application/x-www-form-urlencoded"

// decodeForm reads the parameters of the query that are not in seen from the body of r, and
// returns seen with those that it set.
func (p *Plan) decodeForm(r *http.Request, v reflect.Value, limit int64, seen uint64) (uint64, error) {
	form := isForm(r.Header.Get("Content-Type"))
	data, err := readBody(r, limit, func(contentType string) bool { return form || isJSON(contentType) })
	if err != nil || len(data) == 0 {
		return seen, err
	}
	if form {
		return p.decodeQuery(string(data), v, seen)
	}
	members, err := Object(data)
	if err != nil {
		return seen, err
	}
	for i := range p.fields {
		f := &p.fields[i]
		raw, ok := members[f.Name]
		if f.In != "query" || !ok || seen&(1<<i) != 0 {
			continue
		}
		text, ok := scalar(raw)
		if !ok {
			return seen, badType.refuse(fault.ErrBody, f.Name)
		}
		if text == "" {
			continue
		}
		seen |= 1 << i
		if bad := f.setText(v.FieldByIndex(f.index), text); bad != nil {
			return seen, bad.refuse(fault.ErrBody, f.Name)
		}
	}
	return seen, nil
}

// scalar returns a text, number or boolean as a query has it, the empty text for null, and
// a list of texts with commas between them. It returns false for anything else.
func scalar(raw json.RawMessage) (string, bool) {
	switch raw[0] {
	case '"':
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	case '[':
		var list []string
		err := json.Unmarshal(raw, &list)
		return strings.Join(list, ","), err == nil
	case '{':
		return "", false
	case 'n':
		return "", true
	}
	return string(raw), true
}

// isForm reports whether a content type is that of a form.
func isForm(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && media == FormType
}
