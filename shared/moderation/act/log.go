package act

import (
	"context"
	"crypto/rand"
	"strings"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// An Entry is an act in the log.
type Entry struct {
	ID    string         `json:"-"`
	Verb  Verb           `json:"verb"`
	Ref   Ref            `json:"ref"`   // what the operator named; members that do not matter are empty
	Owner identity.Owner `json:"owner"` // the author of the text, or who was muted; empty for rooms
	// Network is the name of the day of the network that was muted, or whose texts the act
	// removed; empty for other acts.
	Network string     `json:"network,omitempty"`
	Until   store.Time `json:"until"` // when the mute or the closing ends; zero for other acts
	Reason  string     `json:"reason"`
	By      string     `json:"by"`
	At      store.Time `json:"at"`
	Bulk    *Progress  `json:"progress,omitempty"` // of RemoveAll and RestoreAll alone

	Takedown int `json:"takedown,omitempty"` // number of the request, of the verbs about them alone
}

// Note adds an act that another package carries out within tx to the log.
func Note(tx store.Tx, e Entry) error {
	return tx.Create(actsCollection.Join(strings.ToLower(rand.Text())), e)
}

const actsCollection = store.Path("acts")

// A Logged is an entry of the log with the text that it is about.
type Logged struct {
	Entry
	Case *Case // nil when the act was not about a text, and when the copy has expired
}

// Log returns the newest entries of the log after skipping some, and how many there are
// in all.
func (m *Moderator) Log(ctx context.Context, skip, limit int) (list []Logged, total int, err error) {
	q := store.Query{Collection: actsCollection}
	if total, err = m.o.DB.Count(ctx, q); err != nil || skip >= total {
		return nil, total, err
	}
	q.OrderBy, q.Desc, q.Limit = "at", true, skip+limit
	n := 0
	for doc, err := range m.o.DB.Query(ctx, q) {
		if err != nil {
			return nil, 0, err
		}
		if n++; n <= skip {
			continue
		}
		one := Logged{Entry: Entry{ID: doc.ID}}
		if err := doc.Decode(&one.Entry); err != nil {
			return nil, 0, err
		}
		list = append(list, one)
	}
	return list, total, m.addCases(ctx, list)
}

// addCases reads the cases of entries about texts.
func (m *Moderator) addCases(ctx context.Context, list []Logged) error {
	var paths []store.Path
	var at []int
	for i, one := range list {
		if one.Ref.ID != "" {
			paths, at = append(paths, casePath(one.Ref)), append(at, i)
		}
	}
	if len(paths) == 0 {
		return nil
	}
	docs, err := m.o.DB.GetAll(ctx, paths)
	if err != nil {
		return err
	}
	for i, doc := range docs {
		c, err := decodeCase(doc)
		if err != nil {
			return err
		}
		list[at[i]].Case = c
	}
	return nil
}
