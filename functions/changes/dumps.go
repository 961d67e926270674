package changes

import (
	"bytes"
	"context"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/catalog/dump"
)

// A dumpList is the answer of GET /api/dumps.
type dumpList struct {
	Items   []dumpEntry `json:"items" nullable:"false" description:"Dumps that are kept, the newest first; none before the first night."`
	Changes string      `json:"changes" format:"uri" description:"Changes since a dump: call it with since set to the time of the dump."`
	API     string      `json:"api" format:"uri" description:"This list."`
}

// A dumpEntry is the catalog at one time.
type dumpEntry struct {
	ID      string     `json:"id" description:"Id of the dump, made of its time."`
	At      string     `json:"at" format:"date-time" description:"Time of the dump; every earlier change is in it."`
	Release string     `json:"release" description:"Release of the catalog."`
	Files   []dumpFile `json:"files" nullable:"false" description:"Its files."`
}

// A dumpFile is a file of a dump.
type dumpFile struct {
	Name      string `json:"name" description:"Name of the file."`
	MediaType string `json:"media_type" description:"Media type of the file as it is downloaded."`
	Bytes     int    `json:"bytes" description:"Size of the download, in bytes."`
	SHA256    string `json:"sha256" description:"SHA-256 of the download, in hexadecimal digits."`
	Rows      *int   `json:"rows" description:"Number of records or rows; null for the checksums."`
	URL       string `json:"url" format:"uri" description:"Address of the download."`
}

func (s *Server) dumps(ctx context.Context, _ struct{}) (*dumpList, error) {
	kept, err := s.files.Kept(ctx)
	if err != nil {
		return nil, err
	}
	out := &dumpList{Items: []dumpEntry{}, Changes: s.links.Base + path, API: s.links.Base + dumpsPath}
	for _, d := range kept {
		e := dumpEntry{ID: d.ID, At: d.At.UTC().Format(time.RFC3339), Release: d.Release, Files: []dumpFile{}}
		for _, f := range d.Files {
			e.Files = append(e.Files, dumpFile{f.Name, f.MediaType, f.Bytes, f.SHA256, f.Rows, s.links.Base + filesPath + d.ID + "/" + f.Name})
		}
		out.Items = append(out.Items, e)
	}
	return out, nil
}

type fileIn struct {
	Dump string `path:"dump" maxLength:"32" description:"Id of the dump."`
	File string `path:"file" maxLength:"64" description:"Name of the file."`
}

func (s *Server) file(ctx context.Context, in fileIn) (download, error) {
	f, data, err := s.files.File(ctx, in.Dump, in.File)
	return download{f, data}, err
}

// A download is a file with its bytes. It answers requests for parts, so that a large
// download can go on where it stopped.
type download struct {
	dump.File
	data []byte
}

// Reply writes the bytes, or the part of them that r asks for.
func (d download) Reply(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	h["Content-Type"] = []string{d.MediaType}
	h["Content-Disposition"] = []string{`attachment; filename="` + d.Name + `"`}
	h["Etag"] = []string{`"` + d.SHA256 + `"`}
	http.ServeContent(w, r, d.Name, time.Time{}, bytes.NewReader(d.data))
	return nil
}

var _ api.Reply = download{}
