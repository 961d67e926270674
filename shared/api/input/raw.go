package input

import (
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"miramundo.dev/shared/fault"
)

// An endpoint that accepts files or texts declares []byte fields with the tag body,
// each for its own media types. The field for the content type of the request
// receives the body unparsed and the others stay nil, so the handler sees by the
// field which kind of body it has.

// A Raw is a field that receives the whole body of a request with one of its media
// types.
type Raw struct {
	Media []string // without parameters, such as text/plain
	Doc   string   // description for the documentation
	Empty bool     // the body may be empty
	index []int    // of the field in the struct
}

var bytesType = reflect.TypeFor[[]byte]()

// addRaw adds a field with the tag body, whose value lists media types.
func (p *Plan) addRaw(sf reflect.StructField, media string) error {
	if sf.Type != bytesType || !sf.IsExported() {
		return fmt.Errorf("has the tag body and must be an exported []byte")
	}
	r := Raw{Doc: sf.Tag.Get("description"), Empty: sf.Tag.Get("empty") == "true", index: sf.Index}
	for m := range strings.SplitSeq(media, ",") {
		r.Media = append(r.Media, strings.TrimSpace(m))
	}
	p.Raws, p.Body = append(p.Raws, r), true
	return nil
}

// decodeRaw sets the field for the media type of r to the body of r. It refuses a
// request without a body, unless the field takes an empty one.
func (p *Plan) decodeRaw(r *http.Request, v reflect.Value, limit int64) error {
	var to *Raw
	data, err := readBody(r, limit, func(contentType string) bool {
		to = p.raw(contentType)
		return to != nil
	})
	if err != nil {
		return err
	}
	if to == nil { // an empty body, of which readBody checks nothing
		to = p.emptyRaw(r.Header.Get("Content-Type"))
	}
	if len(data) == 0 && (to == nil || !to.Empty) {
		return fault.ErrBody.With("reason", "missing")
	}
	v.FieldByIndex(to.index).SetBytes(data)
	return nil
}

// emptyRaw returns the field for an empty body with a content type. Without one it is the
// first field that takes an empty body, since a caller that sends nothing need not say of
// what type.
func (p *Plan) emptyRaw(contentType string) *Raw {
	if contentType != "" {
		return p.raw(contentType)
	}
	i := slices.IndexFunc(p.Raws, func(r Raw) bool { return r.Empty })
	if i < 0 {
		return nil
	}
	return &p.Raws[i]
}

// noType is the type of a body without a content type, as RFC 9110, section 8.3, has it.
const noType = "application/octet-stream"

// raw returns the field for a content type; nil for a type that no field accepts
// and for a charset other than UTF-8.
func (p *Plan) raw(contentType string) *Raw {
	if contentType == "" {
		contentType = noType
	}
	media, params, err := mime.ParseMediaType(contentType)
	if charset := params["charset"]; err != nil || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return nil
	}
	i := slices.IndexFunc(p.Raws, func(r Raw) bool { return slices.Contains(r.Media, media) })
	if i < 0 {
		return nil
	}
	return &p.Raws[i]
}
