package playlist

import (
	"regexp"
	"slices"
	"strings"

	"miramundo.dev/hop/playlist/reference"
)

// This is a second rewriter, short and slow, without variables
// and without Info, written differently. The reference package tests resolving.

var (
	naiveLineEnd   = regexp.MustCompile(`\r\n|\r|\n`)
	naiveAttribute = regexp.MustCompile(`([^=,]*)=[\x00-\x20]*("[^"]*"|[^,]*)`)
	naiveRouted    = regexp.MustCompile(`^#EXT-X-(STREAM-INF|MEDIA|I-FRAME-STREAM-INF|IMAGE-STREAM-INF|RENDITION-REPORT)[ \t]*:`)
	naiveAbsolute  = regexp.MustCompile(`^#EXT-X-(KEY|MAP|PART|PRELOAD-HINT|SESSION-KEY|SESSION-DATA)[ \t]*:`)
	naiveTag       = regexp.MustCompile(`^#EXT(INF|-X-)`)
)

func naiveTrim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
}

// naive rewrites a playlist that is UTF-8, has no definitions and is known to
// be valid. References to playlists are written like others.
func naive(src, base string) string {
	var out []string
	for _, line := range naiveLineEnd.Split(strings.TrimPrefix(src, "\uFEFF"), -1) {
		line = strings.TrimLeftFunc(line, func(c rune) bool { return c <= ' ' })
		switch {
		case line == "", strings.HasPrefix(line, "#EXT-X-CONTENT-STEERING") && naiveName(line) == "#EXT-X-CONTENT-STEERING":
		case len(out) == 0 && strings.HasPrefix(line, "#EXTM3U"):
			out = []string{line}
		case len(out) == 0 && !naiveTag.MatchString(line):
		case len(out) == 0:
			out = append([]string{"#EXTM3U"}, naiveRewriteLine(line, base))
		default:
			out = append(out, naiveRewriteLine(line, base))
		}
	}
	return strings.Join(out, "\n") + "\n"
}

func naiveName(line string) string {
	name, _, _ := strings.Cut(line, ":")
	return strings.TrimRight(name, " \t")
}

func naiveRewriteLine(line, base string) string {
	colon := strings.IndexByte(line, ':') + 1
	switch {
	case line[0] != '#':
		return naiveResolve(line, base)
	case naiveRouted.MatchString(line), naiveAbsolute.MatchString(line):
		return line[:colon] + naiveList(line[colon:], base, "URI")
	case naiveName(line) == "#EXT-X-PREFETCH" && naiveTrim(line[colon:]) != "" && colon > 0:
		return line[:colon] + naiveResolve(line[colon:], base)
	case naiveName(line) == "#EXT-X-DATERANGE" && colon > 0:
		return line[:colon] + naiveDateRange(line[colon:], base)
	}
	return line
}

func naiveDateRange(list, base string) string {
	for _, m := range naiveAttribute.FindAllStringSubmatch(list, -1) {
		if naiveTrim(m[1]) != "CLASS" {
			continue
		}
		switch naiveUnquote(m[2]) {
		case "com.apple.hls.interstitial":
			return naiveList(list, base, "X-ASSET-URI", "X-ASSET-LIST")
		case "com.apple.hls.preload":
			return naiveList(list, base, "X-URI")
		}
		break
	}
	return list
}

func naiveUnquote(v string) string {
	if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
		return v[1 : len(v)-1]
	}
	return strings.TrimPrefix(naiveTrim(v), `"`)
}

func naiveList(list, base string, names ...string) string {
	var out strings.Builder
	done, quote := 0, `"`
	for _, m := range naiveAttribute.FindAllStringSubmatchIndex(list, -1) {
		value := list[m[4]:m[5]]
		ref := naiveUnquote(value)
		if slices.Contains(names, naiveTrim(list[m[2]:m[3]])) && naiveTrim(ref) != "" {
			out.WriteString(list[done:m[4]] + quote + naiveResolve(ref, base) + quote)
			done = m[5]
		} else if strings.Count(value, `"`) == 1 && value[0] == '"' {
			quote = ""
		}
	}
	return out.String() + list[done:]
}

func naiveResolve(ref, base string) string {
	b, _ := reference.New(nil, []byte(base))
	return string(b.Append(nil, []byte(ref)))
}
