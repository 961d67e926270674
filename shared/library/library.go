// Package library stores the channels that an owner keeps, in sub-tabs of folders, and the
// secret addresses at which players read them.
//
//	libraries/{owner}        a Library, whole
//	feeds/{sha256(token)}    the owner of the library that a feed token opens
//
// The rules are methods of a [Library] in memory and need no database. [Update]
// applies them to the stored library, in one transaction of one read and one
// write. When a method fails, nothing is stored.
//
// A guest who has kept nothing has no documents, however often it reads its library.
// A library that was stored stays when its owner empties it: old guest tokens are
// valid only while their owner has a document, and its feed addresses must not go to
// anybody else.
package library

import (
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

// The greatest sizes of a library.
const (
	MaxCategories = 8  // folders of an owner
	MaxGroups     = 12 // sub-tabs of a folder
	MaxItems      = 40 // channels of a sub-tab
	MaxTaken      = 8  // feed tokens of other libraries that a library took over
)

// Faults of libraries. A folder, sub-tab or item of another owner is not found
// either.
var (
	ErrNoCategory = fault.New(fault.NotFound, "category_not_found")
	ErrNoGroup    = fault.New(fault.NotFound, "group_not_found")
	ErrNoItem     = fault.New(fault.NotFound, "item_not_found")
	ErrNoFeed     = fault.New(fault.NotFound, "feed_not_found") // no such token, folder or sub-tab

	ErrCategoryLimit = fault.New(fault.Invalid, "category_limit_reached").With("limit", MaxCategories)
	ErrGroupLimit    = fault.New(fault.Invalid, "group_limit_reached").With("limit", MaxGroups)
	ErrItemLimit     = fault.New(fault.Invalid, "item_limit_reached").With("limit", MaxItems)
	ErrName          = fault.New(fault.Invalid, "invalid_name") // with a reason
)

// A Library is all that one owner keeps, in the owner's order. It is stored in this
// form: fields may be added, but none may change its name or meaning.
type Library struct {
	Owner      identity.Owner `json:"owner"`
	Token      string         `json:"token"`           // of its feeds, a secret; empty from when it moves to another library until the next write
	Taken      []string       `json:"taken,omitempty"` // tokens of libraries whose folders were moved here: they open this library too
	Revision   int64          `json:"revision"`        // counts the writes; 0 means that nothing is stored yet
	UpdatedAt  store.Time     `json:"updated_at"`
	Categories []Category     `json:"categories"`

	// Public and Title are of what strangers see of a library, which has no token: see
	// package public. They are not stored.
	Public string `json:"-"` // the name in its addresses
	Title  string `json:"-"`
}

// A Category is a folder.
type Category struct {
	ID        string  `json:"id"` // cat_…
	Name      string  `json:"name"`
	Slug      string  `json:"slug"`                 // in addresses of feeds; unique in the library
	LastGroup string  `json:"last_group,omitempty"` // id of its sub-tab in which something was played last
	Groups    []Group `json:"groups"`
}

// A Group is a sub-tab.
type Group struct {
	ID       string `json:"id"` // grp_…
	Name     string `json:"name"`
	Slug     string `json:"slug"`                // unique in the folder
	LastItem string `json:"last_item,omitempty"` // id of its item that was played last
	Items    []Item `json:"items"`
}

// An Item is a channel in a sub-tab. Its name, kind and country are those of the
// catalog when the item was added: they are shown once the catalog does not have
// the channel any more. A full library holds 3,840 items in one document, so empty
// fields are not stored.
type Item struct {
	ID      string `json:"id"` // itm_…
	Channel string `json:"channel"`
	Stream  string `json:"stream,omitempty"` // pinned by the owner; empty for the best one
	Name    string `json:"name"`
	Radio   bool   `json:"radio,omitempty"`
	Country string `json:"country,omitempty"`
	Played  int64  `json:"played,omitempty"` // when it was played last, Unix seconds; 0 means never
}

// Kind returns the kind that the channel had when the item was added.
func (it *Item) Kind() catalog.Kind {
	if it.Radio {
		return catalog.Station
	}
	return catalog.TV
}

// Category returns the folder with a slug.
func (l *Library) Category(slug string) (*Category, bool) {
	for i := range l.Categories {
		if l.Categories[i].Slug == slug {
			return &l.Categories[i], true
		}
	}
	return nil, false
}

// Group returns the sub-tab of c with a slug.
func (c *Category) Group(slug string) (*Group, bool) {
	for i := range c.Groups {
		if c.Groups[i].Slug == slug {
			return &c.Groups[i], true
		}
	}
	return nil, false
}

// Len returns how many items l holds.
func (l *Library) Len() (n int) {
	for i := range l.Categories {
		for k := range l.Categories[i].Groups {
			n += len(l.Categories[i].Groups[k].Items)
		}
	}
	return n
}
