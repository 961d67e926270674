package main

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the peer

	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
)

// peerQueries is how many searches of each class are made on the peer, which
// needs milliseconds for each.
const peerQueries = 7

// schema stores the catalog as is usual with SQLite and its full-text search.
const schema = `
CREATE TABLE d (id INTEGER PRIMARY KEY, kind INT, playable INT, guide INT, online INT, country TEXT, network TEXT, subdivision TEXT,
	city TEXT, votes INT, score INT, item TEXT);
CREATE TABLE v (class TEXT, value TEXT, doc INT, PRIMARY KEY (class, value, doc)) WITHOUT ROWID;
CREATE TABLE c (doc INT, category TEXT, PRIMARY KEY (doc, category)) WITHOUT ROWID;
CREATE VIRTUAL TABLE f USING fts5(words, content='', detail=none, prefix='1 2 3');`

const indexes = `
CREATE INDEX d_country ON d (country, id); CREATE INDEX d_network ON d (network, id); CREATE INDEX d_city ON d (city, id);
CREATE INDEX d_kind ON d (kind, playable, id); CREATE INDEX d_votes ON d (votes DESC, id); CREATE INDEX d_score ON d (score DESC, id);
INSERT INTO f(f) VALUES ('optimize'); ANALYZE;`

// sqlitePart runs the mix on SQLite FTS5, and compares its answers and its times
// with those of the index. The times of SQLite are wall time, because it may use
// other threads.
func sqlitePart(ctx context.Context, t *table, reg *catalog.Register, v *index.View, work []class, mix time.Duration, g goal) error {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	db, err := fillSQLite(ctx, filepath.Join(dir, "peer.db"), v)
	if err != nil {
		return err
	}
	defer db.Close()
	built := time.Since(start)
	runtime.GC()
	var mean time.Duration
	same, compared := 0, 0
	for _, c := range work {
		if c.weight == 0 {
			continue
		}
		var took []time.Duration
		for _, q := range c.queries[:min(len(c.queries), peerQueries)] {
			start := time.Now()
			ids, total, err := askSQLite(ctx, db, &q)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			took = append(took, time.Since(start))
			docs, want := v.Find(q)
			compared++
			if total == want && slices.Equal(ids, docs) {
				same++
			}
		}
		mean += median(took) * time.Duration(c.weight) / 100
	}
	ratio := float64(mean) / float64(mix)
	t.row("SQLite FTS5: filled in, s", fmt.Sprintf("%.1f", built.Seconds()))
	t.row("SQLite FTS5: mix mean, µs", micros(mean))
	t.row("SQLite FTS5: same answers", fmt.Sprintf("%d of %d", same, compared))
	t.goal("times slower than the index", fmt.Sprintf("%.0f", ratio), fmt.Sprintf("%.0f", g.ratio), ratio >= g.ratio)
	return nil
}

// fillSQLite writes the records of v, as v shows them, into a new database. Row
// n+1 is record n.
func fillSQLite(ctx context.Context, file string, v *index.View) (*sql.DB, error) {
	db, err := sql.Open("sqlite", "file:"+url.PathEscape(file)+"?_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=mmap_size(2000000000)&_pragma=cache_size(-200000)")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(ctx, schema); err != nil {
		return nil, err
	}
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return nil, err
	}
	in := &inserter{ctx: ctx, tx: tx, v: v}
	for i, r := range v.Index().Records() {
		in.insert(i+1, &r)
	}
	if in.err != nil {
		return nil, in.err
	}
	if err := tx.Commit(); err != nil {
		return nil, err
	}
	_, err = db.ExecContext(ctx, indexes)
	return db, err
}

// An inserter inserts records. After the first failure it does nothing.
type inserter struct {
	ctx   context.Context
	tx    *sql.Tx
	v     *index.View
	stmts map[string]*sql.Stmt
	err   error
}

func (in *inserter) exec(query string, args ...any) {
	if in.err != nil {
		return
	}
	if in.stmts == nil {
		in.stmts = map[string]*sql.Stmt{}
	}
	if in.stmts[query] == nil {
		in.stmts[query], in.err = in.tx.PrepareContext(in.ctx, query)
	}
	if in.err == nil {
		_, in.err = in.stmts[query].ExecContext(in.ctx, args...)
	}
}

func (in *inserter) insert(row int, r *catalog.Record) {
	item, ok := in.v.Item(r.ID, 0)
	if !ok {
		in.err = fmt.Errorf("no item %q", r.ID)
		return
	}
	votes, score, online := 0, 0, 0
	var tags []string
	if r.Radio != nil {
		votes, tags = r.Radio.Votes, r.Radio.Tags
	}
	if h := item.HealthExt; h != nil {
		online = number(h.Online)
		if h.Score != nil { // a channel whose streams were never reached has none
			score = 1 + *h.Score
		}
	}
	page := encodeJSON(item)
	in.exec("INSERT INTO d VALUES (?,?,?,?,?,?,?,?,?,?,?,?)", row, int(r.Kind), number(item.PlayableHint), number(item.HasGuide), online,
		r.Country, r.Network, r.Subdivision, r.City, votes, score, page)
	for class, values := range map[string][]string{"category": r.Categories, "language": r.Languages, "quality": filter.All[filter.Quality].Values(r), "tag": tags} {
		for _, value := range values {
			in.exec("INSERT OR IGNORE INTO v VALUES (?,?,?)", class, value, row)
		}
	}
	for _, k := range r.Categories {
		in.exec("INSERT OR IGNORE INTO c VALUES (?,?)", row, k)
	}
	var words []string
	for _, name := range slices.Concat([]string{r.Name}, r.AltNames, r.FeedNames) {
		words = append(words, fold.Words(name), fold.Joined(name))
	}
	in.exec("INSERT INTO f(rowid, words) VALUES (?,?)", row, strings.Join(words, " "))
}

// askSQLite answers q with three statements, for the page, the total and the
// facets, and returns the numbers of the records of the page.
func askSQLite(ctx context.Context, db *sql.DB, q *index.Query) (docs []uint32, total int, err error) {
	where, args := condition(q)
	order := map[string]string{"": "id", "name": "id", "score": "score DESC, id", "votes": "votes DESC, id"}[q.Sort]
	rows, err := db.QueryContext(ctx, "SELECT id, item FROM d WHERE "+where+" ORDER BY "+order+fmt.Sprintf(" LIMIT %d OFFSET %d", q.Limit, q.Offset), args...)
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
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM d WHERE "+where, args...).Scan(&total); err != nil {
		return nil, 0, err
	}
	facets, err := db.QueryContext(ctx, "SELECT category, count(*) n FROM c WHERE doc IN (SELECT id FROM d WHERE "+where+") GROUP BY category ORDER BY n DESC, category", args...)
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
func condition(q *index.Query) (where string, args []any) {
	parts := []string{"1"}
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
		for i, w := range words {
			words[i] = `"` + w + `"*`
		}
		add(len(words) > 0, "id IN (SELECT rowid FROM f WHERE f MATCH ?)", strings.Join(words, " "))
		add(len(words) == 0, "0")
	}
	return strings.Join(parts, " AND "), args
}
