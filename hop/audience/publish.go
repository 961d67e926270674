package audience

import (
	"time"

	"miramundo.dev/shared/bus"
)

// publishPlays publishes plays as they come, until the counter is closed and
// none waits, or it is given up.
func (c *Counter) publishPlays() {
	defer c.plays.report(true)
	for c.gather() {
		head := c.queue.head(batch)
		events := make([]bus.Event, 0, len(head))
		for _, p := range head {
			events = c.append(events, p.Event, c.plays)
		}
		if !c.plays.deliver(events) {
			return
		}
		c.queue.drop(len(head))
	}
}

// gather waits for a play, and a little longer for others; then it tells
// whether there are any. After Close it waits no more.
func (c *Counter) gather() bool {
	if c.queue.len() == 0 {
		select {
		case <-c.kick:
		case <-c.closing:
			return c.queue.len() > 0
		}
	}
	timer := time.NewTimer(gather)
	defer timer.Stop()
	for c.queue.len() < batch {
		select {
		case <-c.kick:
		case <-timer.C:
			return true
		case <-c.closing:
			return c.queue.len() > 0
		}
	}
	return true
}

// publishLatencies publishes the sums now and then, until the counter is
// closed or given up. While the bus fails they go on growing.
func (c *Counter) publishLatencies() {
	defer c.latencies.report(true)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for closing := false; !closing; {
		select {
		case <-tick.C:
		case <-c.closing:
			closing = true
		}
		c.latencies.report(false)
		c.untold = c.sums.take()
		if !c.publishSums() {
			return
		}
	}
}

// publishSums publishes the sums that were taken, and tells whether it could.
func (c *Counter) publishSums() bool {
	for len(c.untold) > 0 {
		head := c.untold[:min(batch, len(c.untold))]
		events := make([]bus.Event, 0, len(head))
		for _, l := range head {
			events = c.append(events, l.Event, c.latencies)
		}
		if !c.latencies.deliver(events) {
			return false
		}
		c.untold = c.untold[len(head):]
	}
	return true
}

// append appends the event that encode makes. What is no event, such as the
// play of a channel whose id is none, can never be told.
func (c *Counter) append(events []bus.Event, encode func() (bus.Event, error), o *outlet) []bus.Event {
	e, err := encode()
	if err != nil {
		c.o.Log.Error("an event is not valid", "topic", o.topic, "cause", err.Error())
		return events
	}
	return append(events, e)
}

// outlet returns the way to a topic.
func (c *Counter) outlet(topic string) *outlet {
	return &outlet{bus: c.o.Bus, topic: topic, now: c.o.Now, log: c.o.Log, alive: c.alive, closing: c.closing}
}
