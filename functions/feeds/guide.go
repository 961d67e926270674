package feeds

import (
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/feed"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/library"
)

// A Guide provides the programmes of channels from memory. A [guide.Live] is one.
type Guide interface {
	// Programmes returns the programmes of a channel that end after now.
	Programmes(channel string, now time.Time) []guide.Programme

	// Version returns a number that changes whenever a programme does.
	Version() uint64
}

// guides are the formats of guides by the names of their files.
var guides = map[string]string{guideName + "." + feed.XMLTV: feed.XMLTV, guideName + "." + feed.Archive: feed.Archive}

func (s *Server) guide(ctx context.Context, token string, at place, name string) (file, error) {
	format, ok := guides[name]
	if !ok {
		return file{}, library.ErrNoFeed
	}
	return s.feed(ctx, token, at, format)
}

// cachedAs returns the format in which a file is cached. A guide is cached in gzip
// alone, because most players that request the plain form accept gzip too.
func cachedAs(format string) string {
	if format == feed.XMLTV {
		return feed.Archive
	}
	return format
}

// archive returns the guide of l in gzip. It begins at midnight UTC, so that it
// changes with the programmes and not with the hour.
func (s *Server) archive(l *feed.List, now time.Time) (f file) {
	from := midnight(now)
	l.Programmes = func(channel string) iter.Seq[feed.Programme] { return s.programmes(channel, from) }
	archive, size := l.Archived(guideName)
	return file{Content: api.Content(archive), size: size}
}

// midnight returns the last midnight in UTC.
func midnight(now time.Time) time.Time { return now.UTC().Truncate(24 * time.Hour) }

// programmes returns the programmes of a channel that end after from.
func (s *Server) programmes(channel string, from time.Time) iter.Seq[feed.Programme] {
	return func(yield func(feed.Programme) bool) {
		for _, p := range s.guides.Programmes(channel, from) {
			if !yield(feed.Programme(p)) {
				return
			}
		}
	}
}

// A file is a list or a guide as it is sent.
type file struct {
	api.Content
	size  int64 // of an unpacked guide, in bytes
	plain bool  // the request is for the unpacked guide

	lineup *feed.Lineup // for players of Xtream Codes; nil in other formats
}

// memory returns what the file takes, in bytes.
func (f file) memory() int { return len(f.Data) + f.lineup.Memory() }

// Reply writes the file.
func (f file) Reply(w http.ResponseWriter, r *http.Request) error {
	if f.plain {
		return api.Unpacked{Type: feed.GuideType, Archive: f.Data, Size: f.size, File: strings.TrimSuffix(f.File, ".gz")}.Reply(w, r)
	}
	return f.Content.Reply(w, r)
}
