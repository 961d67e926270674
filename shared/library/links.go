package library

import "net/url"

// FeedsPath is the path of all feeds, before their tokens.
const FeedsPath = "/f/"

// PublicPath is the path of public libraries, with their feeds, before their names.
const PublicPath = "/l/"

// Formats are the formats of feeds, which are the endings of their addresses.
var Formats = []string{"m3u", "m3u8", "json", "xspf"}

// A FeedBase is the address of a feed without its ending: of the whole
// library, of a folder or of a sub-tab. It holds the token, a secret, or the name of a
// public library.
type FeedBase string

// Feed returns the address of the feed of the whole library. base is the URL of the
// main host without a trailing slash.
func (l *Library) Feed(base string) FeedBase {
	return l.feed(base, "library")
}

// CategoryFeed returns the address of the feed of the folder c.
func (l *Library) CategoryFeed(base string, c *Category) FeedBase {
	if l.Public != "" {
		return l.feed(base, c.Slug)
	}
	return l.feed(base, "c", c.Slug)
}

// GroupFeed returns the address of the feed of the sub-tab g of the folder c.
func (l *Library) GroupFeed(base string, c *Category, g *Group) FeedBase {
	return l.feed(base, "c", c.Slug, "g", g.Slug)
}

// feed returns the address of a feed from the segments of its path after the token.
func (l *Library) feed(base string, segments ...string) FeedBase {
	address := base + FeedsPath + l.Token
	if l.Public != "" {
		address = base + PublicPath + l.Public
	}
	for _, segment := range segments {
		address += "/" + url.PathEscape(segment)
	}
	return FeedBase(address)
}

// As returns the address in a format.
func (f FeedBase) As(format string) string { return string(f) + "." + format }
