package liveorigin

import (
	"fmt"
	"os"
	"strings"
	"time"
)

// shown is how many segments a playlist holds, and lead how many of them are
// there already when the clock of the stream starts.
const (
	shown = 6
	lead  = 6
)

// A window is a media playlist that slides over segments that were all made
// before.
type window struct {
	head     []string   // tags before the first segment that hold for all
	segments [][]string // the lines of each, its address last
	start    time.Time
}

// readWindow reads the playlist of all segments that ffmpeg wrote.
func readWindow(path string, start time.Time) (*window, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	w := &window{start: start}
	var lines []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		switch tag, _, _ := strings.Cut(line, ":"); tag {
		case "", "#EXTM3U", "#EXT-X-MEDIA-SEQUENCE", "#EXT-X-PLAYLIST-TYPE", "#EXT-X-ENDLIST":
		case "#EXT-X-VERSION", "#EXT-X-TARGETDURATION", "#EXT-X-KEY", "#EXT-X-MAP", "#EXT-X-INDEPENDENT-SEGMENTS":
			w.head = append(w.head, line)
		default:
			lines = append(lines, line)
			if !strings.HasPrefix(line, "#") {
				w.segments = append(w.segments, lines)
				lines = nil
			}
		}
	}
	if want := int(length / segmentLength); len(w.segments) < want {
		return nil, fmt.Errorf("%s has %d segments, want %d", path, len(w.segments), want)
	}
	return w, nil
}

// playlist returns what is shown at now. After the last segment it ends.
func (w *window) playlist(now time.Time) []byte {
	edge := min(lead+int(now.Sub(w.start)/segmentLength), len(w.segments))
	first := max(0, edge-shown)
	b := []byte("#EXTM3U\n")
	for _, line := range w.head {
		b = fmt.Appendln(b, line)
	}
	b = fmt.Appendf(b, "#EXT-X-MEDIA-SEQUENCE:%d\n", first)
	for _, segment := range w.segments[first:edge] {
		for _, line := range segment {
			b = fmt.Appendln(b, line)
		}
	}
	if edge == len(w.segments) {
		b = append(b, "#EXT-X-ENDLIST\n"...)
	}
	return b
}
