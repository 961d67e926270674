package meaning

import (
	"embed"
	"strconv"
	"strings"
	"sync"

	"miramundo.dev/shared/catalog/fold"
)

// The files of words are read line by line. A line is a key, ": " and lists of
// words with commas between them; the head of each file says what its keys are
// and how its lists are parted. Lines that begin with "#" are comments.

//go:embed words
var files embed.FS

// lines calls each with the key and the rest of every line of a file. A line
// without a key has an empty one.
func lines(name string, each func(key, rest string)) {
	data, err := files.ReadFile("words/" + name + ".txt")
	if err != nil {
		panic(err) // never: the file is embedded
	}
	for line := range strings.SplitSeq(string(data), "\n") {
		if line == "" || line[0] == '#' {
			continue
		}
		key, rest, ok := strings.Cut(line, ": ")
		if !ok {
			key, rest = "", line
		}
		each(key, rest)
	}
}

// graded parses a key that ends in a strength, such as "US 240".
func graded(key string) (value string, strength int) {
	value, number, _ := strings.Cut(key, " ")
	strength, _ = strconv.Atoi(number)
	return value, strength
}

// list calls each with the elements of a list with commas between them.
func list(text string, each func(word string)) {
	for word := range strings.SplitSeq(text, ",") {
		each(strings.TrimSpace(word))
	}
}

// columns calls each with the languages of a line and their words, which " | "
// parts.
func columns(text string, each func(language, words string)) {
	for column := range strings.SplitSeq(text, " | ") {
		language, words, _ := strings.Cut(column, " ")
		each(language, words)
	}
}

// noise are the words of noise.txt, folded.
var noise = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	lines("noise", func(_, rest string) {
		list(rest, func(word string) { all[fold.Words(word)] = true })
	})
	return all
})

// A ceiling is how surely an ordinary word names a value of a filter at most.
type ceiling struct {
	filter string
	phrase string
}

// ceilings are the lines of common.txt; of several for one word the lowest
// counts.
var ceilings = sync.OnceValue(func() map[ceiling]int {
	all := map[ceiling]int{}
	lines("common", func(key, rest string) {
		number, filters, _ := strings.Cut(key, " ")
		most, _ := strconv.Atoi(number)
		list(rest, func(word string) {
			for name := range strings.FieldsSeq(filters) {
				at := ceiling{name, fold.Words(word)}
				if known, ok := all[at]; !ok || most < known {
					all[at] = most
				}
			}
		})
	})
	return all
})
