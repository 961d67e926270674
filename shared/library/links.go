package library

import "net/url"

// FeedsPath is the path of all feeds, before their tokens.
const FeedsPath = "/f/"

// Formats are the formats of feeds, which are the endings of their addresses.
var Formats = []string{"m3u", "m3u8", "json", "xspf"}

// A FeedBase is the address of a feed without its ending: of the whole
// library, of a folder or of a sub-tab. It holds the token, a secret.
type FeedBase string

// Feed returns the address of the feed of the whole library. base is the URL of the
// main host without a trailing slash.
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
