package library

import "strings"

// Players that speak Xtream Codes ask for a server, a user name and a password in place of
// an address. The user name is the beginning of a feed token and the password the rest, so
// that a login is revoked with the token and nothing more is stored. Players show the user
// name on the screen: the 90 bits of the password alone cannot be guessed either.
//
//	k3m7q2x5             a whole library
//	k3m7q2x5-abcdefgh    a folder or a sub-tab, by the beginning of its id

// Paths at which players that speak Xtream Codes find a library below the server. Their
// names are those of the protocol.
const (
	PlayerPath = "/player_api.php" // what the library has, in JSON
	ListPath   = "/get.php"        // the playlist
	GuidePath  = "/xmltv.php"      // the programme guide
	LivePath   = "/" + liveSegment // streams, by user name, password and number
)

// liveSegment is the first segment of the addresses of streams.
const liveSegment = "live"

// Lengths of the parts of a login, in characters: of the token in the user name, and of
// the id of a folder or sub-tab after it. The ids of one library are too few for two with
// the same 40 bits.
const (
	userLen = 8
	partLen = 8
)

// LoginOf returns the user name and the password that open what a feed token opens. part is
// the id of a folder or a sub-tab, or the name that [ParseLogin] returned for it; empty for
// the whole library.
func LoginOf(token, part string) (username, password string) {
	if len(token) < userLen {
		return "", ""
	}
	username, password = token[:userLen], token[userLen:]
	if part != "" {
		username += "-" + partName(part)
	}
	return username, password
}

// partName returns the name of a folder or sub-tab in user names, from its id.
func partName(id string) string {
	if _, after, ok := strings.Cut(id, "_"); ok {
		id = after
	}
	return id[:min(len(id), partLen)]
}

// ParseLogin returns the feed token of a user name and a password, and the name of the
// folder or sub-tab that the user name is for; empty for the whole library. The token is
// empty when they are not a login. It takes capital letters for small ones, and ignores
// blanks around both: keyboards of TVs add them.
func ParseLogin(username, password string) (token, part string) {
	user, part, dashed := strings.Cut(strings.ToLower(strings.TrimSpace(username)), "-")
	if len(user) != userLen || dashed && len(part) != partLen {
		return "", ""
	}
	return user + strings.ToLower(strings.TrimSpace(password)), part
}

// Part returns the folder, or the sub-tab with its folder, that a user name is for.
func (l *Library) Part(name string) (c *Category, g *Group, ok bool) {
	for i := range l.Categories {
		c := &l.Categories[i]
		if partName(c.ID) == name {
			return c, nil, true
		}
		for k := range c.Groups {
			if partName(c.Groups[k].ID) == name {
				return c, &c.Groups[k], true
			}
		}
	}
	return nil, nil, false
}
