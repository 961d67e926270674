package store

import (
	"fmt"
	"slices"
	"strings"
)

// This file refuses queries and names that one of the databases would refuse
// or answer differently, so that code tested with the embedded database also
// works with Firestore.

// maxIn is the greatest number of values of an In filter: Firestore's limit.
const maxIn = 30

// Check returns ErrQuery, ErrField or ErrPath when q is not valid.
// Implementations call it first, so that all refuse the same queries.
func (q Query) Check() error {
	if err := q.Collection.CheckCollection(); err != nil {
		return err
	}
	if q.Limit < 0 {
		return ErrQuery.Because(fmt.Errorf("limit %d", q.Limit))
	}
	ins := 0
	for _, f := range q.Where {
		if err := q.checkFilter(f); err != nil {
			return err
		}
		if f.Op == In {
			ins++
		}
	}
	if ins > 1 {
		return ErrQuery.Because(fmt.Errorf("%d filters with in", ins))
	}
	return q.checkOrder()
}

func (q Query) checkFilter(f Filter) error {
	if _, err := Field(f.Field); err != nil {
		return err
	}
	switch f.Op {
	case Eq, Contains:
		return checkValue(f.Value)
	case Less, LessEq, More, MoreEq:
		if f.Field != q.OrderBy {
			return ErrQuery.Because(fmt.Errorf("%s %s, ordered by %q", f.Field, f.Op, q.OrderBy))
		}
		return checkValue(f.Value)
	case In:
		values, ok := f.Value.([]string)
		if !ok || len(values) > maxIn {
			return ErrQuery.Because(fmt.Errorf("in needs at most %d strings", maxIn))
		}
		return nil
	}
	return ErrQuery.Because(fmt.Errorf("operator %q", f.Op))
}

func (q Query) checkOrder() error {
	want := 1
	if q.OrderBy != "" {
		if _, err := Field(q.OrderBy); err != nil {
			return err
		}
		want = 2
	}
	if len(q.After) == 0 {
		return nil
	}
	if len(q.After) != want {
		return ErrQuery.Because(fmt.Errorf("cursor of %d values, want %d", len(q.After), want))
	}
	if id, ok := q.After[want-1].(string); !ok || !segment(id) {
		return ErrQuery.Because(fmt.Errorf("cursor without an id"))
	}
	if want == 2 && q.After[0] != nil {
		return checkValue(q.After[0])
	}
	return nil
}

// Empty reports whether q cannot match any document, because of an In filter
// without values.
func (q Query) Empty() bool {
	return slices.ContainsFunc(q.Where, func(f Filter) bool {
		values, ok := f.Value.([]string)
		return f.Op == In && ok && len(values) == 0
	})
}

// checkValue checks that v has a type that filters and cursors support.
func checkValue(v any) error {
	switch v := v.(type) {
	case string, bool, int, int8, int16, int32, int64, uint8, uint16, uint32, Time:
		return nil
	case float64:
		if v != v {
			return ErrQuery.Because(fmt.Errorf("not a number"))
		}
		return nil
	}
	return ErrQuery.Because(fmt.Errorf("value of type %T", v))
}

// Field splits a dotted field name. It returns ErrField when a part is empty,
// longer than 1,500 bytes or reserved, or has quotes, backslashes or control
// characters.
func Field(name string) ([]string, error) {
	names := strings.Split(name, ".")
	for _, s := range names {
		if s == "" || len(s) > maxSegment || reserved(s) || strings.ContainsFunc(s, unquotable) {
			return nil, ErrField.With("field", strings.ToValidUTF8(name, "�"))
		}
	}
	return names, nil
}

func unquotable(r rune) bool {
	return control(r) || r == '"' || r == '\\' || r == '`' || r == '�'
}

// CheckIncrement returns ErrField when add has an invalid name, a field
// together with a field within it, or expire_at, which is not a number.
func CheckIncrement(add map[string]int64) error {
	for name := range add {
		names, err := Field(name)
		if err != nil {
			return err
		}
		if names[0] == "expire_at" {
			return ErrField.With("field", name)
		}
		for i, r := range name {
			if _, both := add[name[:i]]; r == '.' && both {
				return ErrField.With("field", name)
			}
		}
	}
	return nil
}
