package capacity

import "miramundo.dev/scripts/scale/world"

// A Part is a part of the service.
type Part struct {
	Name string
	// Grows says what the load grows by: people of a day, or channels.
	Grows string
	Run   func(*Model, Load, Setup) Outcome
	Moves []Move
}

// A Move moves the limit of a part.
type Move struct {
	Words   string
	Setup   Setup
	Besides string // what it costs that the model does not count; empty for nothing
}

// What loads grow by.
const (
	ByPeople   = "people a day"
	ByChannels = "channels"
)

var (
	threeRegions = []Move{{"three regions", Setup{Regions: 3}, "each has a database of its own, and an owner belongs to one"}}
	countries    = []Move{{"a catalog for each of 20 countries or regions", Setup{Countries: true}, "a search of the world asks 20 parts"}}
)

// Parts are the parts of the service.
var Parts = []Part{
	{world.PartSearch, ByPeople, (*Model).search, threeRegions},
	{world.PartPages, ByPeople, (*Model).pages, []Move{
		{"three regions, and logos that browsers keep", Setup{Regions: 3, LogosKept: true}, "addresses of logos change with their bytes"},
	}},
	{world.PartHop, ByPeople, (*Model).hop, []Move{
		{"an instance asks the owner of a stream, which alone asks the origin; paid by instance", Setup{Owners: true, ByInstance: true}, "instances must find each other"},
		{"a CDN keeps each playlist for a second; paid by instance", Setup{CDN: true, ByInstance: true},
			"each of its sites still asks, and the hop counts plays and waiting times of what reaches it alone: reports of pages must count them"},
	}},
	{world.PartFeeds, ByPeople, (*Model).feeds, threeRegions},
	{world.PartPeople, ByPeople, (*Model).people, threeRegions},
	{world.PartReports, ByPeople, (*Model).reports, []Move{
		{"a shard number of 64 before the time of a report", Setup{Scattered: true}, "the operator's list asks 64 queries"},
	}},
	{"counting", ByPeople, (*Model).counting, []Move{
		{"waiting times every 10 min", Setup{LatencyEvery: 600}, "verdicts on latency come later"},
		{"besides, one receiver for each subject that gathers for 5 s; 64 shards of counts, visits, usage and of the time of counts",
			Setup{LatencyEvery: 600, Gather: 5, CountShards: 64, Scattered: true}, "counts are 5 s late, events are pulled with ordering keys and not pushed, and a reader of counts adds 64 documents up"},
	}},
	{"overlays", ByChannels, (*Model).overlays, append([]Move{{"128 shards of counts", Setup{Shards: 8}, "the number of shards never changes once documents are kept: they must be moved"}}, countries...)},
	{world.PartChat, ByPeople, (*Model).chat, []Move{
		{"one instance numbers the messages of a room, and writes those of two seconds together", Setup{RoomOwner: true}, "sockets of a room must find its instance; a message is stored up to two seconds later"},
	}},
	{"presence", ByPeople, (*Model).presence, []Move{
		{"one instance adds the rooms up and writes the sum every 5 s", Setup{PresenceSum: 5}, "the number of people in a room is 5 s old"},
	}},
	{world.PartAccounts, ByPeople, (*Model).accounts, []Move{{"a provider that takes 200 mails a second", Setup{MailTimes: 200.0 / 14}, ""}}},
	{"catalog", ByChannels, (*Model).catalog, append([]Move{{"instances of 4 GiB", Setup{MemoryTimes: 4}, "memory is paid for"}}, countries...)},
}

// Outcome returns what a part needs. Where people are divided among regions, uses and
// figures are those of one region, and rates those of all.
func (m *Model) Outcome(p Part, l Load, s Setup) Outcome {
	regions := times(s.Regions)
	l.People /= regions
	o := p.Run(m, l, s)
	var all Rates
	all.add(o.Rates, regions)
	o.Rates = all
	return o
}

// Moved returns the setup with the moves of all parts that the world needs. With cdn, a CDN
// takes the place of the owners of streams.
func Moved(cdn bool) (all Setup) {
	return Setup{
		CDN: cdn, Owners: !cdn, ByInstance: true, LogosKept: true, Scattered: true, CountShards: 64, Gather: 5, LatencyEvery: 600,
		RoomOwner: true, PresenceSum: 5, Shards: 8, MemoryTimes: 4, MailTimes: 200.0 / 14,
	}
}
