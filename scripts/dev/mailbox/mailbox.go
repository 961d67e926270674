// Package mailbox shows the mails that the local stack keeps instead of sending
// them.
//
// Nothing that is deployed serves these pages: they show everybody's codes, so that
// even here only callers on the same machine see them. The HTML body of a mail is in a frame without scripts, forms and links, because a
// mail has text that strangers chose.
package mailbox

import (
	_ "embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/netip"

	"miramundo.dev/shared/mail/address"
	"miramundo.dev/shared/mail/folder"
)

// Path is where the mails are shown.
const Path = "/dev/mail"

// shown is how many mails a list has at most.
const shown = 100

//go:embed mailbox.html
var pages string

var templates = template.Must(template.New("mailbox").Parse(pages))

// A Box shows the mails of one folder.
type Box struct{ dir string }

// Handler returns the pages of the mails in the folder at dir.
//
//	GET /dev/mail                    the newest mails
//	GET /dev/mail?to=a@example.org   those to one address
//	GET /dev/mail?format=json        the same as JSON, with their codes and links
//	GET /dev/mail/{name}             one mail
//	GET /dev/mail/{name}/html        its HTML body
func Handler(dir string) http.Handler {
	b := &Box{dir}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+Path, b.list)
	mux.HandleFunc("GET "+Path+"/{name}", b.one)
	mux.HandleFunc("GET "+Path+"/{name}/html", b.body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if caller, err := netip.ParseAddrPort(r.RemoteAddr); err != nil || !caller.Addr().Unmap().IsLoopback() {
			protect(w, "text/plain; charset=utf-8", pagePolicy)
			http.Error(w, "Mails are shown on the machine of the stack alone.", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// A listing is what a list shows.
type listing struct {
	To    string        `json:"to,omitempty"` // the address that was asked for
	Mails []folder.Kept `json:"mails"`        // the newest first
}

func (b *Box) list(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	found := listing{To: query.Get("to")}
	var err error
	if found.Mails, err = b.to(found.To); err != nil {
		refuse(w, err)
		return
	}
	if query.Get("format") != "json" {
		show(w, "list", found)
		return
	}
	protect(w, "application/json", pagePolicy)
	_ = json.NewEncoder(w).Encode(found) // the caller is gone
}

// to returns the newest mails to an address in any spelling, or to all when it is
// empty.
func (b *Box) to(recipient string) ([]folder.Kept, error) {
	want := ""
	if recipient != "" {
		var err error
		if _, want, err = address.Normalize(recipient); err != nil {
			return nil, err
		}
	}
	names, err := folder.Names(b.dir)
	mails := []folder.Kept{}
	for _, name := range names {
		if len(mails) == shown {
			break
		}
		kept, err := folder.Read(b.dir, name)
		if errors.Is(err, folder.ErrNoMail) {
			continue // it was removed since
		}
		if err != nil {
			return nil, err
		}
		if _, key, _ := address.Normalize(kept.To); want == "" || key == want {
			mails = append(mails, kept)
		}
	}
	return mails, err
}

func (b *Box) one(w http.ResponseWriter, r *http.Request) {
	kept, err := folder.Read(b.dir, r.PathValue("name"))
	if err != nil {
		refuse(w, err)
		return
	}
	show(w, "one", kept)
}

func (b *Box) body(w http.ResponseWriter, r *http.Request) {
	kept, err := folder.Read(b.dir, r.PathValue("name"))
	if err != nil {
		refuse(w, err)
		return
	}
	protect(w, "text/html; charset=utf-8", bodyPolicy)
	_, _ = w.Write([]byte(kept.HTML)) // the caller is gone
}

// Policies of the pages, and of the body of a mail, which only a page of ours may
// frame.
const (
	pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	bodyPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'"
)

// protect sets the headers of an answer, which nothing may keep or frame.
func protect(w http.ResponseWriter, kind, policy string) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
}

func show(w http.ResponseWriter, name string, data any) {
	protect(w, "text/html; charset=utf-8", pagePolicy)
	_ = templates.ExecuteTemplate(w, name, data) // the caller is gone
}

// refuse answers an address that is not valid, a mail that does not exist, and a
// folder that cannot be read.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.Is(err, address.ErrInvalid):
		status = http.StatusBadRequest
	case errors.Is(err, folder.ErrNoMail):
		status = http.StatusNotFound
	}
	protect(w, "text/plain; charset=utf-8", pagePolicy)
	http.Error(w, err.Error(), status)
}
