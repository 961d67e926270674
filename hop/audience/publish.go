package audience

import (
	"time"

	"miramundo.dev/shared/bus"
)

// publishPlays publishes plays as they come, until the counter is closed and
// the queue is empty, or it is canceled.
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

// gather waits for a play, and a little longer for others, and reports
// whether there are any. After Close it does not wait.
func (c *Counter) gather() bool {
	if c.queue.len() == 0 {
		select {
		case <-c.wake:
		case <-c.closing:
			return c.queue.len() > 0
		}
	}
	timer := time.NewTimer(gatherTime)
	defer timer.Stop()
	for c.queue.len() < batch {
		select {
		case <-c.wake:
		case <-timer.C:
			return true
		case <-c.closing:
			return c.queue.len() > 0
		}
	}
	return true
}

// publishLatencies publishes the sums every sumPeriod, until the counter is
// closed or canceled. While the bus fails the sums go on growing.
func (c *Counter) publishLatencies() {
	defer c.latencies.report(true)
	tick := time.NewTicker(sumPeriod)
	defer tick.Stop()
	for closing := false; !closing; {
		select {
		case <-tick.C:
		case <-c.closing:
			closing = true
		}
		c.latencies.report(false)
		c.unpublished = c.sums.take()
		if !c.publishSums() {
			return
		}
	}
}

// publishSums publishes the sums that were taken, and reports whether it
// succeeded.
func (c *Counter) publishSums() bool {
	for len(c.unpublished) > 0 {
		head := c.unpublished[:min(batch, len(c.unpublished))]
		events := make([]bus.Event, 0, len(head))
		for _, l := range head {
			events = c.append(events, l.Event, c.latencies)
		}
		if !c.latencies.deliver(events) {
			return false
		}
		c.unpublished = c.unpublished[len(head):]
	}
	return true
}

// append appends the event that encode returns. An event that cannot be
// encoded, such as a play of an invalid channel, is logged and dropped.
func (c *Counter) append(events []bus.Event, encode func() (bus.Event, error), o *publisher) []bus.Event {
	e, err := encode()
	if err != nil {
		c.o.Log.Error("an event cannot be encoded", "topic", o.topic, "cause", err.Error())
		return events
	}
	return append(events, e)
}

// publisher returns a publisher to a topic.
func (c *Counter) publisher(topic string) *publisher {
	return &publisher{bus: c.o.Bus, topic: topic, now: c.o.Now, log: c.o.Log, ctx: c.ctx, closing: c.closing}
}
