package folder

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Kept is a mail that was read from a folder.
type Kept struct {
	Name     string    `json:"name"` // of the file
	Date     time.Time `json:"date"`
	To       string    `json:"to"` // the address alone
	Subject  string    `json:"subject"`
	Language string    `json:"language"` // such as pt-BR
	Code     string    `json:"code,omitempty"`
	Link     string    `json:"link,omitempty"`
	Text     string    `json:"text"`
	HTML     string    `json:"html,omitempty"`
}

// ErrNoMail is returned for a name of no mail.
var ErrNoMail = errors.New("there is no mail of this name")

// Read returns the mail with a name in the folder at dir, and ErrNoMail when there
// is none.
func Read(dir, name string) (Kept, error) {
	if name != filepath.Base(name) || !strings.HasSuffix(name, suffix) {
		return Kept{}, ErrNoMail
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return Kept{}, ErrNoMail
	}
	if err != nil {
		return Kept{}, err
	}
	k, err := parse(data)
	if err != nil {
		return Kept{}, fmt.Errorf("%s: %w", name, err)
	}
	k.Name = name
	return k, nil
}

// parse reads a mail as this package writes it.
func parse(data []byte) (Kept, error) {
	msg, err := netmail.ReadMessage(bytes.NewReader(data))
	if err != nil {
		return Kept{}, err
	}
	k := Kept{Language: msg.Header.Get("Content-Language")}
	if k.Date, err = msg.Header.Date(); err != nil {
		return Kept{}, err
	}
	to, err := netmail.ParseAddress(msg.Header.Get("To"))
	if err != nil {
		return Kept{}, err
	}
	k.To = to.Address
	if k.Subject, err = new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject")); err != nil {
		return Kept{}, err
	}
	_, params, err := mime.ParseMediaType(msg.Header.Get("Content-Type"))
	if err != nil {
		return Kept{}, err
	}
	if err := k.readBodies(multipart.NewReader(msg.Body, params["boundary"])); err != nil {
		return Kept{}, err
	}
	k.Code, k.Link = code.FindString(k.Text), link.FindString(k.Text)
	return k, nil
}

// The code and the link of a mail stand on lines of their own in its text.
var (
	code = regexp.MustCompile(`(?m)^[0-9]{6}$`)
	link = regexp.MustCompile(`(?m)^https?://\S+$`)
)

func (k *Kept) readBodies(parts *multipart.Reader) error {
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(data), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			k.HTML = text
		} else {
			k.Text = text
		}
	}
}
