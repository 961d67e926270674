package build

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/source"
)

// tvStreams returns the streams of one channel, best first.
func tvStreams(rows []*source.Stream, rep *Report) []catalog.StreamRecord {
	var out []catalog.StreamRecord
	seen := map[string]bool{}
	for _, row := range rows {
		s, ok := tvStream(row)
		if key := s.Feed + "\n" + normal(s.URL); !ok {
			rep.leaveOut("stream_" + reasonInvalid)
		} else if seen[key] {
			rep.leaveOut("stream_" + reasonDuplicate)
		} else {
			seen[key] = true
			out = append(out, s)
		}
	}
	slices.SortStableFunc(out, compareStreams)
	return out
}

func tvStream(row *source.Stream) (catalog.StreamRecord, bool) {
	kind, ok := streamKind(row.URL, catalog.StreamHLS)
	if !ok {
		return catalog.StreamRecord{}, false
	}
	return catalog.StreamRecord{
		URL:       row.URL,
		Feed:      text(row.Feed, 128),
		Title:     text(row.Title, maxName),
		Quality:   text(row.Quality, 32),
		Label:     strings.Join(texts(row.Labels, 100), "; "),
		Referrer:  text(row.Referrer, maxURL),
		UserAgent: text(row.UserAgent, maxText),
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

// streamKind says by its URL how a stream is sent, or other when the URL does
// not tell. It reports false for a URL that no player opens.
func streamKind(raw, other string) (string, bool) {
	u, ok := parseURL(raw)
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

// normal returns a URL in the form by which two are the same address: scheme
// and host in lower case, no default port, no fragment.
func normal(raw string) string {
	u, ok := parseURL(raw)
	if !ok {
		return raw
	}
	u.Host = strings.ToLower(u.Host)
	if u.Scheme == "http" && u.Port() == "80" || u.Scheme == "https" && u.Port() == "443" {
		u.Host = strings.TrimSuffix(u.Host, ":"+u.Port())
	}
	u.Fragment, u.RawFragment = "", ""
	return u.String()
}

// compareStreams orders the streams of a channel: usable first, then those
// that most players open without help, then the sharper.
func compareStreams(a, b catalog.StreamRecord) int {
	return cmp.Or(
		cmp.Compare(boolRank(a.Playable), boolRank(b.Playable)),
		cmp.Compare(labelRank(a.Label), labelRank(b.Label)),
		cmp.Compare(kindRank(a.Kind), kindRank(b.Kind)),
		cmp.Compare(boolRank(a.Referrer+a.UserAgent == ""), boolRank(b.Referrer+b.UserAgent == "")),
		cmp.Compare(boolRank(strings.HasPrefix(a.URL, "https:")), boolRank(strings.HasPrefix(b.URL, "https:"))),
		cmp.Compare(lines(b.Quality), lines(a.Quality)),
	)
}

func labelRank(label string) int {
	switch {
	case strings.Contains(label, "Geo"):
		return 2
	case strings.Contains(label, "24/7"):
		return 1
	}
	return 0
}

func kindRank(kind string) int {
	switch kind {
	case catalog.StreamHLS, catalog.StreamAudio:
		return 0
	case catalog.StreamDASH:
		return 1
	case catalog.StreamYouTube:
		return 3
	}
	return 2
}

// lines returns the number of picture lines that a quality such as "1080p"
// declares, or 0.
func lines(quality string) int {
	n, _ := strconv.Atoi(strings.TrimRight(quality, "pi"))
	return n
}

// bestQuality returns the quality with the most lines.
func bestQuality(streams []catalog.StreamRecord) string {
	best := ""
	for _, s := range streams {
		if lines(s.Quality) > lines(best) {
			best = s.Quality
		}
	}
	return best
}
