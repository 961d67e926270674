package compose

import "slices"

// A Need is a part of the service that a process opens when one of its
// functions declares it. The names appear in golden files and in infra.
type Need string

// The needs. What each of them opens, and what it costs a process, is said at
// the field of [Parts] that holds the part.
const (
	Documents  Need = "documents"  // the database
	Events     Need = "events"     // the bus, to publish to
	Catalog    Need = "catalog"    // the current release in memory, under the operator's blocks
	Overlays   Need = "overlays"   // probe results and logos, laid over the catalog
	Guide      Need = "guide"      // programmes in memory, laid over the catalog
	Social     Need = "social"     // the community counters of every channel in memory; beside Overlays, they are laid over the catalog too
	Companions Need = "companions" // the channels that people keep together
	Jobs       Need = "jobs"       // the runs of every job
	Mail       Need = "mail"       // the mails of accounts
	SignIn     Need = "signin"     // the ways from an address to a session
	Billing    Need = "billing"    // what takes payments
	Usage      Need = "usage"      // counts what the process answers, and publishes it
)

// implied are the needs that a need stands on.
var implied = map[Need][]Need{
	Catalog:    {Documents},
	Overlays:   {Documents, Catalog},
	Guide:      {Documents},
	Social:     {Documents},
	Companions: {Documents},
	Jobs:       {Documents, Events, Catalog, Social, Mail, Billing},
	SignIn:     {Documents, Mail},
	Billing:    {Documents},
	Usage:      {Events},
}

// Expand returns needs with the needs that they stand on, each once and in
// alphabetical order.
func Expand(needs ...Need) []Need {
	all := slices.Clone(needs)
	for _, n := range needs {
		all = append(all, implied[n]...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// settings are the settings that a process reads because of a need, by their
// names in the environment. The secrets that a function cannot work without are
// not among them: it declares these itself.
var settings = map[Need][]string{
	Documents: {"BACKEND", "DATA_DIR", "GOOGLE_CLOUD_PROJECT", "FIRESTORE_EMULATOR_HOST"},
	Events:    {"BACKEND", "DATA_DIR", "GOOGLE_CLOUD_PROJECT", "PUBSUB_EMULATOR_HOST"},
	Catalog:   {"BASE_URL", "HOP_URL", "LEGACY_URL"},
	Mail:      {"MAIL_SMTP", "MAIL_USER", "MAIL_PASSWORD", "MAIL_FROM", "MAIL_FOLDER", "MAIL_WORKERS", "CONTACT_EMAIL", "BASE_URL"},
	Billing:   {"PAYMENT_TO", "PAYMENT_NETWORK", "PAYMENT_FACILITATORS", "PAYMENT_RPC", "PAYMENT_FAUCET", "GUEST_KEYS", "BASE_URL", "HOP_URL"},
	Jobs:      {"CATALOG", "CATALOG_EXTRA", "IPTV_ORG_URL", "RADIO_BROWSER_URL", "GUIDE_SOURCES", "ORIGIN_ALLOW"},
}

// required are the settings without which a need cannot be opened; "A|B" asks for
// one of A and B.
var required = map[Need][]string{
	Mail: {"MAIL_SMTP|MAIL_FOLDER"},
}

// Settings returns the names of the settings that needs read, each once and in
// alphabetical order.
func Settings(needs ...Need) []string {
	var names []string
	for _, n := range Expand(needs...) {
		names = append(names, settings[n]...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
