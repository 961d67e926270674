package rank

// Dead reports whether the last measurement of s found that the stream does not
// play. A measurement older than [Stale] does not count, nor does a refusal,
// which may concern only the prober.
func Dead(s *Candidate, c Caller) bool {
	j := judge{now: c.Now}
	h, _ := j.measured(s.Health)
	return j.outlook(h) == bad
}
