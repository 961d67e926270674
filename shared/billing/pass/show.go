package pass

import (
	"time"

	"miramundo.dev/shared/price"
)

// A Shown is a pass in force, as the API shows it to its owner.
type Shown struct {
	Kind    price.Kind `json:"kind" enum:"chat,network" description:"Use that the pass allows: writing in the chat, or watching without a limit on a network."`
	Network *string    `json:"network" description:"Short name of the network, which stays the same; null for the chat."`
	Until   string     `json:"until" format:"date-time" description:"End of the pass, in UTC."`
}

// shownLength is how many characters of a network's name are shown: enough to
// distinguish the networks of one owner.
const shownLength = 8

// Show returns the passes in force at a moment, never nil.
func (p Passes) Show(now time.Time) []Shown {
	all := []Shown{}
	if until, valid := p.Chat(now); valid {
		all = append(all, Shown{Kind: price.Chat, Until: stamp(until)})
	}
	for _, n := range p.Live(now) {
		name := n.ID[:min(len(n.ID), shownLength)]
		all = append(all, Shown{price.Network, &name, stamp(n.Until.Time)})
	}
	return all
}

func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
