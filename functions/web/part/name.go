package part

import (
	"slices"
	"strings"
	"unicode"
)

// Registers of stations write into the name how a stream is encoded, how fast it is, and
// by which call sign a transmitter is licensed: "Rádio Exemplo (ZYK123 98,5 MHz FM) [aac]".
// Plates and cards show the name that people say. The name in the API stays as it is.

// Called returns the name of a channel without the technical words at its end: codecs,
// bit rates and kinds of streams, in brackets or not, and call signs in brackets or after
// a dash. Frequencies stay, since people know stations by them, and so does every name
// that would have nothing left. It takes 1 to 2 µs.
func Called(name string) string {
	kept := beforeCall(strings.TrimSpace(name))
	for {
		shorter := dropped(kept)
		if shorter == kept {
			break
		}
		shorter = strings.TrimRight(shorter, separators)
		if !strings.ContainsFunc(shorter, unicode.IsLetter) {
			break
		}
		kept = shorter
	}
	if kept == "" {
		return name
	}
	return kept
}

// separators are the signs before technical words, which go with them.
const separators = " \t-–—|,;:/·•@"

// beforeCall returns what stands before a call sign that is a part of its own, between
// dashes. After it come owners and places: "Onda Sur - 98.7 FM - XHABC-FM - Grupo Sur".
func beforeCall(name string) string {
	for at := 0; ; {
		n := strings.Index(name[at:], " - ")
		if n < 0 {
			return name
		}
		at += n + len(" - ")
		part, _, _ := strings.Cut(name[at:], " - ")
		if bare := bareCall(part); isCall(part) || bare != part && isLetteredCall(bare) {
			return strings.TrimRight(name[:at], separators)
		}
	}
}

// bareCall returns a call sign without the kind of transmitter that follows it.
func bareCall(word string) string {
	return strings.TrimSuffix(strings.TrimSuffix(word, "-FM"), "-AM")
}

// brackets are the pairs by which technical words are set off.
var brackets = map[byte]byte{')': '(', ']': '[', '}': '{'}

// dropped returns a name without the last group of technical words, or the name itself.
func dropped(name string) string {
	if name == "" {
		return name
	}
	if open, ok := brackets[name[len(name)-1]]; ok {
		at := strings.LastIndexByte(name, open)
		if at > 0 && isTechnical(name[at+1:len(name)-1]) {
			return name[:at]
		}
		return name
	}
	at := strings.LastIndexAny(name, " \t")
	if at < 0 {
		return name
	}
	last, before := name[at+1:], strings.TrimRight(name[:at], " \t")
	switch {
	case isCodec(last) || isRate(last):
		return before
	}
	// A number and its unit, or a codec and its bit rate, are two words.
	start := strings.LastIndexAny(before, " \t") + 1
	switch other := before[start:]; {
	case isRateUnit(last) && isNumber(other), isCodec(other) && isBareRate(last), last == "stream" && isCodec(other):
		return before[:start]
	}
	return name
}

// isTechnical reports whether what stands in brackets is technical: nothing but words
// about a stream, or a call sign with its frequencies and places.
func isTechnical(text string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;|/-–@_:", r) })
	if len(words) == 0 {
		return strings.TrimSpace(text) == ""
	}
	if isCall(words[0]) || len(words) > 1 && isCall(words[0]+words[1]) || isLetteredCall(words[0]) && slices.ContainsFunc(words[1:], isNumber) {
		return true
	}
	strong := false
	for i, word := range words {
		switch {
		case isCodec(word), isRate(word), isProtocol(word), isBareRate(word):
			strong = true
		case isRateUnit(word) && i > 0 && isNumber(words[i-1]), word == "s" && i > 0:
			// "kbit/s" is two words here
		case isStreamWord(word), isNumber(word) && i+1 < len(words) && isRateUnit(words[i+1]):
		default:
			return false
		}
	}
	return strong
}

func isOneOf(word string, all ...string) bool {
	return slices.ContainsFunc(all, func(one string) bool { return strings.EqualFold(word, one) })
}

func isCodec(word string) bool {
	return len(word) <= 9 && isOneOf(strings.Trim(word, ".#"), "aac", "aac+", "aacp", "aacplus", "aac+v2", "he-aac", "heaac", "mp3", "ogg", "opus", "flac", "vorbis", "mpeg")
}

func isProtocol(word string) bool {
	return isOneOf(word, "hls", "m3u8", "m3u", "pls", "http", "https", "icecast", "shoutcast", "hq", "lq")
}

// isStreamWord reports whether a word may stand beside technical ones, but is not
// technical by itself.
func isStreamWord(word string) bool {
	return isOneOf(word, "stream", "link", "stereo", "mono", "high", "low", "quality", "audio", "he", "v2", "hd")
}

// isRate reports whether a word is a bit rate with its unit, such as 128k and 64kbps.
func isRate(word string) bool {
	digits := strings.TrimLeft(word, "0123456789")
	n := len(word) - len(digits)
	return n >= 2 && n <= 4 && isRateUnit(digits)
}

func isRateUnit(word string) bool {
	return isOneOf(word, "k", "kb", "kbs", "kb/s", "kbps", "kbit", "kbit/s", "kbits")
}

// isBareRate reports whether a number is a usual bit rate.
func isBareRate(word string) bool {
	return isOneOf(word, "24", "32", "48", "56", "64", "80", "96", "112", "128", "160", "192", "224", "256", "320")
}

// isNumber reports whether a word is a number, such as a frequency.
func isNumber(word string) bool {
	return word != "" && word[0] >= '0' && word[0] <= '9' && strings.Trim(word, "0123456789.,") == ""
}

// callPrefixes are the beginnings of the call signs of countries whose stations are known
// by other names: most of Latin America.
var callPrefixes = []string{"ZY", "PR", "LR", "LS", "LT", "LU", "LV", "LW", "CA", "CB", "CC", "CD", "CV", "CW", "CX", "OA", "OB", "OC", "HC", "HJ", "HK", "YV", "XE", "XH"}

// isCall reports whether a word is a call sign with a number, such as ZYK123.
func isCall(word string) bool {
	word = bareCall(word)
	if len(word) < 4 || len(word) > 7 || !slices.Contains(callPrefixes, word[:2]) {
		return false
	}
	rest := strings.TrimLeft(word[2:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	digits := strings.TrimLeft(rest, "0123456789")
	return len(word)-len(rest) <= 3 && len(rest)-len(digits) >= 2 && (digits == "" || len(digits) == 1 && digits[0] >= 'A' && digits[0] <= 'Z')
}

// isLetteredCall reports whether a word may be a call sign of letters alone. Those of
// North America are names by which people know a station.
func isLetteredCall(word string) bool {
	return len(word) >= 4 && len(word) <= 7 && isOneOf(word[:2], "HJ", "HK", "XE", "XH") && strings.ToUpper(word) == word && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}
