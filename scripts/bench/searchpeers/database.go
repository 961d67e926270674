package searchpeers

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
)

// A database is a peer that is asked in SQL. The table d has the records, v the values
// of filters of which a record may have several, and c the categories again, by record.
type database struct {
	name  string
	db    *sql.DB
	match string                      // the condition that d.id matches words
	terms func(words []string) string // the argument of match: all words, each as a prefix
	// dollars says that arguments are written $1, $2 instead of ?.
	dollars bool
	stop    func() error // what runs beside db; nil for nothing
}

// Name returns the name of the program.
func (d *database) Name() string { return d.name }

// Close closes the database.
func (d *database) Close() error {
	err := d.db.Close()
	if d.stop != nil {
		return errors.Join(err, d.stop())
	}
	return err
}

// numbered returns a condition with its arguments as the database writes them.
func (d *database) numbered(where string) string {
	if !d.dollars {
		return where
	}
	parts := strings.Split(where, "?")
	var b strings.Builder
	for i, part := range parts {
		if i > 0 {
			b.WriteString("$" + strconv.Itoa(i))
		}
		b.WriteString(part)
	}
	return b.String()
}

// Ask answers q with three statements, for the page, the total and the facets.
func (d *database) Ask(ctx context.Context, q *index.Query) (docs []uint32, total int, err error) {
	where, args := d.condition(q)
	order := map[string]string{"": "id", "name": "id", "score": "score DESC, renown", "votes": "votes DESC, id", filter.ByPopularity: "renown"}[q.Sort]
	rows, err := d.db.QueryContext(ctx, "SELECT id, item FROM d WHERE "+where+" ORDER BY "+order+fmt.Sprintf(" LIMIT %d OFFSET %d", q.Limit, q.Offset), args...)
	if err != nil {
		return nil, 0, err
	}
	defer rows.Close()
	page := []byte(`{"items":[`)
	for rows.Next() {
		var id uint32
		var item sql.RawBytes
		if err := rows.Scan(&id, &item); err != nil {
			return nil, 0, err
		}
		docs, page = append(docs, id-1), append(page, item...)
	}
	if err := rows.Err(); err != nil {
		return nil, 0, err
	}
	if err := d.db.QueryRowContext(ctx, "SELECT count(*) FROM d WHERE "+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	facets, err := d.db.QueryContext(ctx, "SELECT category, count(*) n FROM c WHERE doc IN (SELECT id FROM d WHERE "+where+") GROUP BY category ORDER BY n DESC, category", args...)
	if err != nil {
		return nil, 0, err
	}
	defer facets.Close()
	for facets.Next() {
		var category string
		var n int
		if err := facets.Scan(&category, &n); err != nil {
			return nil, 0, err
		}
		page = fmt.Appendf(page, "%s:%d,", category, n)
	}
	return docs, total, facets.Err()
}

// condition returns the filters of q as an SQL condition with its arguments.
func (d *database) condition(q *index.Query) (where string, args []any) {
	parts := []string{"1 = 1"}
	add := func(when bool, part string, values ...any) {
		if when {
			parts, args = append(parts, part), append(args, values...)
		}
	}
	add(q.Kind != "all", "kind = ?", number(q.Kind == "radio"))
	add(q.Playable, "playable = 1")
	add(q.Guide, "guide = 1")
	add(q.Online, "online = 1")
	for column, value := range map[string]string{"country": q.Country, "network": q.Network, "subdivision": q.Subdivision, "city": q.City} {
		add(value != "", column+" = ?", value)
	}
	for class, value := range map[string]string{"category": q.Category, "language": q.Language, "quality": q.Quality, "tag": q.Tag} {
		add(value != "", "id IN (SELECT doc FROM v WHERE class = ? AND value = ?)", class, value)
	}
	if words := strings.Fields(fold.Words(q.Q)); q.Q != "" {
		if len(words) == 0 {
			add(true, "1 = 0")
		} else {
			add(true, d.match, d.terms(words))
		}
	}
	return d.numbered(strings.Join(parts, " AND ")), args
}
