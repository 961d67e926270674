package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// check checks what became of everything, once the service is well again.
func (w *world) check(ctx context.Context) {
	w.checkPurchases(ctx) // first, since payments are valid for minutes
	w.checkLibraries(ctx)
	w.checkTalk(ctx)
	w.checkCounts(ctx) // last, when events were delivered again
	w.checkEffort()
}

// settleTime is how long the service may take to be well once the faults are over, and
// to count what waited: events are delivered again after ten seconds, then after twenty,
// forty and so on.
const settleTime = 3 * time.Minute

// until calls done until it reports true, or the service had its time.
func until(ctx context.Context, done func() bool) bool {
	limit := time.Now().Add(settleTime)
	for ctx.Err() == nil && time.Now().Before(limit) {
		if done() {
			return true
		}
		pause(ctx, time.Second)
	}
	return false
}

func (w *world) checkLibraries(ctx context.Context) {
	for _, l := range w.libraries.all {
		if !until(ctx, func() bool { return w.checkLibrary(ctx, l) }) {
			w.broken.add("recovery", "a library is not answered after the faults")
			return
		}
	}
}

// checkCounts checks the counters of the channels that only the clients counted.
func (w *world) checkCounts(ctx context.Context) {
	for _, id := range w.counted() {
		var social struct{ Plays, Favorites int }
		right := func() bool {
			var record struct {
				Social *struct{ Plays, Favorites int }
			}
			// The scheduler has what the bus did not take sent, and counts shown, every five minutes.
			for _, job := range []string{"outbox-sweep", "overlay-refresh"} {
				if a := w.call(ctx, request{op: "run_job", id: job, body: "{}", header: w.operatorHeader()}); !a.ok() {
					w.say("the job %s is answered with %s", job, a)
				}
			}
			a := w.call(ctx, request{op: "get_channel", id: id})
			if !a.ok() || json.Unmarshal(a.body, &record) != nil || record.Social == nil {
				return false
			}
			social = *record.Social
			return social.Plays >= w.plays.acked[id] && social.Favorites >= w.favorites.acked[id]
		}
		if !until(ctx, right) {
			w.broken.add("lost counts", "%s has %d plays and %d favorites; %d and %d were acknowledged", id, social.Plays, social.Favorites, w.plays.acked[id], w.favorites.acked[id])
		}
		if social.Plays > w.plays.tried[id] || social.Favorites > w.favorites.tried[id] {
			w.broken.add("doubled counts", "%s has %d plays and %d favorites; %d and %d were tried", id, social.Plays, social.Favorites, w.plays.tried[id], w.favorites.tried[id])
		}
		w.say("%s: %d plays (%d acknowledged, %d tried), %d favorites (%d, %d)", id,
			social.Plays, w.plays.acked[id], w.plays.tried[id], social.Favorites, w.favorites.acked[id], w.favorites.tried[id])
	}
}

// checkTalk reads the room from its first message: each message that was acknowledged is
// there once, and the listener heard them in the order of the room, without gaps.
func (w *world) checkTalk(ctx context.Context) {
	ids, order := map[string]string{}, []string(nil) // ids by text, and in order
	after := w.talk.opening
	whole := until(ctx, func() bool {
		for {
			var page struct{ Items []struct{ ID, Body string } }
			a := w.call(ctx, request{op: "list_chat_messages", id: w.room(), query: "?depois=" + after})
			if !a.ok() || json.Unmarshal(a.body, &page) != nil {
				return false
			}
			if len(page.Items) == 0 {
				return true
			}
			for _, m := range page.Items {
				if id := ids[m.Body]; id != "" {
					w.broken.add("doubled messages", "%q has the ids %s and %s", m.Body, id, m.ID)
				}
				ids[m.Body], after, order = m.ID, m.ID, append(order, m.ID)
			}
		}
	})
	if !whole {
		w.broken.add("recovery", "the room is not answered after the faults")
	}
	for text, id := range w.talk.said {
		if ids[text] != id {
			w.broken.add("lost messages", "%q was acknowledged as %s, and the room has %q", text, id, ids[text])
		}
	}
	until(ctx, func() bool { // the listener hears the rest
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if len(w.talk.heard) < len(order) {
			w.listen(within)
		}
		return len(w.talk.heard) >= len(order)
	})
	if len(w.talk.heard) < len(order) {
		w.broken.add("order of messages", "the listener heard %d of %d messages", len(w.talk.heard), len(order))
	}
	for i, id := range w.talk.heard {
		if i >= len(order) || order[i] != id {
			w.broken.add("order of messages", "the listener heard %s as message %d of %d", id, i+1, len(order))
			break
		}
	}
	w.say("%d messages were acknowledged, the room shows %d, the listener heard %d", len(w.talk.said), len(order), len(w.talk.heard))
}

