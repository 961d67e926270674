package admin

import (
	"context"
	"encoding/base64"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/bus"
	"miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/store"
)

const (
	eventsPath = "/api/admin/events"
	actsPath   = eventsPath + "/acts"
)

// events are the endpoints of the events that have not been counted.
var events = []api.Endpoint{
	api.Bind((*Server).events, api.Endpoint{
		Name:   "list_undelivered_events",
		Method: "GET", Path: eventsPath, Auth: api.Operator,
		Summary: "List the undelivered events",
		Doc: "Returns figures for an alert, the events that wait in the outbox because the bus did not take them, what each " +
			"subscription has not handled with its dead letters, and what the operator did to events last. Text that looks like a " +
			"credential is replaced. A bus that does not answer shows in the field problem of its queues.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).actOnEvent, api.Endpoint{
		Name:   "act_on_event",
		Method: "POST", Path: actsPath, Auth: api.Operator,
		Summary: "Send or drop an undelivered event",
		Doc: "Publishes or drops one letter of the outbox, or delivers or drops one dead letter, and logs that for 90 days with the name " +
			"and the reason, a dropped event with a copy. Every fact counts once, however often it is sent or replayed. An event that " +
			"is not there any more answers changed false.",
		Faults: []*fault.Error{undelivered.ErrInvalid, bus.ErrSubscription, fault.ErrUnavailable},
	}),
}

// A letter is an event that waits in the outbox.
type letter struct {
	ID      string     `json:"id" description:"Id to send or drop it by."`
	Topic   string     `json:"topic" description:"Topic of the event; empty when the letter cannot be read."`
	At      store.Time `json:"at" type:"string" format:"date-time" description:"Time of its fact."`
	Body    string     `json:"body" description:"Content of the event, cut after 4 KiB."`
	Problem string     `json:"problem" description:"Reason for which it can never be sent; empty for a letter that can."`
}

// A deadLetter is an event that its handler refused as often as the bus delivers one.
type deadLetter struct {
	ID      string     `json:"id" description:"Id of the event, the same at every delivery."`
	At      store.Time `json:"at" type:"string" format:"date-time" description:"Time at which it was published."`
	Body    string     `json:"body" description:"Content of the event, cut after 4 KiB."`
	Failure *string    `json:"failure" description:"Error of the last attempt; null where the bus does not store it, which the log has then."`

	Rejected bool `json:"rejected" description:"True for an event that can never be counted, which the job events-replay leaves alone unless it is forced."`
}

// A queue is a subscription with its dead letters.
type queue struct {
	Topic        string       `json:"topic" description:"Topic of the events."`
	Subscription string       `json:"subscription" description:"Subscription that the events wait in."`
	Waiting      *int         `json:"waiting" description:"Events that wait or are being counted; null where the bus does not count them."`
	Failed       *int         `json:"failed" description:"Events among those that failed before and will be tried again; null where the bus does not count them."`
	OldestAt     *store.Time  `json:"oldest_at" type:"string" format:"date-time" description:"Time at which the oldest of them was published; null when none waits."`
	Dead         []deadLetter `json:"dead" nullable:"false" description:"Dead letters, the oldest first, at most 50."`
	More         bool         `json:"more" description:"True when there may be more than are listed."`
	Problem      string       `json:"problem" description:"Reason for which the bus did not list them; empty when it did."`
}

// An eventAct is something that the operator did to an event.
type eventAct struct {
	Act    string     `json:"act" enum:"send_letter,drop_letter,replay_event,drop_event" description:"Act on one event."`
	Topic  string     `json:"topic" description:"Topic of the event."`
	Event  string     `json:"event" description:"Id of the letter or event."`
	Reason string     `json:"reason" description:"Reason that the operator gave; may be empty for acts that lose nothing."`
	By     string     `json:"by" description:"Name of the operator."`
	At     store.Time `json:"at" type:"string" format:"date-time"`
	Body   *string    `json:"body" description:"Content of an event that was dropped; null for other acts."`
}

// An alert sums up what has not been delivered.
type alert struct {
	Raised        bool `json:"raised" description:"True while there is a dead letter, an event waits for more than 15 minutes, or the bus does not answer."`
	Waiting       int  `json:"waiting" description:"Letters in the outbox and, where the bus counts them, events that wait in subscriptions."`
	OldestSeconds int  `json:"oldest_seconds" description:"Seconds for which the oldest of them has waited; 0 when none waits."`
	Dead          int  `json:"dead" description:"Dead letters; where the bus does not count them, those that are listed."`
}

