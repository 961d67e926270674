package source

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Array decodes a JSON array from r, or several arrays in a row, and calls
// each with every element. each reports whether the element makes sense; it
// must not keep the pointer, whose element is overwritten.
//
// An element of another type than T is skipped and counted. Input that is not
// JSON, not an array, truncated or over the bounds is an error; the elements
// before it were passed to each.
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

// array is the state of decoding arrays.
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

// elements decodes the rest of an array.
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

// fatal reports whether err concerns more than one element of another type.
func (a *array) fatal(err error) bool {
	var syntax *json.SyntaxError
	return a.window.Err() != nil || errors.As(err, &syntax) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// failure converts the error that ended decoding to one of this package.
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
