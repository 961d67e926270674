package collect

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"miramundo.dev/shared/source"
)

// The files of one source refer to each other, so they are only used as they
// were published together: all as they are now, or all as they were when they
// were last good. One file that cannot be taken holds back the others, unless it
// never was good, so that no good state has it. An essential file holds them back
// even then: without the blocklist of a large source its channels are not shown.

// A set is the files of one source.
type set struct {
	source string // "iptv-org"
	place  Place
	files  []*reading
	left   bool // the last good files are used
}

// newSet returns the set of parts of one source at a place.
func newSet(place Place, parts ...source.Part) *set {
	s := &set{source: parts[0].Source(), place: place}
	for _, p := range parts {
		s.files = append(s.files, &reading{part: p, place: place})
	}
	return s
}

// file returns the file of a name, or nil.
func (s *set) file(name string) *reading {
	i := slices.IndexFunc(s.files, func(r *reading) bool { return r.part.Name == name })
	if i < 0 {
		return nil
	}
	return s.files[i]
}

// decide takes or leaves the files of a source that were read.
func (c *Collection) decide(ctx context.Context, s *set) {
	checkLinks(s)
	for _, r := range s.files {
		if s.canLack(r) {
			r.refusals = nil
		}
		r.file.Refusals = r.refusals
	}
	switch {
	case !slices.ContainsFunc(s.files, func(r *reading) bool { return len(r.refusals) > 0 }):
	case c.plan.Force:
		c.override(ctx, s)
	default:
		c.leave(ctx, s)
	}
}

// readable reports whether the file could be read.
func (r *reading) readable() bool { return r.file.SHA256 != "" }

// canLack reports whether the source can be used without a file of it that cannot
// be read: one that never was good, and is not essential or is not in a folder
// that was written by hand.
func (s *set) canLack(r *reading) bool {
	if r.readable() || r.last.SHA256 != "" {
		return false
	}
	return !r.part.Essential || r.missing && s.records() < handmade
}

// records returns how many records all files of a source have.
func (s *set) records() (n int) {
	for _, r := range s.files {
		n += r.file.Items
	}
	return n
}

// override takes the files of a source against their refusals. Of a file that
// cannot be read, the last good body is used.
func (c *Collection) override(ctx context.Context, s *set) {
	for _, r := range s.files {
		if len(r.refusals) > 0 && !r.readable() {
			c.useLast(ctx, r, r.file.Problem)
		}
		r.file.Refusals, r.file.Overridden = nil, r.refusals
	}
}

// leave replaces the files of a source by its last good ones.
func (c *Collection) leave(ctx context.Context, s *set) {
	s.left = true
	cause := ""
	for _, r := range s.files {
		if len(r.refusals) > 0 {
			cause = r.part.Name
			break
		}
	}
	for _, r := range s.files {
		problem := fmt.Sprintf("the file was left, since %s of the same source was refused", cause)
		if len(r.refusals) > 0 {
			problem = reasons(r.refusals)
		} else if r.file.Problem != "" {
			problem = r.file.Problem
		}
		c.useLast(ctx, r, problem)
		r.file.Refusals = r.refusals
	}
}

// useLast replaces a file by its last good state, if there is one.
func (c *Collection) useLast(ctx context.Context, r *reading, problem string) {
	r.data, r.body = source.Dataset{}, nil
	r.file = source.File{Name: r.part.Name, Location: r.place.location(r.part), Problem: problem}
	if r.last.SHA256 == "" {
		return
	}
	if err := c.decodeSaved(ctx, r); err != nil {
		r.data = source.Dataset{}
		return
	}
	r.file = r.last
	r.file.Kept, r.file.Problem = true, problem
}

// Leave replaces the files of a source by its last good ones, because of
// refusals that show only in the catalog that is made from them. It reports
// whether it did: false when the files are the last good ones already, when there
// are none, and for a forced plan.
func (c *Collection) Leave(ctx context.Context, name string, refusals []source.Refusal) bool {
	i := slices.IndexFunc(c.sets, func(s *set) bool { return s.source == name })
	if i < 0 || c.sets[i].left || c.plan.Force {
		return false
	}
	s := c.sets[i]
	lost := slices.ContainsFunc(s.files, func(r *reading) bool { return r.part.Essential && r.last.SHA256 == "" })
	same := !slices.ContainsFunc(s.files, func(r *reading) bool { return r.file.SHA256 != r.last.SHA256 })
	if lost || same {
		return false
	}
	for _, refusal := range refusals {
		if r := s.file(refusal.File); r != nil {
			r.refusals = append(r.refusals, refusal)
		}
	}
	c.leave(ctx, s)
	return true
}

// Save makes the files that were taken the last good ones, those of each source
// in one step. A file that cannot be saved is used all the same and says so in
// its Problem.
func (c *Collection) Save(ctx context.Context) {
	if c.opts.Cache == nil {
		return
	}
	for _, s := range c.sets {
		if s.left {
			continue
		}
		if err := c.save(ctx, s); err != nil {
			for _, r := range s.files {
				if r.readable() && !r.file.Kept {
					r.file.Problem = notSaved(err)
				}
			}
		}
	}
}

// save saves the files of a source. A file whose last state is not known, which
// may have had many more records, does not replace it, nor do the files that
// were read with it.
func (c *Collection) save(ctx context.Context, s *set) error {
	var whole, changed []Entry
	for _, r := range s.files {
		if r.lastErr != nil {
			return r.lastErr
		}
		if !r.readable() || r.file.Kept {
			continue
		}
		body := r.body
		whole = append(whole, Entry{r.file, body})
		if r.file.SHA256 == r.last.SHA256 && !r.lost {
			body = nil
		}
		changed = append(changed, Entry{r.file, body})
	}
	err := c.opts.Cache.Save(ctx, changed)
	if errors.Is(err, ErrNothing) {
		err = c.opts.Cache.Save(ctx, whole) // a body that should be there is lost
	}
	return err
}
