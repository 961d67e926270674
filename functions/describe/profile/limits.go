package profile

import (
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/chat"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/health"
	"miramundo.dev/shared/library"
	"miramundo.dev/shared/library/follow"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
)

// A Limit is a bound on what callers may do.
type Limit struct {
	Key  string // by which texts refer to it
	What string
	Max  int
}

// Limits returns the bounds of the API, each from the package that enforces it. A limit
// that the installation does not set is left out.
func (p *Profile) Limits() []Limit {
	all := []Limit{
		{"folders", "Folders of a library", library.MaxCategories},
		{"tabs", "Sub-tabs of a folder", library.MaxGroups},
		{"items", "Channels of a sub-tab", library.MaxItems},
		{"name", "Characters of the name of a folder or sub-tab", library.MaxName},
		{"following", "Public libraries and folders that a caller follows", follow.Max},
		{"favorites", "Favorites of an owner", kept.MaxFavorites},
		{"comments", "Comments of an owner in an hour", comment.PerHour},
		{"comment", "Characters of a comment", comment.MaxLength},
		{"message", "Characters of a chat message", chat.MaxLength},
		{"keys", "Live API keys of an account or an organization", access.MaxKeys},
		{"programmes", "Programmes of a channel and day", guide.MaxDay},
		{"reports", "Play reports before a channel has a health percentage", health.MinReports},
	}
	if n := p.pageCap(); n > 0 {
		all = append([]Limit{{"page", "Items on a page; a greater limit is reduced to this", n}}, all...)
	}
	if p.Quota.FreeMinutes > 0 {
		all = append(all, Limit{"minutes", "Free minutes of live HLS for a network in a UTC day", p.Quota.FreeMinutes})
	}
	return all
}

// pageCap returns the largest page of a search; 0 when the table has no search.
func (p *Profile) pageCap() int {
	e, ok := p.Endpoint(searchName)
	if !ok {
		return 0
	}
	for _, in := range e.Params() {
		if in.Name == "limit" && in.Cap != nil {
			return int(*in.Cap)
		}
	}
	return 0
}

// Quotas returns what is free of charge and what is sold.
func (p *Profile) Quotas() quota.Quota { return quota.Of(p.Quota) }
