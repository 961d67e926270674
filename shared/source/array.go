package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Array reads a JSON array from r, or several that follow each other, and
// gives each element to each, which reports whether it makes sense. The
// element is overwritten after each returns.
//
// An element of another type than T is skipped and counted. What is not JSON,
// or not an array, or cut, or over the bounds, is an error; the elements before
// it were given to each.
func Array[T any](r io.Reader, each func(*T) bool) (Count, error) {
	a := array{window: NewWindow(r)}
	a.dec = json.NewDecoder(a.window)
	if err := a.open(); err != nil {
		return a.count, a.failure(err)
	}
	for {
		if err := elements(&a, each); err != nil {
			return a.count, a.failure(err)
		}
		if err := a.open(); errors.Is(err, io.EOF) {
			return a.count, nil
		} else if err != nil {
			return a.count, a.failure(err)
		}
	}
}

// array is the state of reading arrays.
type array struct {
	window *Window
	dec    *json.Decoder
	count  Count
}

// open reads the start of an array, or returns io.EOF.
func (a *array) open() error {
	t, err := a.dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("%w: it is not a JSON array", ErrForm)
	}
	return nil
}

// elements reads the rest of an array.
func elements[T any](a *array, each func(*T) bool) error {
	var zero, v T
	for a.dec.More() {
		v = zero
		a.window.Allow(a.dec.InputOffset())
		err := a.dec.Decode(&v)
		if a.fatal(err) {
			return err
		}
		if a.count.Items+a.count.Skipped == MaxRecords {
			return ErrTooMany
		}
		if err == nil && each(&v) {
			a.count.Items++
		} else {
			a.count.Skipped++
		}
	}
	_, err := a.dec.Token()
	return err
}

// fatal reports whether err says more than that one element is of another type.
func (a *array) fatal(err error) bool {
	var syntax *json.SyntaxError
	return a.window.Err() != nil || errors.As(err, &syntax) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// failure says in the words of this package why reading ended.
func (a *array) failure(err error) error {
	var syntax *json.SyntaxError
	switch {
	case a.window.Err() != nil:
		return a.window.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return ErrTruncated
	case errors.As(err, &syntax):
		return fmt.Errorf("%w: it is not JSON at byte %d", ErrForm, syntax.Offset)
	}
	return err
}
