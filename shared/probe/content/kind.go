package content

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/probe/media"
)

// KindOf returns the kind of the stream whose first bytes data is, as Kind does.
// It reports false when data is not media.
func KindOf(data []byte) (kind string, ok bool) {
	f := media.Read(data)
	if f.Container == "" && media.HasPackets(data) {
		return catalog.StreamTS, true
	}
	return Kind(f), f.Container != ""
}

// Kind returns the kind of a stream of plain media, as the interface names it. It
// is empty for media that the interface has no kind for, such as a film in one
// file.
func Kind(f media.Facts) string {
	switch {
	case f.Container == "ts":
		return catalog.StreamTS
	case f.Container == "flv":
		return catalog.StreamFLV
	case f.Audio && !f.Video:
		return catalog.StreamAudio
	}
	return ""
}
