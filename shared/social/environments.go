package social

import (
	"cmp"
	"maps"
	"slices"
)

// MaxEnvironments is how many environments the counts of a channel distinguish.
// Those without a report for longest are counted by their country alone.
const MaxEnvironments = 400

// addEnvironment adds e to that of p.
func (c *Counts) addEnvironment(p Place, e Environment) {
	if c.Environments == nil {
		c.Environments = map[string]Environment{}
	}
	key := p.Key()
	c.Environments[key] = c.Environments[key].plus(e)
	c.Fold(MaxEnvironments)
}

// plus returns what e and o count together.
func (e Environment) plus(o Environment) Environment {
	e.Plays += o.Plays
	e.Fails += o.Fails
	if o.LastFailAt.After(e.LastFailAt.Time) || o.LastFailAt.Equal(e.LastFailAt.Time) && o.LastFailCode > e.LastFailCode {
		e.LastFailAt, e.LastFailCode = o.LastFailAt, o.LastFailCode
	}
	e.LastAt = later(e.LastAt, o.LastAt.Time)
	return e
}

// Fold keeps the n environments with the latest reports, and adds the others to
// the rest of their country.
func (c *Counts) Fold(n int) {
	if len(c.Environments) <= n {
		return
	}
	keys := slices.DeleteFunc(slices.Collect(maps.Keys(c.Environments)), isRest)
	if len(keys) <= n {
		return
	}
	slices.SortFunc(keys, func(a, b string) int {
		ea, eb := c.Environments[a], c.Environments[b]
		return cmp.Or(eb.LastAt.Compare(ea.LastAt.Time), cmp.Compare(a, b))
	})
	for _, key := range keys[n:] {
		rest := Place{Other, Other, PlaceOf(key).Country}.Key()
		c.Environments[rest] = c.Environments[rest].plus(c.Environments[key])
		delete(c.Environments, key)
		delete(c.Heard.Environments, PlaceOf(key).voiceKey())
	}
}

// isRest reports whether a key names the rest of a country.
func isRest(key string) bool {
	p := PlaceOf(key)
	return p.Browser == Other && p.OS == Other
}
