package works

// Kept returns how many answers are kept.
func (c *Countries) Kept() int { return len(c.kept) }
