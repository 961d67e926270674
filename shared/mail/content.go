package mail

import (
	"math"
	"time"

	"miramundo.dev/shared/i18n"
)

// A Content is what a message says: one of the types below, and no other. Its
// texts are those of shared/i18n that begin with "mail." and its kind.
//
// Links are http or https URLs; any other makes the message fail. Text that
// people chose, such as names, may be anything.
type Content interface {
	// sheet returns the content with its texts in l.
	sheet(l i18n.Locale) sheet
}

// SignIn carries the proof that the recipient reads the address: a code and a
// link. The same mail goes to addresses with and without an account.
type SignIn struct {
	Code  string
	Link  string        // to the page where the sign-in is confirmed
	Holds time.Duration // how long the code and the link are valid
	From  Place         // where they were asked for
}

// ChangeEmail carries the code that proves the new address of an account. It goes
// to that address.
type ChangeEmail struct {
	Code  string
	Holds time.Duration
	From  Place
}

// EmailChanged says that the account has another address now. It goes to the
// previous one. It does not show the new address: that was chosen by the person
// who changed it, who may be an intruder.
type EmailChanged struct{ Event Event }

// PasswordChanged says that the password was changed, which ended the other
// sessions and the keys.
type PasswordChanged struct {
	Event    Event
	Security string // link to the account's page of security
}

// A Factor is a way to prove who signs in, as mails name it.
type Factor string

// The factors.
const (
	App      Factor = "app" // codes by time
	Passkey  Factor = "passkey"
	Password Factor = "password"
	Recovery Factor = "recovery" // recovery codes
)

// FactorAdded says that there is a new way to sign in, or a new second factor.
type FactorAdded struct {
	Factor   Factor
	Event    Event
	Security string
}

// FactorRemoved says that a way to sign in, or a second factor, is gone.
type FactorRemoved struct {
	Factor   Factor
	Event    Event
	Security string
}

// RecoveryUsed says that a recovery code was used in place of a second factor.
type RecoveryUsed struct {
	Left     int // how many codes are left
	Event    Event
	Security string
}

// NewDevice says that the account was signed in to on an unknown device.
type NewDevice struct {
	Event    Event
	Security string
}

// DeletionScheduled says when the account will be deleted, and how to keep it.
type DeletionScheduled struct {
	Day    string // YYYY-MM-DD
	SignIn string // link to the page where the recipient signs in
	Event  Event
}

// Deleted says that the account and everything in it is gone.
type Deleted struct{}

// A Role is what a member may do in an organization, as mails name it.
type Role string

// The roles.
const (
	Owner         Role = "owner"
	Administrator Role = "administrator"
	Member        Role = "member"
)

// Invitation invites the recipient to an organization. Both names are shown as
// harmless text: see [Harmless].
type Invitation struct {
	Organization string
	Inviter      string // display name of the member who invites
	Role         Role
	Link         string // to the page where the invitation is accepted
	Holds        time.Duration
}

// Contact carries a message from the contact form to the operator. The text is shown
// as a quotation: see [Quoted]. The name and the details are shown on one line each,
// as harmless text.
type Contact struct {
	Name    string
	Email   string // address that package address accepts
	Text    string
	Details []Detail
}

// TakedownReceived says that a takedown request or a counter-notice arrived, and
// carries the link to its status.
type TakedownReceived struct {
	Number int
	Link   string // with the secret of the request
}

// TakedownDecided carries what the operator answers to a takedown request or a
// counter-notice. The text is shown as a quotation: see [Quoted].
type TakedownDecided struct {
	Number int
	Text   string
	Link   string // with the secret of the request; empty to show none
}

// TakedownArrived tells the operator that a takedown request or a counter-notice waits.
type TakedownArrived struct {
	Number int
	Link   string // to the operator's page
}

// A Detail is a further field of a contact, by its name in the API.
type Detail struct{ Field, Value string }

// A sheet is the content of a mail, as both bodies show it from top to bottom.
type sheet struct {
	kind   string         // the texts of the mail begin with it
	fields map[string]any // of these texts
	text   string         // when it depends on a number; else it is the text of the kind
	code   string
	link   string
	action string // what the link does
	holds  string // how long the code or the link is valid
	event  Event
	note   string // key of the last paragraph; empty for none
	or     bool   // the text of kind.or stands between the code and the link
	rows   []string
	quote  string // what a person wrote
}

