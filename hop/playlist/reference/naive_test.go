package reference

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

var (
	naiveScheme    = regexp.MustCompile(`(?s)^([A-Za-z][A-Za-z0-9+.-]*:)(.*)$`)
	naiveURL       = regexp.MustCompile(`(?s)^(https?:)//([^/?#]*)([^?#]*)(\?[^#]*)?(#.*)?$`)
	naiveAuthority = regexp.MustCompile(`(?s)^[/\\]*([^/\\?#]*)(.*)$`)
	naiveDot       = regexp.MustCompile(`(?i)^(\.|%2e)$`)
	naiveDots      = regexp.MustCompile(`(?i)^(\.|%2e){2}$`)
)

func naiveTrim(s string) string {
	return strings.TrimFunc(s, func(c rune) bool { return c <= ' ' })
}

// naiveResolve is the part of the WHATWG URL standard that matters here, for a
// base that is in its canonical form.
func naiveResolve(ref, base string) string {
	ref = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(naiveTrim(ref))
	b := naiveURL.FindStringSubmatch(base)
	scheme := b[1]
	if m := naiveScheme.FindStringSubmatch(ref); m != nil {
		lower := strings.ToLower(m[1])
		if lower != "http:" && lower != "https:" {
			return string([]rune(strings.ReplaceAll(ref, `"`, "%22")))
		}
		if ref = m[2]; lower != scheme {
			scheme, ref = lower, "//"+ref
		}
	}
	slashed := func(i int) bool { return len(ref) > i && (ref[i] == '/' || ref[i] == '\\') }
	switch {
	case slashed(0) && slashed(1):
		m := naiveAuthority.FindStringSubmatch(ref)
		path, rest := naiveSplit(m[2])
		return scheme + "//" + naiveEncode(m[1]) + naivePath("/", path) + naiveEncode(rest)
	case slashed(0):
		path, rest := naiveSplit(ref)
		return scheme + "//" + b[2] + naivePath("/", path) + naiveEncode(rest)
	}
	path, rest := naiveSplit(ref)
	switch {
	case path != "":
		return scheme + "//" + b[2] + naivePath(b[3], path) + naiveEncode(rest)
	case strings.HasPrefix(rest, "?"):
		return scheme + "//" + b[2] + b[3] + naiveEncode(rest)
	}
	return scheme + "//" + b[2] + b[3] + b[4] + naiveEncode(rest)
}

func naiveSplit(ref string) (path, rest string) {
	if i := strings.IndexAny(ref, "?#"); i >= 0 {
		return ref[:i], ref[i:]
	}
	return ref, ""
}

func naivePath(base, path string) string {
	segments := strings.Split(base[1:strings.LastIndexByte(base, '/')+1], "/")
	segments = segments[:len(segments)-1]
	parts := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	if parts[0] == "" && len(parts) > 1 {
		segments, parts = nil, parts[1:]
	}
	for i, p := range parts {
		up := naiveDots.MatchString(p)
		if up && len(segments) > 0 {
			segments = segments[:len(segments)-1]
		}
		switch last := i == len(parts)-1; {
		case !up && !naiveDot.MatchString(p):
			segments = append(segments, naiveEncode(p))
		case last:
			segments = append(segments, "")
		}
	}
	return "/" + strings.Join(segments, "/")
}

func naiveEncode(s string) string {
	var out strings.Builder
	for i, c := range s {
		switch {
		case c <= ' ' || c == '"' || c == 0x7F, c == utf8.RuneError && !strings.HasPrefix(s[i:], "\uFFFD"):
			fmt.Fprintf(&out, "%%%02X", s[i])
		default:
			out.WriteRune(c)
		}
	}
	return out.String()
}
