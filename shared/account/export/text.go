package export

import (
	"archive/zip"
	"fmt"
	"io"
	"strings"
	"time"
)

// described are the files that the text of an archive describes, with the end of the
// key of what it says.
var described = []struct{ file, key string }{
	{profile, "account"}, {sessions, "sessions"}, {keys, "keys"}, {organizations, "organizations"}, {libraryFile, "library"},
	{favorites, "favorites"}, {history, "history"}, {moderated, "moderation"}, {purchases, "purchases"}, {comments, "comments"}, {photo, "photo"},
}

// writeText writes the text that says what the archive holds.
func (a *Archive) writeText(z *zip.Writer) error {
	f, err := a.create(z, readme, zip.Deflate)
	if err != nil {
		return err
	}
	_, err = io.WriteString(f, a.text())
	return err
}

// text returns that text, in the language of its reader.
func (a *Archive) text() string {
	var b strings.Builder
	day := a.locale.Date(a.now.UTC().Format(time.DateOnly))
	fmt.Fprintf(&b, "%s\n\n%s\n", a.locale.T("export.title", map[string]any{"email": a.account.Email, "day": day}), a.locale.T("export.text", nil))
	for _, d := range described {
		if d.file == photo && len(a.photo.Data) == 0 {
			continue
		}
		fmt.Fprintf(&b, "\n%s\n    %s\n", d.file, a.locale.T("export.file."+d.key, nil))
	}
	return b.String()
}
