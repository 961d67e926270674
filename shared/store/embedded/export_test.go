package embedded

import (
	"context"
	"crypto/rand"
	"strings"

	"miramundo.dev/shared/store"
)

// IndexAll makes db index every field that a query asks for.
func IndexAll(db *DB) { db.scanMax = -1 }

// Plan returns how SQLite answers q.
func Plan(ctx context.Context, db *DB, q store.Query) (string, error) {
	s := selection{now: db.micros()}
	// A plan is kept with its statement, so each has a text of its own.
	rows, err := db.file.Query(ctx, "EXPLAIN QUERY PLAN SELECT id, body "+s.text(q)+" -- "+rand.Text(), s.args...)
	if err != nil {
		return "", err
	}
	defer rows.Close()
	var plan strings.Builder
	for rows.Next() {
		var id, parent, unused int
		var detail string
		if err := rows.Scan(&id, &parent, &unused, &detail); err != nil {
			return "", err
		}
		plan.WriteString(detail + "\n")
	}
	return plan.String(), rows.Err()
}
