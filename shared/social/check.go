package social

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Bounds of what an event says.
const (
	maxChannel = 128 // bytes of a channel's id, as in the catalog
	maxKey     = 64
	maxSamples = 1_000_000_000
	maxWait    = int64(time.Hour / time.Millisecond) // of one sample
)

// Check implements [fact.Fact].
func (p Play) Check() error {
	if len(p.Key) != 32 || strings.Trim(p.Key, "0123456789abcdef") != "" {
		return errors.New("key is not 32 hexadecimal digits")
	}
	return errors.Join(checkChannel(p.Channel), checkDay(p.Day, p.At), checkCountry(p.Country), checkNetwork(p.Network))
}

// checkNetwork refuses what is neither empty nor a name that NetworkOf returns.
func checkNetwork(s string) error {
	if s != "" && (len(s) != 2*markLen || strings.Trim(s, "0123456789abcdef") != "") {
		return fmt.Errorf("network %.20q is not %d hexadecimal digits", s, 2*markLen)
	}
	return nil
}

// Check implements [fact.Fact].
func (l Latency) Check() error {
	if len(l.Key) == 0 || len(l.Key) > maxKey || strings.ContainsFunc(l.Key, notAlphanumeric) {
		return fmt.Errorf("key is not 1 to %d letters and digits", maxKey)
	}
	if l.Samples < 1 || l.Samples > maxSamples {
		return fmt.Errorf("%d samples", l.Samples)
	}
	if l.SumMS < 0 || l.SumMS > math.MaxInt64/2 || l.SumMS/int64(l.Samples) > maxWait {
		return fmt.Errorf("%d ms in %d samples", l.SumMS, l.Samples)
	}
	return errors.Join(checkChannel(l.Channel), checkDay(l.Day, l.LastAt), checkCountry(l.Country))
}

func notAlphanumeric(r rune) bool {
	return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// checkChannel refuses what no channel of the catalog has as its id: a segment
// of a path, in UTF-8 and without spaces.
func checkChannel(id string) error {
	if id == "" || len(id) > maxChannel || id == "." || id == ".." ||
		strings.ContainsAny(id, `/\?#%`) || strings.ContainsFunc(id, notPrinted) {
		return fmt.Errorf("channel %.40q", id)
	}
	return nil
}

// notPrinted also finds bytes that are not UTF-8.
func notPrinted(r rune) bool {
	return unicode.IsControl(r) || unicode.IsSpace(r) || r == utf8.RuneError
}

// checkDay refuses a day that is not the one of the moment at.
func checkDay(day string, at time.Time) error {
	if at.Year() < 2000 || at.Year() > 9999 || day != at.UTC().Format(time.DateOnly) {
		return fmt.Errorf("day %.20q is not that of the moment", day)
	}
	return nil
}

func checkCountry(s string) error {
	if !isCountry(s) {
		return fmt.Errorf("country %.8q", s)
	}
	return nil
}
