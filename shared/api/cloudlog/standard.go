package cloudlog

import (
	"log"
	"log/slog"
	"regexp"
	"strings"
)

// SetDefault makes l the logger of the process, also of libraries that write
// with package log. Such a message loses what it quotes: net/http quotes what
// servers send without being asked, and nothing of that belongs in a log.
func SetDefault(l *slog.Logger) {
	slog.SetDefault(l)
	log.SetFlags(0)
	log.SetOutput(standard{l})
}

// A standard is where package log writes, one message at a time.
type standard struct{ *slog.Logger }

func (s standard) Write(p []byte) (int, error) {
	s.Info(WithoutQuotes(strings.TrimSpace(string(p))))
	return len(p), nil
}

// quoted is a Go string in a text, which may end before the string does.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"?`)

// WithoutQuotes returns a text with an ellipsis in place of each quoted string.
func WithoutQuotes(text string) string { return quoted.ReplaceAllString(text, `"…"`) }
