package health

import "miramundo.dev/shared/social"

// Grades of a mean wait for a playlist.
const (
	great = "otima"
	good  = "boa"
	slow  = "lenta"
	bad   = "ruim"
)

// grades are the mean waits, in milliseconds, below which each grade is
// given.
var grades = []struct {
	below int
	grade string
}{{600, great}, {1500, good}, {3500, slow}}

// Grade returns the grade of a mean wait in milliseconds: otima, boa, lenta or
// ruim.
func Grade(ms int) string {
	for _, g := range grades {
		if ms < g.below {
			return g.grade
		}
	}
	return bad
}

// meanOf returns the mean of w in milliseconds, rounded; false without
// samples.
func meanOf(w social.Wait) (ms int, ok bool) {
	if w.Samples <= 0 {
		return 0, false
	}
	return int((max(w.SumMS, 0) + w.Samples/2) / w.Samples), true
}

// isSlow reports whether w has enough samples and a mean that makes a channel
// slow.
func isSlow(w social.Wait) bool {
	ms, ok := meanOf(w)
	return ok && w.Samples >= MinReports && (Grade(ms) == slow || Grade(ms) == bad)
}
