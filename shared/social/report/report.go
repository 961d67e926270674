// Package report keeps play reports as they came, for the operator.
//
//	reports/{key}    a Record, for 30 days
//
// The key is that of the report: one for each caller, channel, day and result.
// The event is published first. So a report that was acknowledged is always
// counted, by one write. A report that was not, because the process or the
// database failed in between, may be counted; when it comes again, that counts
// nothing more. While the bus does not answer, the record itself waits for the
// outbox, so that a report costs one write then as well.
package report

import (
	"context"
	"errors"
	"time"

	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
)

// RetentionDays is how long a report is kept as it came.
const RetentionDays = 30

const collection store.Path = "reports"

// A Record is the document of a report.
type Record struct {
	Channel string     `json:"channel_id"`
	OK      bool       `json:"ok"`
	Code    string     `json:"code,omitempty"`
	IP      string     `json:"ip"` // read by the operator alone
	Browser string     `json:"browser"`
	OS      string     `json:"os"`
	Country string     `json:"country"`
	Day     string     `json:"day"`
	At      store.Time `json:"at"`
	// Network and Doubtful are as in the report.
	Network  string `json:"network,omitempty"`
	Doubtful bool   `json:"doubtful,omitempty"`
	// Sent is false while the event waits to be published, and otherwise absent:
	// most reports are written once.
	Sent     *bool      `json:"sent,omitempty"`
	ExpireAt store.Time `json:"expire_at"`
}

// Report returns the report that r records under a key.
func (r Record) Report(key string) social.Report {
	return social.Report{
		Key: key, Channel: r.Channel, OK: r.OK, Code: r.Code,
		Browser: r.Browser, OS: r.OS, Country: r.Country, At: r.At.Time,
		Network: r.Network, Doubtful: r.Doubtful,
	}
}

// Put publishes a report and keeps it with the network address that it came
// from. It reports false, and keeps nothing, when the key is there already.
func Put(ctx context.Context, box *outbox.Outbox, r social.Report, ip string) (created bool, err error) {
	published, err := box.Publish(ctx, r)
	if err != nil {
		return false, err
	}
	kept := Record{
		Channel: r.Channel, OK: r.OK, Code: r.Code, IP: ip, Browser: r.Browser, OS: r.OS, Country: r.Country,
		Day: r.At.UTC().Format(time.DateOnly), At: store.At(r.At), ExpireAt: store.At(r.At.AddDate(0, 0, RetentionDays)),
		Network: r.Network, Doubtful: r.Doubtful,
	}
	if !published {
		kept.Sent = new(bool)
	}
	err = box.DB.Create(ctx, collection.Join(r.Key), kept)
	if errors.Is(err, store.ErrExists) {
		return false, nil
	}
	return err == nil, err
}

// Get returns the record of a key, or store.ErrNotFound.
func Get(ctx context.Context, db store.DB, key string) (r Record, err error) {
	err = db.Get(ctx, collection.Join(key), &r)
	return r, err
}

// A Filter selects records, newest first.
type Filter struct {
	Channel  string // empty for all channels
	Failures bool   // only reports that a channel did not play
	Skip     int    // records before the first; each costs a read
	Limit    int
}

// List returns the records that f selects.
func List(ctx context.Context, db store.DB, f Filter) ([]Record, error) {
	q := store.Query{Collection: collection, OrderBy: "at", Desc: true, Limit: f.Skip + f.Limit}
	if f.Channel != "" {
		q.Where = append(q.Where, store.Filter{Field: "channel_id", Op: store.Eq, Value: f.Channel})
	}
	if f.Failures {
		q.Where = append(q.Where, store.Filter{Field: "ok", Op: store.Eq, Value: false})
	}
	var records []Record
	n := 0
	for doc, err := range db.Query(ctx, q) {
		if err != nil {
			return nil, err
		}
		if n++; n <= f.Skip {
			continue
		}
		var r Record
		if err := doc.Decode(&r); err != nil {
			return nil, err
		}
		records = append(records, r)
	}
	return records, nil
}

// sweepBatch is how many records one query of a sweep finds.
const sweepBatch = 100

// Shelf has the records whose events wait to be published.
var Shelf = outbox.Shelf{
	Name:   string(collection),
	Unsent: store.Query{Collection: collection, Where: []store.Filter{{Field: "sent", Op: store.Eq, Value: false}}, Limit: sweepBatch},
	Read: func(doc store.Doc) (outbox.Letter, error) {
		var kept Record
		if err := doc.Decode(&kept); err != nil {
			return outbox.Letter{}, err
		}
		return outbox.Write(kept.Report(doc.ID))
	},
	Sent: markSent,
}

// markSent notes that the event of a record was published.
func markSent(ctx context.Context, db store.DB, key string) error {
	return db.Update(ctx, func(tx store.Tx) error {
		var kept Record
		err := tx.Get(collection.Join(key), &kept)
		if errors.Is(err, store.ErrNotFound) || err == nil && kept.Sent == nil {
			return nil
		}
		if err != nil {
			return err
		}
		kept.Sent = nil
		return tx.Set(collection.Join(key), kept)
	})
}
