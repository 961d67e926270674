package build

import (
	"cmp"
	"path"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/catalog/rank"
	"miramundo.dev/shared/source"
)

// tvStreams returns the streams of the channel r, best first for a caller in an
// unknown country. Rows with an invalid or a repeated address are left out and
// counted in rep; the same address in two feeds is two streams.
func tvStreams(r *catalog.Record, rows []*source.Stream, rep *Report) []catalog.StreamRecord {
	var out []catalog.StreamRecord
	seen := map[string]bool{}
	for _, row := range rows {
		s, ok := tvStream(row)
		if key := s.Feed + "\n" + clean.Normal(s.URL); !ok {
			rep.leaveOut("stream_" + reasonInvalid)
		} else if seen[key] {
			rep.leaveOut("stream_" + reasonDuplicate)
		} else {
			seen[key] = true
			out = append(out, s)
		}
	}
	return inOrder(r, out)
}

// inOrder returns the streams of r, best first by what the sources declare:
// measurements are applied when a request is answered.
func inOrder(r *catalog.Record, streams []catalog.StreamRecord) []catalog.StreamRecord {
	list := make([]rank.Candidate, len(streams))
	for i := range streams {
		list[i].Stream = &streams[i]
	}
	var out []catalog.StreamRecord
	for _, c := range rank.Order(r, list, rank.Caller{}) {
		out = append(out, *c.Stream)
	}
	return out
}

func tvStream(row *source.Stream) (catalog.StreamRecord, bool) {
	kind, ok := streamKind(row.URL, catalog.StreamHLS)
	if !ok {
		return catalog.StreamRecord{}, false
	}
	return catalog.StreamRecord{
		URL:       row.URL,
		Feed:      clean.Text(row.Feed, 128),
		Title:     clean.Text(row.Title, clean.MaxName),
		Quality:   clean.Text(row.Quality, 32),
		Label:     strings.Join(clean.Texts(row.Labels, 100), "; "),
		Referrer:  clean.Text(row.Referrer, clean.MaxURL),
		UserAgent: clean.Text(row.UserAgent, clean.MaxText),
		Kind:      kind,
		Origin:    cmp.Or(row.Origin, originIPTVOrg),
		Playable:  kind != catalog.StreamExternal,
	}, true
}

var kindOfSuffix = map[string]string{
	".m3u8": catalog.StreamHLS,
	".mpd":  catalog.StreamDASH,
	".ts":   catalog.StreamTS,
	".flv":  catalog.StreamFLV,
	".mp3":  catalog.StreamAudio,
	".aac":  catalog.StreamAudio,
	".ogg":  catalog.StreamAudio,
	".opus": catalog.StreamAudio,
	".m4a":  catalog.StreamAudio,
}

var externalSchemes = map[string]bool{
	"rtmp": true, "rtmps": true, "rtsp": true, "rtsps": true, "mms": true, "mmsh": true, "mmst": true,
	"srt": true, "udp": true, "rtp": true,
}

// streamKind returns the kind of a stream by its URL, or other when the URL has
// no known suffix. It reports false for a URL that no player opens, and for one
// with credentials, which would be shown to everyone.
func streamKind(raw, other string) (string, bool) {
	u, ok := clean.ParseURL(raw)
	if !ok || u.User != nil {
		return "", false
	}
	if externalSchemes[u.Scheme] {
		return catalog.StreamExternal, true
	}
	if u.Scheme != "http" && u.Scheme != "https" {
		return "", false
	}
	if _, ok := catalog.ParseYouTube(raw); ok {
		return catalog.StreamYouTube, true
	}
	if kind, ok := kindOfSuffix[strings.ToLower(path.Ext(u.Path))]; ok {
		return kind, true
	}
	return other, true
}

// bestQuality returns the declared quality with the most lines, or "" when no
// stream declares one.
func bestQuality(streams []catalog.StreamRecord) string {
	best := ""
	for _, s := range streams {
		if rank.Lines(s.Quality) > rank.Lines(best) {
			best = s.Quality
		}
	}
	return best
}