// checkPurchases compares the credits with the money: each payment bought one credit. A
// purchase that the end of the run cut short is finished first.
func (w *world) checkPurchases(ctx context.Context) {
	paid, tokens := 0, map[string]bool{}
	for _, p := range w.till.all {
		var last answer
		until(ctx, func() bool {
			if p.token == "" {
				last = w.pay(ctx, p)
			}
			return p.token != "" || last.status == http.StatusPaymentRequired
		})
		spent := w.spent(ctx, p)
		if spent {
			paid++
		}
		known := p.token != "" && until(ctx, func() bool {
			return w.call(ctx, request{op: "get_credit", header: [2]string{"X-Credito", p.token}}).ok()
		})
		switch {
		case p.token != "" && !known:
			w.broken.add("lost credits", "a credit that was acknowledged is unknown")
		case tokens[p.token]:
			w.broken.add("payments", "two wallets have one credit")
		case spent != known:
			w.broken.add("payments", "the wallet %s has paid: %t; it has a credit: %t; the last answer was %d %q", p.purse.Address, spent, known, last.status, reason(last))
		}
		if known {
			tokens[p.token] = true
		}
	}
	w.say("%d payments were signed, %d wallets paid, %d have a credit", len(w.till.all), paid, len(tokens))
}

// reason returns the reason in an answer that refuses a payment.
func reason(a answer) string {
	var refusal struct{ Reason string }
	_ = json.Unmarshal(a.body, &refusal) // an answer without it has none
	return refusal.Reason
}

// spent reports whether the wallet of a purchase has paid.
func (w *world) spent(ctx context.Context, p *purchase) bool {
	var left holding
	address := w.stack.Value("payments with test money at") + "/balance/" + p.purse.Address
	known := until(ctx, func() bool {
		a := w.get(ctx, address)
		return a.ok() && json.Unmarshal(a.body, &left) == nil
	})
	return known && left.Balance < p.held.Balance
}

// memory returns the resident memory of each service, in bytes: that of its largest
// process.
func (w *world) memory() (map[string]int, error) {
	all, err := w.instances()
	if err != nil {
		return nil, err
	}
	used := map[string]int{}
	for _, i := range all {
		if i.PID == 0 {
			continue
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", i.PID))
		if err != nil {
			continue // it has ended
		}
		if fields := strings.Fields(string(text)); len(fields) > 1 {
			pages, _ := strconv.Atoi(fields[1])
			used[i.Service] = max(used[i.Service], pages*os.Getpagesize())
		}
	}
	return used, nil
}

// A process may have grown by half and by growth in a run, for caches that fill.
const growth = 64 << 20

// checkMemory compares the memory of the services with what it was.
func (w *world) checkMemory(before map[string]int) {
	after, err := w.memory()
	if err != nil {
		w.broken.add("instances", "%v", err)
	}
	var sum [2]int
	for name, was := range before {
		sum[0], sum[1] = sum[0]+was, sum[1]+after[name]
		if after[name] == 0 {
			w.broken.add("recovery", "%s does not run after the faults", name)
		}
		if after[name] > was+was/2+growth {
			w.broken.add("memory", "%s has grown from %d to %d MB", name, was>>20, after[name]>>20)
		}
	}
	w.say("the largest processes of the services have %d MB in all; at the start they had %d", sum[1]>>20, sum[0]>>20)
}

// minimum is how often something must have been checked for a run to say anything.
const minimum = 1

// checkEffort checks that the run has tested something.
func (w *world) checkEffort() {
	for what, n := range map[string]int{
		"libraries": len(w.libraries.all), "messages": len(w.talk.said), "messages on a socket": len(w.talk.heard), "purchases": len(w.till.all) - talkers, "blocks": int(w.blocks.Load()),
	} {
		if n < minimum {
			w.broken.add("effort", "no %s were checked", what)
		}
	}
	for _, id := range w.counted() {
		if w.plays.acked[id] < minimum || w.favorites.acked[id] < minimum {
			w.broken.add("effort", "nothing was counted of %s", id)
		}
	}
}

// report prints what was done, and what was broken.
func (w *world) report() {
	for _, t := range []struct {
		title string
		t     *tally
	}{{"faults", &w.faults}, {"answers", &w.answers}} {
		counts := t.t.all()
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(counts)) {
			parts = append(parts, fmt.Sprintf("%s %d", name, counts[name]))
		}
		fmt.Fprintf(w.out, "%s: %s\n", t.title, strings.Join(parts, ", "))
	}
	broken := w.broken.list()
	for _, line := range broken {
		fmt.Fprintln(w.out, "BROKEN", line)
	}
	fmt.Fprintf(w.out, "chaos: seed %d, %d libraries, %d blocks, %d promises broken\n", w.seed, len(w.libraries.all), w.blocks.Load(), len(broken))
}

// keepLog writes what the service has logged to a file, and says where it is.
func (w *world) keepLog() error {
	path := filepath.Join(os.TempDir(), fmt.Sprintf("chaos-%d.log", w.seed))
	fmt.Fprintln(w.out, "what the service logged is in", path)
	return os.WriteFile(path, []byte(w.stack.Said.String()), 0o600)
}
