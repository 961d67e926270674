package private

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/url"
	"strings"
	"unicode/utf8"

	"miramundo.dev/shared/fault"
)

// Fields of every form.
const (
	csrfField = "csrf"
	doField   = "do"
)

// maxParts is how many fields a multipart form may have.
const maxParts = 16

// read reads the form of a request.
func (v *Visit) read(in address) error {
	_, _, data, contentType := in.get()
	media, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		return fault.ErrMediaType
	}
	if media == "multipart/form-data" {
		v.fields, v.files, err = readParts(multipart.NewReader(bytes.NewReader(data), params["boundary"]))
	} else {
		v.fields, err = url.ParseQuery(string(data))
	}
	if err != nil {
		return fault.ErrBody.With("reason", "syntax").Because(err)
	}
	for _, values := range v.fields {
		for _, value := range values {
			if !utf8.ValidString(value) {
				return fault.ErrBody.With("reason", "encoding")
			}
		}
	}
	v.browser.Token, v.action = v.fields.Get(csrfField), v.fields.Get(doField)
	return nil
}

// readParts returns the fields and the files of a multipart form, which is bounded
// already. A file that was not chosen is left out.
func readParts(r *multipart.Reader) (fields url.Values, files map[string][]byte, err error) {
	fields, files = url.Values{}, map[string][]byte{}
	for n := 0; ; n++ {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return fields, files, nil
		}
		if err == nil && n >= maxParts {
			err = errors.New("the form has too many fields")
		}
		if err != nil {
			return nil, nil, err
		}
		data, err := io.ReadAll(part)
		switch {
		case err != nil:
			return nil, nil, err
		case part.FileName() == "":
			fields.Add(part.FormName(), string(data))
		case len(data) > 0:
			files[part.FormName()] = data
		}
	}
}

// Field returns a field of the form, without spaces around it.
func (v *Visit) Field(name string) string { return strings.TrimSpace(v.fields.Get(name)) }

// Fields returns the values of a field that a form may have several times.
func (v *Visit) Fields(name string) []string { return v.fields[name] }

// Secret returns a field of the form as it was sent, such as a password.
func (v *Visit) Secret(name string) string { return v.fields.Get(name) }

// File returns a file of the form; nil when none was chosen.
func (v *Visit) File(name string) []byte { return v.files[name] }
