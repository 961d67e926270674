// Package page provides the limit, the offset and the links of paginated lists.
package page

import "fmt"

// In are the parameters by which a caller chooses a page. Inputs of endpoints
// embed it.
type In struct {
	Limit  int `query:"limit" default:"20" minimum:"1" cap:"50" description:"Number of items on the page; more than 50 is reduced to 50."`
	Offset int `query:"offset" default:"0" minimum:"0" maximum:"100000000" description:"Number of items to skip."`
}

// A Position is the place of a page in its list. It is embedded in an endpoint's
// result, beside the items.
type Position struct {
	Total      int     `json:"total" description:"Number of items on all pages."`
	Limit      int     `json:"limit"`
	Offset     int     `json:"offset"`
	NextOffset *int    `json:"next_offset" description:"The offset of the next page; null on the last."`
	Next       *string `json:"next" format:"uri" description:"Address of the next page; null on the last."`
	API        string  `json:"api" format:"uri" description:"Address of the list."`
}

// Of returns the position of the page that in selects, in a list of total items.
// api is the URL of the list, without a query.
func (in In) Of(total int, api string) Position {
	return in.position(total, api, in.Offset < total-in.Limit, "")
}

// From returns the position of the page that in selects, in a list of total items that
// can also be read on after an item: last names the last item of the page, in characters
// that need no escape in a query, and is empty on the last page. The address of the next
// page has it as the parameter after.
func (in In) From(total int, api, last string) Position {
	return in.position(total, api, last != "", "&after="+last)
}

// position returns the position of a page, and of the next one when there is more.
func (in In) position(total int, api string, more bool, after string) Position {
	p := Position{Total: total, Limit: in.Limit, Offset: in.Offset, API: api}
	if more {
		offset := in.Offset + in.Limit
		next := fmt.Sprintf("%s?limit=%d&offset=%d%s", api, in.Limit, offset, after)
		p.NextOffset, p.Next = &offset, &next
	}
	return p
}

// Cut returns the items of the page that in selects from the whole list all. The
// result shares memory with all, and is never nil, so that JSON has [] for no items.
func Cut[T any](in In, all []T) []T {
	from := min(in.Offset, len(all))
	part := all[from:min(from+in.Limit, len(all))]
	if part == nil {
		return []T{}
	}
	return part
}
