// Package takedown stores requests of rights holders to take channels, streams and hosts
// out of the catalog, the counter-notices to them, and what the operator decides.
//
//	takedowns/{number}            a Case: what everybody may know of a request
//	takedown_requests/{number}    a record: what its sender wrote, sealed, for a year
//	takedown_mails/{id}           a letter: a mail that waits to be sent
//	takedown_totals/all           Totals, of which the last number is one
//
// A counter-notice is a case like a request, with the number of the case that it answers.
// The numbers of both have no gaps, so that a page of the public log is read by its paths.
//
// Each call is one transaction: a request is stored together with its receipt, and a
// decision with the blocks that it sets or lifts, its mails and its entry in the log of
// moderation. Mails are sent afterwards, by the call itself or later by the job of
// [Desk.Run].
package takedown

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"miramundo.dev/shared/catalog/block"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/store"
)

// Faults of takedown requests.
var (
	// ErrNoCase is returned for a number that no request has, for a wrong secret, and for
	// a request whose text was deleted.
	ErrNoCase = fault.New(fault.NotFound, "takedown_not_found")
	// ErrNotBlocked refuses a counter-notice to a case that blocks nothing.
	ErrNotBlocked = fault.New(fault.Conflict, "takedown_not_blocked")
	// ErrManyNotices refuses a counter-notice to a case that has MaxNotices of them.
	ErrManyNotices = fault.New(fault.Conflict, "takedown_notices_full").With("max", MaxNotices)
	// ErrDecided refuses a decision that does not follow the state of a case, which its
	// field "state" names.
	ErrDecided = fault.New(fault.Conflict, "takedown_decided")
	// ErrNoTargets refuses to block nothing.
	ErrNoTargets = fault.New(fault.Invalid, "takedown_without_targets")
	// ErrMail means that the service has no mail, by which a sender gets the secret of a
	// request. Nothing was stored.
	ErrMail = fault.New(fault.Unavailable, "mail_not_configured")
)

// The limits of a case.
const (
	MaxTargets = 50 // named by one request, and blocked by one decision
	MaxNotices = 20 // counter-notices to one case
)

// KeepFor is how long what the sender wrote is stored after the request, and after each
// decision about it. The Case stays.
const KeepFor = 365 * 24 * time.Hour

// A Kind is the right that a request rests on.
type Kind string

// The kinds.
const (
	Copyright Kind = "copyright"
	Trademark Kind = "trademark"
	Personal  Kind = "personal_rights"
	Court     Kind = "court_order"
	Other     Kind = "other"
	Counter   Kind = "counter_notice"
)

// A State is how far a case is.
type State string

// The states.
const (
	Received State = "received"
	Asked    State = "asked"    // the operator asked the sender for more
	Blocked  State = "blocked"  // what the request names is blocked
	Refused  State = "refused"  // nothing was done
	Lifted   State = "lifted"   // it was blocked, and is not any more
	Accepted State = "accepted" // a counter-notice that was right
)

// A Case is what everybody may know of a request or a counter-notice. It names no
// person. Its document may gain fields.
type Case struct {
	Number    int        `json:"number"`
	Kind      Kind       `json:"kind"`
	At        store.Time `json:"at"`
	State     State      `json:"state"`
	Open      bool       `json:"open"`              // waits for the operator, or for an answer of the sender
	DecidedAt store.Time `json:"decided_at"`        // of the last decision; zero before the first
	Answers   int        `json:"answers,omitempty"` // the case that a counter-notice is about
	Blocked   []Blocking `json:"blocked,omitempty"` // what is blocked, or was before it was lifted
	Notices   []int      `json:"notices,omitempty"` // the counter-notices about it
}

// A Blocking names what a case blocks, as a block does.
type Blocking struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// A Request is what the sender of a case wrote. Its fields are checked by the caller. It
// is stored as JSON: fields may be added.
type Request struct {
	Kind         Kind        `json:"kind"`
	Name         string      `json:"name"`
	Organization string      `json:"organization"`
	Email        string      `json:"email"` // that package address accepts
	Text         string      `json:"text"`
	Signature    string      `json:"signature"`
	Locale       i18n.Locale `json:"locale"` // in which the sender reads
	Targets      []Target    `json:"targets"`
	Answers      int         `json:"answers"` // the case that a counter-notice is about; 0 for a request

	Secret    string     `json:"secret"`    // shows the status to the sender
	Decisions []Decision `json:"decisions"` // the last ones, oldest first
}

// A Decision is one decision of the operator with the answer that was sent.
type Decision struct {
	Verb Verb       `json:"verb"`
	Text string     `json:"text"`
	At   store.Time `json:"at"`
}

// maxDecisions is how many decisions are kept with a request. All are in the log of
// moderation.
const maxDecisions = 20

// A record is a stored request.
type record struct {
	Text     string     `json:"text"` // the request as JSON in base64; stored sealed
	ExpireAt store.Time `json:"expire_at"`
}

// Secrets implements sealed.Document.
func (r *record) Secrets() []*string { return []*string{&r.Text} }

// record returns r as it is stored until a year from now.
func (r *Request) record(now time.Time) (*record, error) {
	data, err := json.Marshal(r)
	return &record{base64.StdEncoding.EncodeToString(data), store.At(now.Add(KeepFor))}, err
}

// request returns the request that r holds.
func (r *record) request() (*Request, error) {
	var out Request
	data, err := base64.StdEncoding.DecodeString(r.Text)
	if err == nil {
		err = json.Unmarshal(data, &out)
	}
	if err != nil {
		return nil, fmt.Errorf("takedown: a stored request cannot be read: %w", err)
	}
	return &out, nil
}

