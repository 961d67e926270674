package source

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"slices"
	"strings"
)

// AbsentColumns returns those of columns that a file does not have, given the
// first bytes of the file: the heading of a table, or the names in the first
// record of a JSON array. It returns nil for any other format, and when these
// bytes do not hold a complete heading or record.
func AbsentColumns(head []byte, columns []string) []string {
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\ufeff")), " \t\r\n")
	if len(head) == 0 || len(columns) == 0 {
		return nil
	}
	var names []string
	switch head[0] {
	case '[':
		names = firstNames(head)
	case '{', '<', '#':
	default:
		names = heading(head)
	}
	if names == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(columns), func(c string) bool { return slices.Contains(names, c) })
}

// firstNames returns the names in the first record of a JSON array.
func firstNames(head []byte) (names []string) {
	dec := json.NewDecoder(bytes.NewReader(head))
	if _, err := dec.Token(); err != nil || !dec.More() {
		return nil
	}
	var record map[string]json.RawMessage
	if err := dec.Decode(&record); err != nil {
		return nil
	}
	names = make([]string, 0, len(record))
	for name := range record {
		names = append(names, name)
	}
	return names
}

// heading returns the names of the columns of a table.
func heading(head []byte) []string {
	line, _, complete := bytes.Cut(head, []byte("\n"))
	if !complete {
		return nil
	}
	names, err := csv.NewReader(bytes.NewReader(line)).Read()
	if err != nil {
		return nil
	}
	for i, name := range names {
		names[i] = strings.TrimSpace(name)
	}
	return names
}
