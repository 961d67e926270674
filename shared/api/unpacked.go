package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"mime"
	"net/http"
	"strconv"

	"miramundo.dev/shared/api/encoding"
)

// An Unpacked is a file that is kept in gzip and sent unpacked: as the content encoding where
// the caller accepts gzip, so that most files are sent as they are kept.
type Unpacked struct {
	Type    string // media type of the file
	Archive []byte // the file in gzip
	Size    int64  // of the file, in bytes
	File    string // the name under which it would be kept
}

// Reply writes the file.
func (u Unpacked) Reply(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h.Set("Content-Type", u.Type)
	h.Set("Content-Disposition", mime.FormatMediaType("inline", map[string]string{"filename": u.File}))
	if NotModified(w, r) {
		return nil
	}
	if u.Size >= encoding.Least && encoding.Takes(r.Header.Get("Accept-Encoding"), encoding.Gzip) {
		h.Set("Content-Encoding", encoding.Gzip.String())
		h.Set("Content-Length", strconv.Itoa(len(u.Archive)))
		_, err := w.Write(u.Archive)
		return err
	}
	h.Set("Content-Length", strconv.FormatInt(u.Size, 10))
	w.WriteHeader(http.StatusOK)
	if r.Method == http.MethodHead {
		return nil
	}
	z, err := gzip.NewReader(bytes.NewReader(u.Archive))
	if err == nil {
		_, err = io.Copy(w, z)
	}
	return err
}