// Totals are the numbers of all cases.
type Totals struct {
	Last     int           `json:"last"` // number of the newest case, and so how many there are
	Requests map[State]int `json:"requests"`
	Notices  map[State]int `json:"notices"` // counter-notices
	Kinds    map[Kind]int  `json:"kinds"`   // of requests
}

// move counts a case whose state changes; before is empty for a new one.
func (t *Totals) move(c *Case, before State) {
	of := &t.Requests
	if c.Answers != 0 {
		of = &t.Notices
	}
	if *of == nil {
		*of = map[State]int{}
	}
	if before != "" {
		(*of)[before]--
	}
	(*of)[c.State]++
}

const (
	cases     = store.Path("takedowns")
	records   = store.Path("takedown_requests")
	totalPath = store.Path("takedown_totals/all")
)

// key returns the id of the documents of a case, which sort as their numbers do.
func key(number int) string { return fmt.Sprintf("%09d", number) }

func casePath(number int) store.Path   { return cases.Join(key(number)) }
func recordPath(number int) store.Path { return records.Join(key(number)) }

// A Desk takes requests and decisions. Its methods may be called concurrently, also in
// several processes.
type Desk struct {
	DB   store.DB    // which seals texts
	Mail mail.Sender // must return when a mail is handed over, and not before; nil where mail is not configured
	To   string      // address of the operator, which is told of new cases; may be empty
	Base string      // address of the service, without a trailing slash
	Log  *slog.Logger
	Now  func() time.Time
}

// Totals returns the numbers of all cases.
func (d *Desk) Totals(ctx context.Context) (Totals, error) {
	var t Totals
	err := d.DB.Get(ctx, totalPath, &t)
	if errors.Is(err, store.ErrNotFound) {
		err = nil
	}
	return t, err
}

// An Entry is a case in the public log, with the counter-notices about it.
type Entry struct {
	Case
	Answered []Case // in the order of Notices
}

// Public returns the newest cases after skipping some, with their counter-notices, and
// the totals. It reads one document, those of the page, and one for each counter-notice.
func (d *Desk) Public(ctx context.Context, skip, limit int) (list []Entry, t Totals, err error) {
	if t, err = d.Totals(ctx); err != nil {
		return nil, t, err
	}
	var numbers []int
	for n := t.Last - skip; n > 0 && len(numbers) < limit; n-- {
		numbers = append(numbers, n)
	}
	found, err := d.cases(ctx, numbers)
	if err != nil {
		return nil, t, err
	}
	var notices []int
	for _, c := range found {
		notices = append(notices, c.Notices...)
	}
	answers, err := d.cases(ctx, notices)
	if err != nil {
		return nil, t, err
	}
	for _, c := range found {
		list = append(list, Entry{c, answers[:len(c.Notices)]})
		answers = answers[len(c.Notices):]
	}
	return list, t, nil
}

// cases returns the cases with numbers.
func (d *Desk) cases(ctx context.Context, numbers []int) ([]Case, error) {
	if len(numbers) == 0 {
		return nil, nil
	}
	paths := make([]store.Path, len(numbers))
	for i, n := range numbers {
		paths[i] = casePath(n)
	}
	docs, err := d.DB.GetAll(ctx, paths)
	if err != nil {
		return nil, err
	}
	list := make([]Case, len(docs))
	for i, doc := range docs {
		if doc.Decode == nil {
			return nil, fmt.Errorf("takedown: case %d of the log is missing", numbers[i])
		}
		if err := doc.Decode(&list[i]); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Queue returns the open cases after skipping some, the oldest first, and how many there
// are in all.
func (d *Desk) Queue(ctx context.Context, skip, limit int) (list []Case, total int, err error) {
	q := store.Query{Collection: cases, Where: []store.Filter{{Field: "open", Op: store.Eq, Value: true}}}
	if total, err = d.DB.Count(ctx, q); err != nil || skip >= total {
		return nil, total, err
	}
	q.Limit = skip + limit
	n := 0
	for doc, err := range d.DB.Query(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		if n++; n <= skip {
			continue
		}
		var c Case
		if err := doc.Decode(&c); err != nil {
			return nil, 0, err
		}
		list = append(list, c)
	}
	return list, total, nil
}

// Read returns a case with what its sender wrote, for the operator. The request is nil
// when it was deleted. It returns ErrNoCase for an unknown number.
func (d *Desk) Read(ctx context.Context, number int) (c Case, r *Request, err error) {
	docs, err := d.DB.GetAll(ctx, []store.Path{casePath(number), recordPath(number)})
	if err != nil {
		return c, nil, err
	}
	return decode(docs)
}

// decode returns the case and the request of two documents.
func decode(docs []store.Doc) (c Case, r *Request, err error) {
	if docs[0].Decode == nil {
		return c, nil, ErrNoCase
	}
	if err = docs[0].Decode(&c); err != nil || docs[1].Decode == nil {
		return c, nil, err
	}
	var kept record
	if err = docs[1].Decode(&kept); err != nil {
		return c, nil, err
	}
	r, err = kept.request()
	return c, r, err
}

// blockOf returns the block by which a case hides something, or block.ErrInvalid.
func blockOf(b Blocking, c *Case, now time.Time) (block.Block, error) {
	return block.New(b.Kind, b.Value, fmt.Sprintf("takedown request %d: %s", c.Number, c.Kind), now)
}
