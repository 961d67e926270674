package overfound

import (
	"fmt"
	"slices"

	"miramundo.dev/scripts/bench/report"
)

// A share counts the results of a class of queries.
type share struct {
	asked, first, five, zero int
	nameFirst, nameFive      int // of the names that contain the query
	votesFirst, votesFive    int // likewise, by votes
}

func (s *share) add(r *result) {
	s.asked++
	count(r.place, &s.first, &s.five)
	count(r.byName, &s.nameFirst, &s.nameFive)
	count(r.byVotes, &s.votesFirst, &s.votesFive)
	if r.total == 0 {
		s.zero++
	}
}

// count adds an answer at p to those that are first and those that are shown.
func count(p place, first, five *int) {
	if p == 0 {
		*first++
	}
	if p != nowhere {
		*five++
	}
}

// percent returns n as a share of the queries asked.
func (s *share) percent(n int) float64 { return 100 * float64(n) / float64(max(1, s.asked)) }

func (s *share) row(t *report.Report, name string) {
	if s.asked == 0 {
		return
	}
	cells := []string{name, fmt.Sprint(s.asked)}
	for _, n := range []int{s.first, s.five, s.zero, s.nameFirst, s.nameFive, s.votesFirst, s.votesFive} {
		cells = append(cells, fmt.Sprintf("%.1f", s.percent(n)))
	}
	t.Row(cells...)
}

// printShares prints the shares of each class, in the order of the file, and
// returns the share of all queries with an answer that plays.
func printShares(t *report.Report, list []judged, results []result) (whole share) {
	var classes []string
	byClass := map[string]*share{}
	var apart share // known, but nothing that plays
	missing := 0
	for i := range results {
		j, r := &list[i], &results[i]
		if byClass[j.class] == nil {
			classes, byClass[j.class] = append(classes, j.class), &share{}
		}
		switch r.state {
		case playable:
			byClass[j.class].add(r)
			whole.add(r)
		case known:
			apart.add(r)
		case absent:
			missing++
		}
	}
	t.Head("queries", "asked", "first %", "in 5 %", "zero %", "names first", "names in 5", "votes first", "votes in 5")
	for _, class := range classes {
		byClass[class].row(t, class)
	}
	whole.row(t, "all")
	apart.row(t, "known, nothing plays (playable=0)")
	t.Row("absent from this catalog", fmt.Sprint(missing))
	return whole
}

// printGoals prints the goals, and returns whether all are reached.
func printGoals(t *report.Report, s share) bool {
	t.Head("figure", "reached", "", "goal", "")
	first, five, zero := s.percent(s.first), s.percent(s.five), s.percent(s.zero)
	goal := func(name string, reached, asked float64, ok bool) bool {
		t.Goal(name, fmt.Sprintf("%.1f", reached), fmt.Sprint(asked), ok)
		return ok
	}
	return !slices.Contains([]bool{
		goal("the answer is first, %", first, goalFirst, first >= goalFirst),
		goal("the answer is among the first five, %", five, goalFive, five >= goalFive),
		goal("no result at all, %", zero, goalZero, zero <= goalZero),
	}, false)
}

// printMisses prints the queries that are not answered first: where the answer
// is, and what came first.
func printMisses(t *report.Report, list []judged, results []result) {
	for i, r := range results {
		at := fmt.Sprintf("at %d", r.place+1)
		if r.place == nowhere {
			at = "missed"
		}
		switch {
		case r.state == absent:
			at = "absent"
		case r.place == 0:
			continue
		case r.state == known:
			at += ", nothing plays"
		}
		j := &list[i]
		t.Note("%s\t%s\t%s %s%s\t%s", j.class, at, j.kind, j.text, j.caller(), r.first)
	}
}

// caller returns the locale and the country of the caller, in brackets.
func (j *judged) caller() string {
	if j.locale == "" && j.country == "" {
		return ""
	}
	return fmt.Sprintf(" (%s-%s)", j.locale, j.country)
}