func (c SignIn) sheet(l i18n.Locale) sheet {
	return sheet{
		kind: "sign_in", code: c.Code, link: c.Link, action: "mail.sign_in.action", or: true,
		holds: l.N("mail.sign_in.hold", whole(c.Holds, time.Minute), nil), event: Event{Place: c.From}, note: "mail.sign_in.note",
	}
}

func (c ChangeEmail) sheet(l i18n.Locale) sheet {
	return sheet{
		kind: "change_email", code: c.Code, event: Event{Place: c.From}, note: "mail.change_email.note",
		holds: l.N("mail.change_email.hold", whole(c.Holds, time.Minute), nil),
	}
}

func (c EmailChanged) sheet(i18n.Locale) sheet {
	return sheet{kind: "email_changed", event: c.Event, note: "mail.email_changed.note"}
}

func (c PasswordChanged) sheet(i18n.Locale) sheet {
	return notice("password_changed", c.Event, c.Security)
}

func (c FactorAdded) sheet(l i18n.Locale) sheet {
	s := notice("factor_added", c.Event, c.Security)
	s.fields = map[string]any{"factor": l.T("mail.factor."+string(c.Factor), nil)}
	return s
}

func (c FactorRemoved) sheet(l i18n.Locale) sheet {
	s := notice("factor_removed", c.Event, c.Security)
	s.fields = map[string]any{"factor": l.T("mail.factor."+string(c.Factor), nil)}
	return s
}

func (c RecoveryUsed) sheet(l i18n.Locale) sheet {
	s := notice("recovery_used", c.Event, c.Security)
	s.text = l.N("mail.recovery_used.text", c.Left, nil)
	return s
}

func (c NewDevice) sheet(i18n.Locale) sheet { return notice("new_device", c.Event, c.Security) }

func (c DeletionScheduled) sheet(l i18n.Locale) sheet {
	return sheet{
		kind: "deletion_scheduled", fields: map[string]any{"day": l.Date(c.Day)}, link: c.SignIn,
		action: "mail.deletion_scheduled.action", event: c.Event, note: "mail.deletion_scheduled.note",
	}
}

func (c Deleted) sheet(i18n.Locale) sheet { return sheet{kind: "deleted"} }

func (c Invitation) sheet(l i18n.Locale) sheet {
	return sheet{
		kind: "invitation", link: c.Link, action: "mail.invitation.action", note: "mail.invitation.note",
		holds: l.N("mail.invitation.hold", whole(c.Holds, 24*time.Hour), nil),
		fields: map[string]any{
			"organization": Harmless(c.Organization), "inviter": Harmless(c.Inviter), "role": l.T("mail.role."+string(c.Role), nil),
		},
	}
}

func (c Contact) sheet(i18n.Locale) sheet {
	s := sheet{kind: "contact", quote: Quoted(c.Text), fields: map[string]any{"name": Harmless(c.Name), "email": c.Email}}
	for _, d := range c.Details {
		s.rows = append(s.rows, d.Field+": "+Harmless(d.Value))
	}
	return s
}

func (c TakedownReceived) sheet(i18n.Locale) sheet {
	return sheet{kind: "takedown_received", fields: map[string]any{"number": c.Number}, link: c.Link, action: "mail.takedown.action", note: "mail.takedown_received.note"}
}

func (c TakedownDecided) sheet(i18n.Locale) sheet {
	s := sheet{kind: "takedown_decided", fields: map[string]any{"number": c.Number}, quote: Quoted(c.Text), note: "mail.takedown_decided.note"}
	if c.Link != "" {
		s.link, s.action = c.Link, "mail.takedown.action"
	}
	return s
}

func (c TakedownArrived) sheet(i18n.Locale) sheet {
	return sheet{kind: "takedown_arrived", fields: map[string]any{"number": c.Number}, link: c.Link, action: "mail.takedown_arrived.action"}
}

// notice returns the sheet of a notice with a link to the page of security.
func notice(kind string, e Event, security string) sheet {
	return sheet{kind: kind, link: security, action: "mail.security.action", event: e, note: "mail.security.note"}
}

// whole returns d in units, rounded to the nearest one.
func whole(d, unit time.Duration) int { return int(math.Round(float64(d) / float64(unit))) }
