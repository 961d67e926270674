package searchpeers

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"miramundo.dev/shared/catalog/filter"
	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/catalog/index"
)

// A scan is a peer that reads every row for each search, and finds words as
// substrings: also within a word, where the others find its beginning only.
type scan struct{ rows []*row }

// Scan keeps the rows of v in memory.
func Scan(v *index.View) (Peer, error) {
	s := &scan{}
	err := rows(v, func(r *row) error {
		s.rows = append(s.rows, r)
		return nil
	})
	return s, err
}

// Name returns what the peer does.
func (s *scan) Name() string { return "substring scan" }

// Close does nothing.
func (s *scan) Close() error { return nil }

// Ask answers q in one pass over the rows, and sorts what it found unless q asks for
// the order of the rows.
func (s *scan) Ask(_ context.Context, q *index.Query) (docs []uint32, total int, err error) {
	words := strings.Fields(fold.Words(q.Q))
	if q.Q != "" && len(words) == 0 {
		return nil, 0, nil
	}
	var found []*row
	facets := map[string]int{}
	for _, r := range s.rows {
		if !r.matches(q, words) {
			continue
		}
		found = append(found, r)
		for _, category := range r.values["category"] {
			facets[category]++
		}
	}
	switch q.Sort {
	case "score":
		slices.SortFunc(found, func(a, b *row) int { return cmp.Or(b.score-a.score, a.renown-b.renown) })
	case "votes":
		slices.SortFunc(found, func(a, b *row) int { return cmp.Or(b.votes-a.votes, a.id-b.id) })
	case filter.ByPopularity:
		slices.SortFunc(found, func(a, b *row) int { return a.renown - b.renown })
	}
	page := []byte(`{"items":[`)
	for _, r := range found[min(q.Offset, len(found)):min(q.Offset+q.Limit, len(found))] {
		docs, page = append(docs, uint32(r.id-1)), append(page, r.item...)
	}
	for category, n := range facets {
		page = fmt.Appendf(page, "%s:%d,", category, n)
	}
	return docs, len(found), nil
}

// matches reports whether r passes the filters of q and has all words.
func (r *row) matches(q *index.Query, words []string) bool {
	switch {
	case q.Kind != "all" && r.kind != number(q.Kind == "radio"),
		q.Playable && r.playable == 0, q.Guide && r.guide == 0, q.Online && r.online == 0,
		q.Country != "" && r.country != q.Country, q.Network != "" && r.network != q.Network,
		q.Subdivision != "" && r.subdivision != q.Subdivision, q.City != "" && r.city != q.City:
		return false
	}
	has := func(class, value string) bool { return value == "" || slices.Contains(r.values[class], value) }
	if !has("category", q.Category) || !has("language", q.Language) || !has("quality", q.Quality) || !has("tag", q.Tag) {
		return false
	}
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(r.words, w) })
}
