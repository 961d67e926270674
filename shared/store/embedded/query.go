package embedded

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"miramundo.dev/shared/store"
)

// page is how many documents a query reads at once, when it is ordered by id
// and so can go on where it stood.
const page = 64

// A row is a document found.
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
			q, more = rest(q, rows, part.Limit)
		}
	}
}

// rest returns what of q is left when rows, up to limit, have been read.
func rest(q store.Query, rows []row, limit int) (store.Query, bool) {
	if q.OrderBy != "" || len(rows) < limit || len(rows) == q.Limit {
		return q, false
	}
	q.After = []any{rows[len(rows)-1].id}
	if q.Limit > 0 {
		q.Limit -= len(rows)
	}
	return q, true
}

// rows returns all that matches q, at one moment.
func (db *DB) rows(ctx context.Context, q store.Query) (found []row, err error) {
	if q.Empty() {
		return nil, nil
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
	q.Limit, q.After = 0, nil
	s := selection{now: db.micros()}
	err = db.file.Scan(ctx, "SELECT count(*) FROM (SELECT id "+s.text(q)+")", s.args, &n)
	return n, err
}

// A selection is the SQL of a query: its text depends on the query's shape
// alone, and its values are arguments.
type selection struct {
	now   int64
	args  []any
	where []string
}

// text returns what follows the columns of a SELECT.
func (s *selection) text(q store.Query) string {
	s.and("collection = ?", string(q.Collection))
	s.and("(expire IS NULL OR expire > ?)", s.now)
	for _, f := range q.Where {
		s.filter(f)
	}
	s.after(q)
	order := s.order(q)
	text := "FROM documents WHERE " + strings.Join(s.where, " AND ") + " ORDER BY " + order
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

// filter adds a condition that holds for values of the filter's type alone.
func (s *selection) filter(f store.Filter) {
	path := jsonPath(f.Field)
	switch f.Op {
	case store.Contains:
		types, value := sqlValue(f.Value)
		s.and("json_type(body, ?) = 'array' AND EXISTS (SELECT 1 FROM json_each(body, ?) AS e WHERE e.type IN "+
			types+" AND e.value = ?)", path, path, value)
	case store.In:
		values, _ := json.Marshal(f.Value) // strings cannot fail
		s.and("json_type(body, ?) = 'text' AND body->>? IN (SELECT value FROM json_each(?))", path, path, string(values))
	default:
		types, value := sqlValue(f.Value)
		op := string(f.Op)
		s.and("json_type(body, ?) IN "+types+" AND body->>? "+op+" ?", path, path, value)
	}
}

// rank numbers the types of values in the order of Firestore.
const rank = `CASE json_type(body, ?) WHEN 'null' THEN 0 WHEN 'false' THEN 1 WHEN 'true' THEN 1
WHEN 'integer' THEN 2 WHEN 'real' THEN 2 WHEN 'text' THEN 3 WHEN 'array' THEN 4 ELSE 5 END`

// after adds the condition that documents follow the cursor and, for an order
// by a field, have it.
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
	path := jsonPath(q.OrderBy)
	s.and("json_type(body, ?) IS NOT NULL", path)
	if len(q.After) == 2 {
		types, value := sqlValue(q.After[0])
		s.and("("+rank+", ifnull(body->>?, 0), id) "+op+" (?, ?, ?)", path, path, ranks[types], value, q.After[1])
	}
}

// order returns the ORDER BY of q.
func (s *selection) order(q store.Query) string {
	dir := ""
	if q.Desc {
		dir = " DESC"
	}
	if q.OrderBy == "" {
		return "id" + dir
	}
	path := jsonPath(q.OrderBy)
	s.args = append(s.args, path, path)
	return rank + dir + ", ifnull(body->>?, 0)" + dir + ", id" + dir
}

// The names of json_type for the types of filter values.
const (
	nullType    = "('null')"
	boolTypes   = "('false', 'true')"
	numberTypes = "('integer', 'real')"
	textType    = "('text')"
)

// ranks gives the rank of the types.
var ranks = map[string]int{nullType: 0, boolTypes: 1, numberTypes: 2, textType: 3}

// sqlValue returns a value of a checked filter or cursor as SQLite's JSON
// functions give it, and the names of its type.
func sqlValue(v any) (types string, value any) {
	switch v := v.(type) {
	case nil:
		return nullType, 0
	case bool:
		return boolTypes, v
	case string:
		return textType, v
	case store.Time:
		text, _ := v.MarshalText() // has no error
		return textType, string(text)
	}
	return numberTypes, v
}

// jsonPath returns the path of a checked field in SQLite's JSON functions.
func jsonPath(field string) string {
	return `$."` + strings.ReplaceAll(field, ".", `"."`) + `"`
}
