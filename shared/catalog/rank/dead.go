package rank

// Dead reports whether the last measurement of s, if it still says something,
// found that the stream does not play.
func Dead(s *Candidate, c Caller) bool {
	j := judge{now: c.Now}
	h, _ := j.measured(s.Health)
	return j.outlook(h) == bad
}