// An undeliveredList is the answer with what has not been delivered.
type undeliveredList struct {
	Alert   alert      `json:"alert" description:"Figures to watch."`
	Waiting int        `json:"waiting" description:"Letters in the outbox, those that are not listed included."`
	Letters []letter   `json:"letters" nullable:"false" description:"Letters in the outbox, the oldest first."`
	Queues  []queue    `json:"queues" nullable:"false" description:"Subscriptions in the order of their topics."`
	Acts    []eventAct `json:"acts" nullable:"false" description:"Last acts of the operator, the newest first, at most 50."`
}

func (s *Server) events(ctx context.Context, _ struct{}) (*undeliveredList, error) {
	list, err := s.Events.List(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	acts, err := s.Events.Acts(ctx)
	if err != nil {
		return nil, fault.OrUnavailable(err)
	}
	out := &undeliveredList{Alert: showAlert(list, s.Now()), Waiting: list.Total, Letters: []letter{}, Queues: []queue{}, Acts: []eventAct{}}
	for _, w := range list.Waiting {
		out.Letters = append(out.Letters, letter{ID: w.ID, Topic: w.Topic, At: w.At, Body: bodyText(w.Data), Problem: w.Problem})
	}
	for _, q := range list.Queues {
		out.Queues = append(out.Queues, showQueue(q))
	}
	for _, a := range acts {
		out.Acts = append(out.Acts, showAct(a))
	}
	return out, nil
}

func showAlert(l undelivered.Listing, now time.Time) alert {
	a := l.Alert(now)
	out := alert{Raised: a.Raised, Waiting: a.Waiting, Dead: a.Dead}
	if !a.Oldest.IsZero() {
		out.OldestSeconds = int(max(now.Sub(a.Oldest), 0) / time.Second)
	}
	return out
}

func showQueue(q undelivered.Queue) queue {
	out := queue{Topic: q.Topic, Subscription: q.Subscription, Dead: []deadLetter{}, More: q.More, Problem: q.Problem}
	if b := q.Backlog; b != nil {
		out.Waiting, out.Failed = &b.Waiting, &b.Failed
		if !b.Oldest.IsZero() {
			oldest := store.At(b.Oldest)
			out.OldestAt = &oldest
		}
	}
	for _, e := range q.Dead {
		dead := deadLetter{ID: e.ID, At: store.At(e.At), Body: bodyText(e.Data), Rejected: e.Rejected}
		if e.Failure != "" {
			failure := redact(e.Failure)
			dead.Failure = &failure
		}
		out.Dead = append(out.Dead, dead)
	}
	return out
}

func showAct(a undelivered.Act) eventAct {
	out := eventAct{Act: string(a.Verb), Topic: a.Topic, Event: a.Event, Reason: a.Reason, By: a.By, At: a.At}
	if a.Verb == undelivered.DropLetter || a.Verb == undelivered.DropEvent {
		body := bodyText(a.Data)
		out.Body = &body
	}
	return out
}

// maxBody is how many bytes of an event are shown.
const maxBody = 4 << 10

// bodyText returns the content of an event as text: in base64 when it is not text.
func bodyText(data []byte) string {
	if !utf8.Valid(data) {
		return base64.StdEncoding.EncodeToString(data[:min(len(data), maxBody)])
	}
	return redact(strings.ToValidUTF8(string(data[:min(len(data), maxBody)]), ""))
}

// credentials matches the tokens of guests, of credits and of API keys. No fact holds
// one; an event of another program may.
var credentials = regexp.MustCompile(`\b(ipt|iptk|cred|mmk)_[\w.-]{8,}`)

func redact(text string) string { return credentials.ReplaceAllString(text, "${1}_…") }

type eventActIn struct {
	Act          string `json:"act" required:"true" enum:"send_letter,drop_letter,replay_event,drop_event" description:"Act to carry out."`
	ID           string `json:"id" required:"true" minLength:"1" maxLength:"300" description:"Id of the letter or of the dead letter."`
	Subscription string `json:"subscription" maxLength:"100" description:"Subscription of the dead letter; required to replay and drop one."`
	Reason       string `json:"reason" maxLength:"500" description:"Reason for the act, stored with it; required to drop."`
	By           string `json:"by" required:"true" minLength:"1" maxLength:"60" description:"Name of the operator, stored with the act."`
}

// An eventActed is the answer to an act on an event.
type eventActed struct {
	OK      bool `json:"ok" description:"Always true."`
	Changed bool `json:"changed" description:"False when the event is not there any more."`
}

func (s *Server) actOnEvent(ctx context.Context, in eventActIn) (out eventActed, err error) {
	changed, err := s.Events.Act(ctx, undelivered.Order{
		Verb: undelivered.Verb(in.Act), Subscription: in.Subscription, ID: in.ID, Reason: in.Reason, By: in.By,
	})
	return eventActed{true, changed}, fault.OrUnavailable(err)
}
