package library

import (
	"slices"
	"strings"
	"time"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// When a guest signs in, its folders move to the library of the account with their
// ids, and so do the tokens of its feeds: a player that reads the guest's feed
// address then shows the library of the account. Whatever the account's library
// cannot take stays in the guest's. That is stored even when nothing is left in it:
// a guest without a stored library would begin with its first token again, which
// opens the library of the account now.

// A Content counts parts of a library, by what they are.
type Content struct {
	Categories, Groups, Items int
	Feeds                     int // tokens
}

// Content returns how many parts of each kind l has.
func (l *Library) Content() Content {
	c := Content{Categories: len(l.Categories), Items: l.Len(), Feeds: len(l.tokens())}
	for i := range l.Categories {
		c.Groups += len(l.Categories[i].Groups)
	}
	return c
}

// A Move takes what one stored library has into another, within a transaction.
type Move struct {
	Moved Content // what the other library takes
	Left  Content // what it does not take

	from, to *Library
	before   []string // tokens of to without those that it takes
}

// ReadMove reads the libraries of two owners and decides what moves from the first to
// the second.
func ReadMove(tx store.Tx, from, to identity.Owner) (*Move, error) {
	m := &Move{from: &Library{Owner: from}, to: &Library{Owner: to}}
	docs, err := tx.GetAll([]store.Path{Path(from), Path(to)})
	if err != nil {
		return nil, err
	}
	for i, l := range []*Library{m.from, m.to} {
		if docs[i].Decode == nil {
			continue
		}
		if err := docs[i].Decode(l); err != nil {
			return nil, err
		}
	}
	m.before = m.to.tokens()
	m.Moved = m.to.Take(m.from)
	m.Left = m.from.Content()
	return m, nil
}

// Takes reports whether the other library has a folder, by its id, after the move.
func (m *Move) Takes(folder string) bool {
	return slices.ContainsFunc(m.to.Categories, func(c Category) bool { return c.ID == folder })
}

// Write stores both libraries and the owner of each token that moved, or nothing when
// nothing moved.
func (m *Move) Write(tx store.Tx, now time.Time) error {
	if m.Moved == (Content{}) {
		return nil
	}
	after := m.to.tokens()
	for _, token := range after {
		if slices.Contains(m.before, token) {
			continue
		}
		if err := tx.Set(feedPath(token), feed{m.to.Owner}); err != nil {
			return err
		}
	}
	if m.to.Token == "" {
		m.to.Token = newToken()
	}
	if err := write(tx, m.to, after, now); err != nil {
		return err
	}
	return set(tx, m.from, now)
}

// Take moves feed tokens and folders from another library to l, and returns how many.
// Folders keep their order and come after those of l. A folder stays in from when l
// has one with its slug, when l has MaxCategories, and when the document of l would
// become too large. A token stays when l has MaxTaken of them.
func (l *Library) Take(from *Library) Content {
	before := from.Content()
	tokens := slices.DeleteFunc(slices.Clone(from.tokens()), l.takeToken)
	from.Token, from.Taken = "", nil
	if len(tokens) > 0 {
		from.Token, from.Taken = tokens[0], tokens[1:]
	}
	from.Categories = slices.DeleteFunc(from.Categories, l.takeCategory)
	left := from.Content()
	return Content{before.Categories - left.Categories, before.Groups - left.Groups, before.Items - left.Items, before.Feeds - left.Feeds}
}

// takeToken adds a token that opens l, and reports whether there was room.
func (l *Library) takeToken(token string) bool {
	switch {
	case l.Token == "":
		l.Token = token
	case len(l.Taken) < MaxTaken:
		l.Taken = append(l.Taken, token)
	default:
		return false
	}
	return true
}

// spare is the part of a document, in bytes, that takeCategory leaves for tokens, which
// are longer when they are sealed, and for a longer revision.
const spare = 128 * (MaxTaken + 2)

// takeCategory adds a folder with everything in it, and reports whether l could take
// it.
func (l *Library) takeCategory(c Category) bool {
	if _, taken := l.Category(c.Slug); taken || len(l.Categories) >= MaxCategories {
		return false
	}
	full := *l
	full.Categories = append(l.Categories, c)
	full.Token += strings.Repeat("x", spare)
	if _, err := store.Encode(&full); err != nil {
		return false
	}
	l.Categories = full.Categories
	return true
}
