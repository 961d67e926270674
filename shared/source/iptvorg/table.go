package iptvorg

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"miramundo.dev/shared/source"
)

// A table reads the rows of one file, in JSON or CSV. The json tags of T are
// the field names in both.
type table[T any] struct {
	add    func(*source.Dataset, *T)
	fields map[string]int // index in T by name
	need   []string       // required fields
}

// stringList is a list of strings that may also be written as one string.
type stringList []string

func (w *stringList) UnmarshalJSON(data []byte) error {
	if len(data) > 0 && data[0] == '"' {
		var one string
		if err := json.Unmarshal(data, &one); err != nil {
			return err
		}
		*w = list(one)
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// newTable returns a table that passes its rows to add. The fields of T must
// be string, bool, float64 or lists of string.
func newTable[T any](add func(*source.Dataset, *T), need ...string) *table[T] {
	t := &table[T]{add: add, fields: map[string]int{}, need: need}
	typ := reflect.TypeFor[T]()
	for i := range typ.NumField() {
		if name := typ.Field(i).Tag.Get("json"); name != "-" {
			t.fields[name] = i
		}
	}
	return t
}

func (t *table[T]) decodeJSON(d *source.Dataset, r io.Reader) (source.Count, error) {
	return source.Array(r, func(v *T) bool { return t.keep(d, v) })
}

// decodeCSV reads a table with a header. A row with another number of values
// than the header is skipped; as the last row it shows that the file is
// truncated.
func (t *table[T]) decodeCSV(d *source.Dataset, r *bufio.Reader) (source.Count, error) {
	c := rows{window: source.NewWindow(r)}
	c.csv = csv.NewReader(c.window)
	c.csv.FieldsPerRecord = -1
	c.csv.ReuseRecord = true
	head, err := c.next()
	if err != nil {
		return c.count, fmt.Errorf("%w: it is neither a JSON array nor a table", source.ErrForm)
	}
	columns, err := t.columns(head)
	if err != nil {
		return c.count, err
	}
	for {
		row, err := c.next()
		if errors.Is(err, io.EOF) {
			return c.count, c.end()
		}
		if err != nil {
			return c.count, err
		}
		if c.whole = len(row) == len(columns); c.whole && t.row(d, columns, row) {
			c.count.Items++
		} else {
			c.count.Skipped++
		}
	}
}

// columns returns for each column the index of its field in T, or -1.
func (t *table[T]) columns(head []string) ([]int, error) {
	for _, name := range t.need {
		if !slices.Contains(head, name) {
			return nil, fmt.Errorf("%w: it has no column %q", source.ErrForm, name)
		}
	}
	columns := make([]int, len(head))
	for i, name := range head {
		field, known := t.fields[strings.TrimSpace(name)]
		if !known {
			field = -1
		}
		columns[i] = field
	}
	return columns, nil
}

// row adds one row, and reports whether it makes sense.
func (t *table[T]) row(d *source.Dataset, columns []int, row []string) bool {
	var v T
	fields := reflect.ValueOf(&v).Elem()
	for i, column := range columns {
		if column >= 0 && !set(fields.Field(column), row[i]) {
			return false
		}
	}
	return t.keep(d, &v)
}

// set parses value into a field. An empty value leaves it zero.
func set(field reflect.Value, value string) bool {
	if value == "" {
		return true
	}
	value = strings.ToValidUTF8(value, "\ufffd")
	switch field.Kind() {
	case reflect.String:
		field.SetString(value)
	case reflect.Bool:
		flag, err := strconv.ParseBool(strings.ToLower(value))
		field.SetBool(flag)
		return err == nil
	case reflect.Float64:
		number, err := strconv.ParseFloat(value, 64)
		field.SetFloat(number)
		return err == nil
	case reflect.Slice:
		field.Set(reflect.ValueOf(list(value)).Convert(field.Type()))
	}
	return true
}

// list splits a list at semicolons.
func list(value string) []string {
	values := strings.Split(value, ";")
	return slices.DeleteFunc(values, func(v string) bool { return v == "" })
}

// keep adds v if it has the required fields and is within bounds.
func (t *table[T]) keep(d *source.Dataset, v *T) bool {
	fields := reflect.ValueOf(v).Elem()
	for i := range fields.NumField() {
		if !cleanField(fields.Field(i)) {
			return false
		}
	}
	for _, name := range t.need {
		if fields.Field(t.fields[name]).Len() == 0 {
			return false
		}
	}
	t.add(d, v)
	return true
}

// cleanField cleans the text of a field, and reports whether it is within
// bounds.
func cleanField(field reflect.Value) bool {
	switch field.Kind() {
	case reflect.String:
		text := field.String()
		if clean := source.Plain(text); clean != text {
			field.SetString(clean)
		}
		return len(text) <= source.MaxField
	case reflect.Slice:
		for i := range field.Len() {
			if !cleanField(field.Index(i)) {
				return false
			}
		}
		return field.Len() <= source.MaxField
	}
	return true
}

// rows reads the rows of a table.
type rows struct {
	window *source.Window
	csv    *csv.Reader
	count  source.Count
	quoted bool // the last row had a quote out of place, and was skipped
	whole  bool // the last row had as many values as the heading
}

// next returns the next row that can be parsed, or io.EOF.
func (c *rows) next() ([]string, error) {
	for {
		if c.count.Items+c.count.Skipped > source.MaxRecords {
			return nil, source.ErrTooMany
		}
		c.window.Allow(c.csv.InputOffset())
		row, err := c.csv.Read()
		if c.window.Err() != nil {
			return nil, c.window.Err()
		}
		var parse *csv.ParseError
		if c.quoted = errors.As(err, &parse); !c.quoted {
			return row, err
		}
		c.count.Skipped++
		if errors.Is(err, csv.ErrQuote) {
			c.whole = false
		}
	}
}

// end returns an error when the file ended within a row. An unclosed quote
// takes the rest of the file.
func (c *rows) end() error {
	if c.count.Items+c.count.Skipped > 0 && !c.whole {
		return source.ErrTruncated
	}
	return nil
}
