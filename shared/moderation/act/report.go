package act

import (
	"context"
	"errors"
	"slices"
	"time"

	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// ReportsPerDay is how many texts one owner can report in 24 hours.
const ReportsPerDay = 20

const (
	casesCollection   = store.Path("cases")
	reportsCollection = store.Path("text_reports")
)

// Reasons are the reasons for which a text can be reported.
var Reasons = []string{"spam", "abuse", "hate", "sexual", "illegal", "other"}

// A Case is a text that was reported or removed, with a copy of it.
type Case struct {
	Ref
	Owner  identity.Owner `json:"owner"` // who wrote the text
	Author string         `json:"author"`
	Body   string         `json:"body"`
	At     store.Time     `json:"at"` // when the text was written

	Open       bool           `json:"open"`        // it was reported, and the operator has neither removed nor dismissed it
	Reports    int            `json:"reports"`     // owners that reported it
	Reasons    map[string]int `json:"reasons"`     // how many of them gave each reason
	FirstAt    store.Time     `json:"first_at"`    // of the first report
	ReportedAt store.Time     `json:"reported_at"` // of the last report
	Removed    bool           `json:"removed"`     // by the operator

	// Bulk is the id of the act that removed the text with others and may restore it;
	// empty for other texts. Network is then the network of a comment.
	Bulk    string `json:"bulk,omitempty"`
	Network string `json:"network,omitempty"`

	ExpireAt store.Time `json:"expire_at"`
}

// newCase returns the case of a text.
func newCase(t *text) *Case {
	return &Case{Ref: t.Ref, Owner: t.owner, Author: t.author, Body: t.body, At: t.at, Reasons: map[string]int{}}
}

// keep makes the case last from now on.
func (c *Case) keep(now time.Time) { c.ExpireAt = store.At(now.Add(KeepFor)) }

// update takes the words of a library that its owner changed since they were copied. Its
// case opens again: what the operator decided was about other words.
func (c *Case) update(t *text) {
	if t.library == nil || c.Body == t.body && c.Author == t.author {
		return
	}
	c.Author, c.Body, c.At, c.Open = t.author, t.body, t.at, true
}

// add notes one more report. Comments and messages never change, so that the reports
// after the operator dismissed one are counted and do not open its case again.
func (c *Case) add(reason string, now time.Time) {
	if c.Reports == 0 {
		c.Open, c.FirstAt = true, store.At(now)
	}
	c.Reports++
	c.Reasons[reason]++
	c.ReportedAt = store.At(now)
	c.keep(now)
}

// casePath returns where the case of a text is.
func casePath(ref Ref) store.Path { return casesCollection.Join(ref.key()) }

// put stores the case.
func (c *Case) put(tx store.Tx) error { return tx.Set(casePath(c.Ref), c) }

// decodeCase returns the case in a document, or nil without a document.
func decodeCase(doc store.Doc) (*Case, error) {
	if doc.Decode == nil {
		return nil, nil
	}
	c := new(Case)
	return c, doc.Decode(c)
}

// readCase returns the case of a text, or nil when the text has no case.
func readCase(tx store.Tx, ref Ref) (*Case, error) {
	docs, err := tx.GetAll([]store.Path{casePath(ref)})
	if err != nil {
		return nil, err
	}
	return decodeCase(docs[0])
}

// A Report is a report of one text by one owner.
type Report struct {
	Ref
	Owner    identity.Owner `json:"owner"` // who reported it
	Reason   string         `json:"reason"`
	At       store.Time     `json:"at"`
	ExpireAt store.Time     `json:"expire_at"`
}

// A reportPace is when an owner reported texts lately.
type reportPace struct {
	Made []store.Time `json:"made"` // of the last 24 hours, oldest first
}

// reportPacePath returns where the pace of an owner is.
func reportPacePath(owner identity.Owner) store.Path {
	return store.Path("owners").Join(string(owner), "kept", "reports")
}

// add notes a report, or returns ErrTooManyReports.
func (p *reportPace) add(at store.Time) error {
	const day = 24 * time.Hour
	p.Made = slices.DeleteFunc(p.Made, func(t store.Time) bool { return at.Sub(t.Time) >= day })
	if len(p.Made) >= ReportsPerDay {
		wait := min(max(day-at.Sub(p.Made[0].Time), time.Second), day)
		return ErrTooManyReports.With("retry_after", int((wait+time.Second-1)/time.Second))
	}
	p.Made = append(p.Made, at)
	return nil
}

// Report stores that an owner reports a text for one of the Reasons, by up to five
// reads and three writes. It reports false, and changes nothing, when the owner has
// reported the text before. It returns ErrNoText, ErrOwn or ErrTooManyReports, and
// fault.ErrBody for another reason.
func (m *Moderator) Report(ctx context.Context, reporter identity.Owner, ref Ref, reason string) (counted bool, err error) {
	if !slices.Contains(Reasons, reason) {
		return false, fault.ErrBody.With("param", "reason")
	}
	err = m.o.DB.Update(ctx, func(tx store.Tx) error {
		t, err := read(tx, ref)
		if err != nil {
			return err
		}
		if t.owner == reporter {
			return ErrOwn
		}
		if t.library != nil && !t.library.Shown() {
			return ErrNoText
		}
		counted, err = m.report(tx, t, reporter, reason)
		return err
	})
	return counted, err
}

// report stores the report of a text that was read.
func (m *Moderator) report(tx store.Tx, t *text, reporter identity.Owner, reason string) (counted bool, err error) {
	by := []string{string(reporter)}
	if t.library != nil { // other words are another report
		by = append(by, t.author, t.body)
	}
	path := reportsCollection.Join(t.key(by...))
	docs, err := tx.GetAll([]store.Path{casePath(t.Ref), path, reportPacePath(reporter)})
	if err != nil || docs[1].Decode != nil {
		return false, err
	}
	c, err := decodeCase(docs[0])
	if err != nil {
		return false, err
	}
	if c == nil {
		c = newCase(t)
	} else {
		c.update(t)
	}
	var pace reportPace
	if docs[2].Decode != nil {
		if err := docs[2].Decode(&pace); err != nil {
			return false, err
		}
	}
	now := m.o.Now()
	if err := pace.add(store.At(now)); err != nil {
		return false, err
	}
	c.add(reason, now)
	r := Report{Ref: t.Ref, Owner: reporter, Reason: reason, At: store.At(now), ExpireAt: c.ExpireAt}
	return true, errors.Join(c.put(tx), tx.Create(path, r), tx.Set(reportPacePath(reporter), pace))
}

// Cases returns the open cases, the last reported first, after skipping some, and how
// many there are in all.
func (m *Moderator) Cases(ctx context.Context, skip, limit int) (list []Case, total int, err error) {
	open := store.Query{Collection: casesCollection, Where: []store.Filter{{Field: "open", Op: store.Eq, Value: true}}}
	if total, err = m.o.DB.Count(ctx, open); err != nil || skip >= total {
		return nil, total, err
	}
	open.OrderBy, open.Desc, open.Limit = "reported_at", true, skip+limit
	list, err = collect[Case](ctx, m.o.DB, open, skip)
	return list, total, err
}

// collect returns the documents that a query finds, after skipping some.
func collect[T any](ctx context.Context, db store.DB, q store.Query, skip int) (list []T, err error) {
	n := 0
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if n++; n <= skip {
			continue
		}
		var one T
		if err := doc.Decode(&one); err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// ofReporter selects the reports of an owner.
func ofReporter(owner identity.Owner) store.Query {
	return store.Query{Collection: reportsCollection, Where: []store.Filter{{Field: "owner", Op: store.Eq, Value: string(owner)}}}
}

// ReportsBy returns the reports of an owner, in no order. There are at most as many as
// the owner can make in the time for which they are stored.
func ReportsBy(ctx context.Context, db store.DB, owner identity.Owner) ([]Report, error) {
	return collect[Report](ctx, db, ofReporter(owner), 0)
}

// RemoveReports deletes the reports of an owner that is deleted. The texts that it
// reported stay reported.
func RemoveReports(ctx context.Context, db store.DB, owner identity.Owner) error {
	for doc, err := range db.Query(ctx, ofReporter(owner)) {
		if err != nil {
			return err
		}
		if err := db.Delete(ctx, doc.Path); err != nil {
			return err
		}
	}
	return db.Delete(ctx, reportPacePath(owner))
}
