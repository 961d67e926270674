package usage

// A Surface is a way in which the service is used.
type Surface uint8

// The surfaces. Calls of Files and Internal are counted by route alone.
const (
	API       Surface = iota // the JSON API
	Site                     // pages
	MCP                      // the Model Context Protocol
	Feeds                    // playlists
	Hop                      // playlists of streams
	Chat                     // chat rooms
	Documents                // descriptions for programs, such as llms.txt
	Files                    // what pages load: scripts, styles, pictures
	Internal                 // probes of the platform, reports of pages, and the operator's calls
	surfaces                 // how many there are
)

var surfaceNames = [surfaces]string{"api", "site", "mcp", "feeds", "hop", "chat", "documents", "files", "internal"}

// String returns the name of a surface, as it is stored.
func (s Surface) String() string { return surfaceNames[s] }

// IsUse reports whether calls of s are use of the service by somebody.
func (s Surface) IsUse() bool { return s < Files }

// Uses returns the surfaces whose calls are use of the service by somebody.
func Uses() (all []Surface) {
	for s := range surfaces {
		if s.IsUse() {
			all = append(all, s)
		}
	}
	return all
}
