package library

import "net/url"

// FeedsPath is what the addresses of feeds begin with, before their tokens.
const FeedsPath = "/f/"

// Formats are those of feeds, as their addresses end.
var Formats = []string{"m3u", "m3u8", "json", "xspf"}

// A FeedBase is the address of a feed without its ending: of the whole
// library, of a folder or of a sub-tab. It holds the token, a secret.
type FeedBase string

// Feed returns the address of the feed of all of l at the main host base, an
// origin without a last slash.
func (l *Library) Feed(base string) FeedBase {
	return FeedBase(base + FeedsPath + l.Token + "/library")
}

// CategoryFeed returns the address of the feed of the folder c.
func (l *Library) CategoryFeed(base string, c *Category) FeedBase {
	return FeedBase(base + FeedsPath + l.Token + "/c/" + url.PathEscape(c.Slug))
}

// GroupFeed returns the address of the feed of the sub-tab g of the folder c.
func (l *Library) GroupFeed(base string, c *Category, g *Group) FeedBase {
	return l.CategoryFeed(base, c) + FeedBase("/g/"+url.PathEscape(g.Slug))
}

// As returns the address in a format.
func (f FeedBase) As(format string) string { return string(f) + "." + format }
