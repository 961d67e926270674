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

// A Raw is a body that an endpoint receives unparsed, by its media type.
type Raw struct {
	Media []string
	Doc   string
	index []int
}

var bytesType = reflect.TypeFor[[]byte]()

// addRaw takes a field that holds a whole body, as its tag body says.
func (p *Plan) addRaw(sf reflect.StructField, media string) error {
	if sf.Type != bytesType || !sf.IsExported() {
		return fmt.Errorf("holds a body and is no exported []byte")
	}
	r := Raw{Doc: sf.Tag.Get("description"), index: sf.Index}
	for m := range strings.SplitSeq(media, ",") {
		r.Media = append(r.Media, strings.TrimSpace(m))
	}
	p.Raws, p.Body = append(p.Raws, r), true
	return nil
}

// decodeRaw gives the body of r to the field that takes its media type.
func (p *Plan) decodeRaw(r *http.Request, v reflect.Value, limit int64) error {
	var to *Raw
	data, err := readBody(r, limit, func(contentType string) bool {
		to = p.raw(contentType)
		return to != nil
	})
	if err != nil {
		return err
	}
	if len(data) == 0 {
		return fault.ErrBody.With("reason", "missing")
	}
	v.FieldByIndex(to.index).SetBytes(data)
	return nil
}

// raw returns the field for a content type; nil when there is none. Texts are
// UTF-8.
func (p *Plan) raw(contentType string) *Raw {
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
