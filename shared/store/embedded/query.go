package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"miramundo.dev/shared/store"
)

// Queries become SQL over values extracted from the JSON body. Two
// expressions give each field Firestore's order: the rank of its type, then
// its value. The same expressions are indexed (index.go), so they must be the
// same text everywhere.

// page is how many documents a query ordered by id reads at once; it can
// continue after the last id.
const page = 64

// A row is a document that was read.
type row struct {
	id   string
	body []byte
}

// Query implements [store.DB].
func (db *DB) Query(ctx context.Context, q store.Query) iter.Seq2[store.Doc, error] {
	return func(yield func(store.Doc, error) bool) {
		if err := q.Check(); err != nil {
			yield(store.Doc{}, err)
			return
		}
		for more := true; more; {
			part := q
			if q.OrderBy == "" && (q.Limit == 0 || q.Limit > page) {
				part.Limit = page
			}
			rows, err := db.rows(ctx, part)
			if err != nil {
				yield(store.Doc{}, err)
				return
			}
			for _, r := range rows {
				if !yield(document(q.Collection.Join(r.id), r.body), nil) {
					return
				}
			}
			q, more = remaining(q, rows, part.Limit)
		}
	}
}

// remaining returns the rest of q after rows, up to limit, have been read,
// and whether there may be more.
func remaining(q store.Query, rows []row, limit int) (store.Query, bool) {
	if q.OrderBy != "" || len(rows) < limit || len(rows) == q.Limit {
		return q, false
	}
	q.After = []any{rows[len(rows)-1].id}
	if q.Limit > 0 {
		q.Limit -= len(rows)
	}
	return q, true
}

// rows returns all documents that match q, as of one moment.
func (db *DB) rows(ctx context.Context, q store.Query) (found []row, err error) {
	if q.Empty() {
		return nil, nil
	}
	if err := db.index(ctx, q); err != nil {
		return nil, err
	}
	s := selection{now: db.micros()}
	rows, err := db.file.Query(ctx, "SELECT id, body "+s.text(q), s.args...)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", q.Collection, err)
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	return scanRows(rows)
}

func scanRows(rows *sql.Rows) (found []row, err error) {
	for rows.Next() {
		var r row
		if err := rows.Scan(&r.id, &r.body); err != nil {
			return nil, err
		}
		found = append(found, r)
	}
	return found, rows.Err()
}

// Count implements [store.DB].
func (db *DB) Count(ctx context.Context, q store.Query) (n int, err error) {
	if err := q.Check(); err != nil || q.Empty() {
		return 0, err
	}
	if err := db.index(ctx, q); err != nil {
		return 0, err
	}
	q.Limit, q.After = 0, nil
	s := selection{now: db.micros()}
	err = db.file.Scan(ctx, "SELECT count(*) FROM (SELECT id "+s.text(q)+")", s.args, &n)
	return n, err
}

// A selection builds the SQL of a query. Its text depends only on the query's
// shape and field names; all values are arguments.
type selection struct {
	now   int64
	args  []any
	where []string
}

// text returns the SQL after the columns of a SELECT.
func (s *selection) text(q store.Query) string {
	s.and("collection = ?", string(q.Collection))
	s.and("(expire IS NULL OR expire > ?)", s.now)
	for _, f := range q.Where {
		s.filter(f)
	}
	s.after(q)
	text := "FROM documents WHERE " + strings.Join(s.where, " AND ") + " ORDER BY " + order(q)
	if q.Limit > 0 {
		s.args = append(s.args, q.Limit)
		text += " LIMIT ?"
	}
	return text
}

// and adds a condition.
func (s *selection) and(cond string, args ...any) {
	s.where = append(s.where, cond)
	s.args = append(s.args, args...)
}

// filter adds a condition that matches values of the filter's type only.
func (s *selection) filter(f store.Filter) {
	rank, value := s.field(f.Field)
	switch f.Op {
	case store.Contains:
		types, v := sqlValue(f.Value)
		s.and(rank+" = ? AND EXISTS (SELECT 1 FROM json_each(body, ?) AS e WHERE e.type IN "+types.names+" AND e.value = ?)",
			lists.rank, jsonPath(f.Field), v)
	case store.In:
		values, _ := json.Marshal(f.Value) // strings cannot fail
		s.and(rank+" = ? AND "+value+" IN (SELECT value FROM json_each(?))", texts.rank, string(values))
	default:
		types, v := sqlValue(f.Value)
		s.and(rank+" = ? AND "+value+" "+string(f.Op)+" ?", types.rank, v)
	}
}

// field adds the condition that documents have a field, and returns the
// expressions for the rank of its type and its value.
func (s *selection) field(name string) (rank, value string) {
	has, rank, value := fieldSQL(name)
	s.and(has)
	return rank, value
}

// after adds the condition that documents come after the cursor and have the
// field that orders the query.
func (s *selection) after(q store.Query) {
	op := ">"
	if q.Desc {
		op = "<"
	}
	if q.OrderBy == "" {
		if len(q.After) == 1 {
			s.and("id "+op+" ?", q.After[0])
		}
		return
	}
	rank, value := s.field(q.OrderBy)
	if len(q.After) == 2 {
		types, v := sqlValue(q.After[0])
		s.and("("+rank+", "+value+", id) "+op+" (?, ?, ?)", types.rank, v, q.After[1])
	}
}

// order returns the ORDER BY of q. When a filter admits one type only, its
// rank is left out, since SQLite would otherwise sort what the index already
// orders.
func order(q store.Query) string {
	dir := ""
	if q.Desc {
		dir = " DESC"
	}
	if q.OrderBy == "" {
		return "id" + dir
	}
	_, rank, value := fieldSQL(q.OrderBy)
	text := value + dir + ", id" + dir
	if slices.ContainsFunc(q.Where, func(f store.Filter) bool { return f.Field == q.OrderBy }) {
		return text
	}
	return rank + dir + ", " + text
}

// A kind is a type of values: its rank in Firestore's order, and its names in
// json_type.
type kind struct {
	rank  int
	names string
}

// The kinds of values that are compared, with the ranks of fieldSQL.
var (
	nulls   = kind{0, "('null')"}
	bools   = kind{1, "('false', 'true')"}
	numbers = kind{2, "('integer', 'real')"}
	texts   = kind{3, "('text')"}
	lists   = kind{4, "('array')"}
)

// fieldSQL returns the expressions of a checked field: that it exists, the
// rank of its type, and its value. SQLite uses an index only if the
// expressions have the same text.
func fieldSQL(name string) (has, rank, value string) {
	path := "'" + strings.ReplaceAll(jsonPath(name), "'", "''") + "'"
	has = "json_type(body, " + path + ") IS NOT NULL"
	rank = "CASE json_type(body, " + path + ") WHEN 'null' THEN 0 WHEN 'false' THEN 1 WHEN 'true' THEN 1" +
		" WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 WHEN 'array' THEN 4 ELSE 5 END"
	return has, rank, "ifnull(body->>" + path + ", 0)"
}

// sqlValue returns the value of a filter or cursor as SQLite's JSON functions
// represent it, and its kind.
func sqlValue(v any) (kind, any) {
	switch v := v.(type) {
	case nil:
		return nulls, 0
	case bool:
		return bools, v
	case string:
		return texts, v
	case store.Time:
		text, _ := v.MarshalText() // has no error
		return texts, string(text)
	}
	return numbers, v
}

// jsonPath returns the path of a checked field for SQLite's JSON functions.
func jsonPath(field string) string {
	return `$."` + strings.ReplaceAll(field, ".", `"."`) + `"`
}
