package build

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/build/clean"
	"miramundo.dev/shared/source"
)

// A register also names the channels that it does not show, so that a person who
// looks for one, or who kept its id, learns what became of it. They come from
// two places: the rows of the source that say closed or blocked, and the
// earlier register, whose channels and stations may have vanished from the
// source. The latter are tombstones: a register takes them over from the one
// before, until the id is back or leads to another channel.
//
// An adult channel is never named, whatever else is said of it. As a blocklist
// without reasons may list adult channels, a block without a reason counts as
// one.

// maxTombstones is how many channels that no source lists are remembered, the
// latest first. The sources lose about 5,000 ids a year that lead nowhere, nearly
// all of them stations, so that a favorite is explained for two years; they take
// about 1 MB of memory.
const maxTombstones = 10_000

// reasonAdult is what the blocklist says of adult channels.
const reasonAdult = "nsfw"

// A hidden holds the rows of channels that must not be shown, by id, with the
// reason: reasonNSFW, reasonBlocked or reasonClosed.
type hidden map[string]hiddenRow

type hiddenRow struct {
	row    *source.Channel
	reason string
}

// successors returns, for each closed channel, the shown channel that replaced
// it, over several steps when that closed as well. A chain through a channel
// that is blocked or not listed leads nowhere, and neither does a cycle.
func (h hidden) successors(shown map[string]bool) map[string]string {
	to := map[string]string{}
	for id, c := range h {
		seen := map[string]bool{}
		for c.reason == reasonClosed && !seen[c.row.ID] {
			seen[c.row.ID] = true
			next := replacement(c.row)
			if shown[next] {
				to[id] = next
				break
			}
			c = h[next]
		}
	}
	return to
}

// replacement returns the id of the channel that replaced c, without the feed
// that some rows name; "" for none.
func replacement(c *source.Channel) string {
	id, _, _ := strings.Cut(clean.Text(c.ReplacedBy, 256), "@")
	if !validID(id) || id == c.ID {
		return ""
	}
	return id
}

// adult returns the ids that must never be named: adult channels, and blocked
// ones that may be.
func (h hidden) adult(blocklist []source.Block) map[string]bool {
	ids := map[string]bool{}
	for id, c := range h {
		if c.row.NSFW || c.reason == reasonNSFW || slices.Contains(c.row.Categories, "xxx") {
			ids[id] = true
		}
	}
	for _, b := range blocklist {
		if reason := strings.TrimSpace(b.Reason); reason == "" || strings.EqualFold(reason, reasonAdult) {
			ids[b.Channel] = true
		}
	}
	return ids
}

// barred returns the ids of adult and of blocked channels. They lead nowhere, also
// when they led to another channel before.
func (h hidden) barred(blocklist []source.Block) map[string]bool {
	ids := h.adult(blocklist)
	for _, b := range blocklist {
		ids[b.Channel] = true
	}
	return ids
}

// gone returns the channels and stations of reg that are known but not shown,
// by id. The records and aliases of reg must be final.
func gone(reg, prev *catalog.Register, h hidden, blocklist []source.Block, successors map[string]string) []catalog.Gone {
	shown, adult := idsOf(reg.Records), h.adult(blocklist)
	list := h.gone(adult, successors)
	if prev != nil {
		f := formerIDs{reg: reg, prev: prev, blocked: map[string]bool{}}
		f.settled = func(id string) bool {
			_, leads := reg.ChannelAliases[id]
			_, listed := h[id]
			return shown[id] || leads || listed || adult[id]
		}
		for _, b := range blocklist {
			f.blocked[b.Channel] = true
		}
		list = append(list, f.tombstones()...)
		slices.SortFunc(list, byID)
		list = append(list, f.aliases(list)...)
	}
	slices.SortFunc(list, byID)
	for i := range list {
		g := &list[i]
		if _, ok := findGone(list, g.ReplacedBy); !ok && !shown[g.ReplacedBy] {
			g.ReplacedBy = ""
		}
	}
	return list
}

// gone returns the channels whose rows say closed or blocked.
func (h hidden) gone(adult map[string]bool, successors map[string]string) []catalog.Gone {
	var list []catalog.Gone
	for id, c := range h {
		if adult[id] {
			continue
		}
		g := catalog.Gone{
			ID: id, Kind: catalog.TV, Name: clean.Text(c.row.Name, clean.MaxName), AltNames: clean.Texts(c.row.AltNames, clean.MaxName),
			Country: clean.Country(c.row.Country), Reason: catalog.GoneBlocked, ReplacedBy: cmp.Or(successors[id], replacement(c.row)),
		}
		if c.reason == reasonClosed {
			g.Reason, g.Since = catalog.GoneClosed, clean.Day(c.row.Closed)
		}
		list = append(list, g)
	}
	return list
}

// formerIDs finds the ids of an earlier register that now lead nowhere.
type formerIDs struct {
	reg, prev *catalog.Register
	settled   func(id string) bool // the id is shown, leads to a record, or a row of the source explains it
	blocked   map[string]bool      // ids of the blocklist
}

// tombstones returns the channels and stations of the earlier register, shown or
// gone, that lead nowhere: at most maxTombstones, those that went last.
func (f *formerIDs) tombstones() []catalog.Gone {
	var list []catalog.Gone
	today := f.reg.BuiltAt.Format(time.DateOnly)
	for i := range f.prev.Records {
		r := &f.prev.Records[i]
		if f.settled(r.ID) {
			continue
		}
		g := catalog.Gone{
			ID: r.ID, Kind: r.Kind, Name: r.Name, AltNames: r.AltNames, Country: r.Country,
			Reason: catalog.GoneVanished, Since: today, ReplacedBy: r.ReplacedBy,
		}
		if f.blocked[r.ID] {
			g.Reason = catalog.GoneBlocked
		}
		list = append(list, g)
	}
	for _, g := range f.prev.Gone {
		if !f.settled(g.ID) {
			list = append(list, g)
		}
	}
	slices.SortFunc(list, func(a, b catalog.Gone) int { return cmp.Or(cmp.Compare(b.Since, a.Since), byID(a, b)) })
	return list[:min(len(list), maxTombstones)]
}

// aliases returns an entry for each earlier alias of a channel of list, which is
// sorted by id: the alias led there until now. They count among the tombstones
// of the next register.
func (f *formerIDs) aliases(list []catalog.Gone) []catalog.Gone {
	var found []catalog.Gone
	for from, to := range f.prev.ChannelAliases {
		target, ok := findGone(list, to)
		if _, listed := findGone(list, from); ok && !listed && !f.settled(from) {
			g := *target
			g.ID, g.ReplacedBy = from, to
			found = append(found, g)
		}
	}
	return found
}

func byID(a, b catalog.Gone) int { return cmp.Compare(a.ID, b.ID) }

// findGone returns the channel with an id of a list that is sorted by id.
func findGone(list []catalog.Gone, id string) (*catalog.Gone, bool) {
	i, ok := slices.BinarySearchFunc(list, id, func(g catalog.Gone, id string) int { return cmp.Compare(g.ID, id) })
	if !ok {
		return nil, false
	}
	return &list[i], true
}
