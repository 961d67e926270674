package manifest

import (
	"slices"
	"strings"
)

// decoded are the prefixes of codecs that some common player decodes:
// browsers, televisions, or players with decoders of their own.
var decoded = []string{
	"avc1", "avc3", "hvc1", "hev1", "dvh1", "dvhe", "av01", "vp8", "vp08", "vp9", "vp09", "mp4v", "mpeg2video", "mp2v", "mpeg", "mpv", "theora",
	"mp4a", "aac", "mp3", "mp2", "mp1", "mpa", "ac-3", "ec-3", "ac-4", "opus", "vorbis", "flac", "alac", "dts", "speex", "pcm", "h264", "h265", "hevc", "av1",
}

// Decodable reports whether players decode one of the named codecs. It is
// true for an empty list, since codecs need not be named.
func Decodable(names string) bool {
	for name := range strings.SplitSeq(strings.ToLower(names), ",") {
		name = strings.TrimSpace(name)
		if name == "" || slices.ContainsFunc(decoded, func(d string) bool { return strings.HasPrefix(name, d) }) {
			return true
		}
	}
	return false
}
