package search

import (
	"cmp"
	"slices"
	"strings"
)

// fallback looks for what a person may have meant by words that match nothing:
// words written as one or parted, then words with a letter wrong, missing, too
// many or in another's place. The filters stay as they are.
func (e *Engine) fallback(s *scratch, q *Query) (result, bool) {
	words := strings.Fields(string(s.folded))
	for i := range words {
		if i+1 < len(words) {
			joined := slices.Concat(words[:i], []string{words[i] + words[i+1]}, words[i+2:])
			if res, ok := e.retry(s, q, joined); ok {
				return res, true
			}
		}
	}
	for i, word := range words {
		for _, at := range e.ix.Words.Partings(word) {
			parted := slices.Concat(words[:i], []string{word[:at], word[at:]}, words[i+1:])
			if res, ok := e.retry(s, q, parted); ok {
				return res, true
			}
		}
	}
	return e.correct(s, q, once(words))
}

// once returns words in their order, each once.
func once(words []string) []string {
	var all []string
	for _, word := range words {
		if !slices.Contains(all, word) {
			all = append(all, word)
		}
	}
	return all
}

// correct tries the words nearest to each word, at the word that is rarest
// first.
func (e *Engine) correct(s *scratch, q *Query, words []string) (result, bool) {
	order := make([]int, len(words))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(e.ix.Words.Frequency(words[a]), e.ix.Words.Frequency(words[b]))
	})
	for _, i := range order[:min(len(order), maxCorrected)] {
		for _, near := range e.ix.Words.Near(words[i]) {
			corrected := slices.Clone(words)
			corrected[i] = near
			if res, ok := e.retry(s, q, corrected); ok {
				return res, true
			}
		}
	}
	return result{}, false
}

// retry looks for other words in the place of those of q.
func (e *Engine) retry(s *scratch, q *Query, words []string) (result, bool) {
	s.folded = append(s.folded[:0], strings.Join(words, " ")...)
	s.split()
	res, ok := e.match(s, q)
	return res, ok && res.total > 0
}

// maxCorrected is how many words of a query are corrected.
const maxCorrected = 4
