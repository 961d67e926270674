package catalog

// A Gone is a channel or station that the register has a name for but does not
// show. It answers callers that still have its id, and searches for its name.
// The register never has one for an adult channel.
type Gone struct {
	ID         string
	Kind       Kind
	Name       string
	AltNames   []string
	Country    string // ISO 3166-1 alpha-2
	Reason     string // GoneClosed or another of the reasons
	Since      string // YYYY-MM-DD; empty when the source gives no full date
	ReplacedBy string // id of a record, or of another Gone of the register; empty for none
}

// The reasons for a channel to be gone.
const (
	GoneClosed   = "closed"   // its source says that it ended
	GoneBlocked  = "blocked"  // its source says that it must not be shown
	GoneVanished = "vanished" // an earlier register had it, and its source no longer lists it
)

// A GoneChannel is a channel that the catalog does not show, as the interface
// shows it to callers that still have its id.
type GoneChannel struct {
	ChannelID  string  `json:"channel_id"`
	Name       *string `json:"name" description:"Its last name; null when it is not known."`
	Country    *string `json:"country" description:"ISO 3166-1 alpha-2."`
	Kind       string  `json:"kind" enum:"tv,radio"`
	Reason     string  `json:"reason" enum:"closed,blocked,vanished" description:"closed: it ended. blocked: it may not be shown. vanished: the sources no longer list it."`
	Since      *string `json:"since" format:"date" description:"Day on which it closed or vanished; null when not known."`
	ReplacedBy *string `json:"replaced_by" description:"Id of a channel of the catalog that replaced it; null for none."`
}
