package capacity

import (
	"math"

	"miramundo.dev/scripts/scale/sim"
	"miramundo.dev/scripts/scale/world"
)

// sockets returns how many sockets there are at a load, and at how many instances.
func (m *Model) sockets(l Load) (sockets, instances float64) {
	sockets = m.of(m.People.Chatting, l)
	return sockets, math.Ceil(sockets / (m.Cloud.Sockets.Value * m.Cloud.Target.Value))
}

// A talk is the state of a simulation of messages.
type talk struct {
	*Model
	sockets, instances float64
	owner              bool
	due                map[int]float64 // by room: when a message would be due if all came evenly
	free               map[int]float64 // by room: when its document is free
	warm               float64

	posted, refused, numbered, hottest, reads, deliveries float64
	waits                                                 []float64
}

// chat simulates messages: those of a room get their numbers from one document.
func (m *Model) chat(l Load, s Setup) Outcome {
	o := m.answer(world.PartChat, l, s)
	sockets, instances := m.sockets(l)
	if sockets < 1 {
		return o
	}
	rate := sockets / m.Chat.Every.Value
	seconds, warm := m.span(rate)
	random := m.random("chat")
	t := &talk{Model: m, sockets: sockets, instances: instances, owner: s.RoomOwner, due: map[int]float64{}, free: map[int]float64{}, warm: warm}
	var q sim.Queue[int] // rooms in which somebody writes
	q.Add(random.ExpFloat64()/rate, m.zipf.Draw(random))
	for {
		at, room, _ := q.Next()
		if at >= seconds {
			break
		}
		t.post(at, room)
		q.Add(at+random.ExpFloat64()/rate, m.zipf.Draw(random))
	}
	took := seconds - warm
	o.Uses = append(o.Uses,
		Use{"the number of the busiest room", t.hottest / took, m.Cloud.Document.Value, "writes/s"},
		Use{"sockets that wait for processors", t.deliveries / took * m.processor(m.Chat.Delivery.Value) / instances, 1, "processors of an instance"},
		Use{"instances with sockets", instances, m.Cloud.Instances.Value, "instances"},
	)
	o.Figures = append(o.Figures,
		Figure{"sockets", sockets, ""}, Figure{"instances with sockets", instances, ""}, Figure{"messages", t.posted / took, "a second"},
		Figure{"refused, since their room was busy", 100 * t.refused / max(t.posted+t.refused, 1), "%"},
		Figure{"deliveries", t.deliveries / took, "a second"}, Figure{"p99 until a message is stored", 1000 * quantile(t.waits, 0.99), "ms"},
	)
	o.Instances += instances
	o.Rates.add(Rates{
		Reads: t.reads / took, Writes: (t.posted*(m.Chat.PostWrites.Value-1) + t.numbered) / took, Deletes: t.posted / took, // after 30 days
		ProcessorKept: instances, MemoryKept: instances / 2,
		Egress: t.deliveries / took * m.Chat.DeliveryBytes.Value, BalancerThrough: t.deliveries / took * m.Chat.DeliveryBytes.Value,
	}, 1)
	return o
}

// post has somebody write in a room.
func (t *talk) post(at float64, room int) {
	warm := at >= t.warm
	every, burst := 1/t.Chat.RoomMost.Value, 20.0 // both of DefaultLimits in shared/chat
	due := max(t.due[room], at)
	if due-at > (burst-1)*every {
		if warm {
			t.refused++
		}
		return
	}
	t.due[room] = due + every
	begin, numbered := t.begin(at, room)
	if !warm {
		return
	}
	t.waits = append(t.waits, begin+t.Counting.Transaction.Value-at)
	t.posted++
	in := t.sockets * t.zipf.Share(room)
	follow := -math.Expm1(-in/t.instances) * t.instances // instances with a socket in the room
	t.reads += t.Chat.PostReads.Value + follow
	t.deliveries += in
	if numbered {
		t.numbered++
		if room == 0 {
			t.hottest++
		}
	}
}

// together is for how many seconds the owner of a room gathers messages.
const together = 2

// begin returns when the transaction of a message begins, and whether the number of its room
// is written for it. Transactions of a room run one after the other; the owner of a room
// writes the messages of two seconds together.
func (t *talk) begin(at float64, room int) (begin float64, numbered bool) {
	if t.owner {
		begin = math.Ceil(at/together) * together
		numbered = begin > t.free[room]
		t.free[room] = begin
		return begin, numbered
	}
	begin = max(at, t.free[room])
	t.free[room] = begin + t.Counting.Transaction.Value
	return begin, true
}

// presence is how instances of the chat room agree on how many sockets each room has: each
// writes its own document when a socket has come or gone, and reads those of all others
// after each change.
func (m *Model) presence(l Load, s Setup) Outcome {
	sockets, n := m.sockets(l)
	if sockets < 1 {
		return Outcome{Uses: []Use{m.quota(0)}}
	}
	changes := 2 * sockets / n / m.Chat.Churn.Value // of an instance, a second
	some := -math.Expm1(-changes * m.Chat.Announce.Value)
	announced := n * (some/m.Chat.Announce.Value + (1-some)/m.Chat.Heartbeat.Value)
	updates, reads := announced, announced*n
	documents := n // that are decoded at each update
	if s.PresenceSum > 0 {
		updates = 1 / s.PresenceSum
		reads = announced + updates*n
		documents = 1
	}
	frames := 0.0
	for room := range m.zipf.Len() {
		in := sockets * m.zipf.Share(room)
		frames += in * min(updates, 2*in/m.Chat.Churn.Value)
	}
	decoding := m.processor(m.Measured.Decode * m.zipf.Distinct(sockets/n) / 1000) // by the rooms of an instance
	const frameBytes = 40                                                          // {"t":"presenca","watching":6900} and the header of a frame
	busy := updates*documents*decoding + frames*m.processor(m.Chat.Delivery.Value)/n
	return Outcome{
		Instances: n,
		Uses: []Use{
			{"processor of an instance", busy, 1, "processors"},
			{"the document of an instance", announced / n, m.Cloud.Document.Value, "writes/s"},
		},
		Figures: []Figure{
			{"instances", n, ""}, {"documents read", reads, "a second"}, {"frames to sockets", frames, "a second"},
			{"of that, processor for reading", updates * documents * decoding, "processors of an instance"},
		},
		Rates: Rates{Reads: reads, Writes: announced + updates*min(s.PresenceSum, 1), Egress: frames * frameBytes, BalancerThrough: frames * frameBytes},
	}
}
