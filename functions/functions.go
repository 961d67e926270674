// Package functions lists the functions that the service is deployed as.
//
// Each function answers for a group of endpoints. It is deployed on its own,
// from the same source, with its name as the entry point, and opens the parts
// that its entry in [All] declares and no other. What the deployment and the
// local stack must provide is computed from these entries.
package functions

import (
	"slices"
	"time"

	"miramundo.dev/functions/account"
	"miramundo.dev/functions/admin"
	"miramundo.dev/functions/aggregate"
	"miramundo.dev/functions/beacon"
	"miramundo.dev/functions/billing"
	"miramundo.dev/functions/catalog"
	"miramundo.dev/functions/changes"
	"miramundo.dev/functions/chat"
	"miramundo.dev/functions/claim"
	"miramundo.dev/functions/comments"
	"miramundo.dev/functions/contact"
	"miramundo.dev/functions/describe"
	"miramundo.dev/functions/facets"
	"miramundo.dev/functions/favorites"
	"miramundo.dev/functions/feeds"
	"miramundo.dev/functions/guest"
	"miramundo.dev/functions/history"
	"miramundo.dev/functions/jobs"
	"miramundo.dev/functions/legacy"
	"miramundo.dev/functions/library"
	"miramundo.dev/functions/mcp"
	"miramundo.dev/functions/media"
	"miramundo.dev/functions/moderation"
	"miramundo.dev/functions/radiobrowser"
	"miramundo.dev/functions/reports"
	"miramundo.dev/functions/status"
	"miramundo.dev/functions/takedown"
	"miramundo.dev/functions/vitrine"
	"miramundo.dev/functions/web"
	"miramundo.dev/shared/account/removal"
	"miramundo.dev/shared/api"
	till "miramundo.dev/shared/billing"
	"miramundo.dev/shared/catalog/dump"
	record "miramundo.dev/shared/catalog/history"
	"miramundo.dev/shared/catalog/reload"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/config"
	contacts "miramundo.dev/shared/contact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/fact/undelivered"
	"miramundo.dev/shared/guide/refresh"
	"miramundo.dev/shared/logo/fetch"
	"miramundo.dev/shared/probe/round"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/social/companion"
	"miramundo.dev/shared/social/counting"
	requests "miramundo.dev/shared/takedown"
	"miramundo.dev/shared/usage"
	visits "miramundo.dev/shared/visit"
	numbers "miramundo.dev/shared/vitrine"
	_ "miramundo.dev/shared/wire/cloud" // what is deployed keeps its documents in the cloud
)

// A Function is a group of endpoints, with what it needs and how its server is
// made.
type Function struct {
	compose.Process
	Endpoints []api.Endpoint
	Apart     bool          // stands on a host of its own, where its paths are no part of the API
	Uncounted bool          // its calls are not counted: counting them would cause further calls
	Surface   usage.Surface // as which its endpoints are counted
	New       func(*compose.Parts) (Server, error)
}

// All returns the functions of the service, in alphabetical order. It is a
// function and not a variable because one of them describes all of them.
func All() []Function {
	all := []Function{
		{Process: process("account", compose.SignIn), Endpoints: account.Endpoints, New: newAccount},
		{
			Process:   compose.Process{Name: "admin", Needs: needs(compose.Jobs), Secrets: []string{"GUEST_KEYS"}}, // which seal payments
			Endpoints: admin.Endpoints, New: newAdmin, Surface: usage.Internal,
		},
		{
			Process: compose.Process{
				Name: "aggregate", Needs: needs(compose.Documents, compose.Events), Secrets: []string{"EVENTS_TOKEN"}, Receives: subscriptions(),
			},
			Endpoints: aggregate.Endpoints, New: newAggregate, Apart: true, Uncounted: true,
		},
		{Process: process("beacon", compose.Usage), Endpoints: beacon.Endpoints, New: newBeacon},
		{
			Process:   compose.Process{Name: "billing", Needs: needs(compose.Billing), Settings: []string{"HOP_FREE_MINUTES"}},
			Endpoints: billing.Endpoints, New: newBilling,
		},
		{Process: process("catalog", compose.Catalog, compose.Overlays, compose.Guide, compose.Social, compose.Companions), Endpoints: catalog.Endpoints, New: newCatalog},
		{
			Process: compose.Process{
				Name: "changes", Needs: needs(compose.Documents, compose.Catalog),
				Schedules: []compose.Schedule{
					{Job: record.Name, Every: 15 * time.Minute, New: (*compose.Parts).ChangesJob},
					{Job: dump.Name, Every: 24 * time.Hour, New: (*compose.Parts).DumpJob},
				},
			},
			Endpoints: changes.Endpoints, New: newChanges,
		},
		{
			Process: compose.Process{
				Name: "chat", Needs: needs(compose.Billing, compose.Catalog), Secrets: []string{"PEOPLE_KEYS"}, // which names networks
			},
			Endpoints: chat.Endpoints, New: newChat, Surface: usage.Chat,
		},
		{Process: process("claim", compose.Catalog), Endpoints: claim.Endpoints, New: newClaim},
		{
			Process: compose.Process{
				Name: "comments", Needs: needs(compose.Events, compose.Catalog), Secrets: []string{"PEOPLE_KEYS"}, // which names networks
				Publishes: []string{social.Comments},
			},
			Endpoints: comments.Endpoints, New: newComments,
		},
		{
			Process: compose.Process{
				Name: "contact", Needs: needs(compose.Events, compose.Mail, compose.Billing),
				Secrets:  []string{"ACCOUNT_KEYS", "GUEST_KEYS", "PEOPLE_KEYS"}, // for limits, stored messages and visits
				Settings: []string{"HUMAN_VERIFY_URL", "HUMAN_SECRET"}, Publishes: []string{visits.Topic},
				Schedules: []compose.Schedule{{Job: contacts.Job, Every: 5 * time.Minute, New: (*compose.Parts).ContactsJob}},
			},
			Endpoints: contact.Endpoints, New: newContact,
		},
		{
			Process:   compose.Process{Name: "describe", Settings: []string{"CONTACT_EMAIL", "HOP_FREE_MINUTES", "MCP_REGISTRY_KEY", "PAYMENT_TO"}},
			Endpoints: describe.Endpoints, New: newDescribe, Surface: usage.Documents,
		},
		{Process: process("facets", compose.Catalog, compose.Overlays), Endpoints: facets.Endpoints, New: newFacets},
		{
			Process: compose.Process{
				Name: "favorites", Needs: needs(compose.Events, compose.Catalog, compose.Overlays, compose.Social),
				Secrets:   []string{"PEOPLE_KEYS"}, // which name networks
				Publishes: []string{social.Favorites},
			},
			Endpoints: favorites.Endpoints, New: newFavorites,
		},
		{
			Process: compose.Process{
				Name: "feeds", Needs: needs(compose.Catalog, compose.Overlays, compose.Guide), Secrets: []string{"GUEST_KEYS"}, // which seal feed tokens
			},
			Endpoints: feeds.Endpoints, New: newFeeds, Surface: usage.Feeds,
		},
		{
			Process:   compose.Process{Name: "guest", Secrets: []string{"GUEST_KEYS"}, Settings: []string{"GUEST_BURST"}},
			Endpoints: guest.Endpoints, New: newGuest,
		},
		{Process: process("history", compose.Catalog, compose.Overlays), Endpoints: history.Endpoints, New: newHistory},
		{
			Process: compose.Process{
				Name: "jobs", Needs: needs(compose.Jobs), Secrets: []string{"GUEST_KEYS", "JOBS_AUDIENCE|JOBS_TOKEN"}, Settings: []string{"JOBS_CALLER"},
				Schedules: schedules,
			},
			Endpoints: jobs.Endpoints, New: newJobs, Apart: true, Surface: usage.Internal,
		},
		{Process: process("legacy"), Endpoints: legacy.Endpoints, New: newLegacy, Surface: usage.Site, Apart: true},
		{Process: process("library", compose.Catalog, compose.Overlays), Endpoints: library.Endpoints, New: newLibrary},
		{Process: process("mcp"), Endpoints: mcp.Endpoints, New: newMCP, Surface: usage.MCP}, // with what its tools need; see tools.go
		{Process: process("media", compose.Catalog, compose.Overlays), Endpoints: media.Endpoints, New: newMedia, Surface: usage.Files},
		{
			Process:   compose.Process{Name: "moderation", Needs: needs(compose.Documents, compose.Events), Publishes: []string{social.Comments}},
			Endpoints: moderation.Endpoints, New: newModeration, Surface: usage.Internal,
		},
		{
			Process: compose.Process{
				Name: "radiobrowser", Needs: needs(compose.Events, compose.Catalog, compose.Overlays),
				Secrets:   []string{"PEOPLE_KEYS"}, // which name who plays
				Publishes: []string{social.Plays},
			},
			Endpoints: radiobrowser.Endpoints, New: newRadioBrowser, Surface: usage.Feeds,
		},
		{
			Process: compose.Process{
				Name: "reports", Needs: needs(compose.Events, compose.Catalog, compose.Overlays, compose.Social),
				Secrets:   []string{"PEOPLE_KEYS"}, // which name networks
				Publishes: []string{social.Reports},
			},
			Endpoints: reports.Endpoints, New: newReports,
		},
		{Process: process("status", compose.Catalog, compose.Guide), Endpoints: status.Endpoints, New: newStatus, Surface: usage.Internal},
		{
			Process: compose.Process{
				Name: "takedown", Needs: needs(compose.Documents, compose.Catalog, compose.Mail),
				Secrets:   []string{"ACCOUNT_KEYS", "GUEST_KEYS"}, // for limits and stored requests
				Settings:  []string{"HUMAN_VERIFY_URL", "HUMAN_SECRET"},
				Schedules: []compose.Schedule{{Job: requests.Job, Every: 5 * time.Minute, New: (*compose.Parts).TakedownsJob}},
			},
			Endpoints: takedown.Endpoints, New: newTakedown,
		},
		{
			Process: compose.Process{
				Name: "vitrine", Needs: needs(compose.Documents),
				Schedules: []compose.Schedule{{Job: numbers.Job, Every: time.Hour, New: newNumbersJob}},
			},
			Endpoints: vitrine.Endpoints, New: newVitrine,
		},
		{
			Process: compose.Process{
				Name: "web", Needs: needs(compose.Catalog, compose.Overlays, compose.Guide, compose.Companions, compose.Social, compose.SignIn),
				Secrets: []string{"ACCOUNT_KEYS"}, Settings: []string{"CONTACT_EMAIL", "HUMAN_SITE_KEY", "HUMAN_SCRIPT"},
			},
			Endpoints: web.Endpoints, New: newWeb,
		},
	}
	equipTools(all)
	return all
}

// schedules are the jobs of the catalog, of what is counted, deleted and paid, which
// belong to no function but jobs. A function with a job of its own declares that in its
// entry.
var schedules = []compose.Schedule{
	{Job: reload.Name, Every: 6 * time.Hour, New: (*compose.Parts).ReloadJob},
	{Job: refresh.Name, Every: time.Hour, New: (*compose.Parts).GuideJob},
	{Job: fetch.Name, Every: time.Hour, New: (*compose.Parts).LogosJob},
	{Job: round.Name, Every: 5 * time.Minute, New: (*compose.Parts).ProbeJob},
	{Job: outbox.Job, Every: 5 * time.Minute, New: (*compose.Parts).OutboxJob},
	{Job: undelivered.Job, Every: 6 * time.Hour, New: newReplayJob},
	{Job: counting.Job, Every: 5 * time.Minute, New: (*compose.Parts).CountsJob},
	{Job: companion.Job, Every: 24 * time.Hour, New: (*compose.Parts).CompanionsJob},
	{Job: removal.Job, Every: time.Hour, New: (*compose.Parts).RemovalsJob},
	{Job: till.Job, Every: time.Minute, New: (*compose.Parts).PaymentsJob},
}

// process returns the declaration of a function that needs parts and nothing
// else.
func process(name string, all ...compose.Need) compose.Process {
	return compose.Process{Name: name, Needs: all}
}

func needs(all ...compose.Need) []compose.Need { return all }

// Find returns the function with a name, and whether there is one.
func Find(name string) (Function, bool) {
	all := All()
	i := slices.IndexFunc(all, func(f Function) bool { return f.Name == name })
	if i < 0 {
		return Function{}, false
	}
	return all[i], true
}

// Declared returns the Process of f, completed by what its needs and endpoints
// imply: the topics of the events that jobs send, what counts the calls of a
// function whose calls are counted, the key that names the visitors of pages, the keys
// and tokens that verify the credentials that endpoints ask for, and the database,
// since an old guest token is valid only while its owner has something there, and
// since instances share budgets there.
func (f Function) Declared() compose.Process {
	p := f.Process
	if slices.Contains(p.Needs, compose.Jobs) { // the outbox holds events of every topic
		p.Publishes = subscriptions()
	}
	p.Needs, p.Secrets, p.Settings = slices.Clone(p.Needs), slices.Clone(p.Secrets), slices.Clone(p.Settings)
	if !f.Uncounted {
		p.Needs = append(p.Needs, compose.Usage)
		p.Publishes = append(slices.Clip(p.Publishes), usage.Topic)
		slices.Sort(p.Publishes)
		p.Publishes = slices.Compact(p.Publishes)
	}
	for _, e := range f.Endpoints {
		if e.Page {
			p.Secrets = append(p.Secrets, "PEOPLE_KEYS")
		}
		if e.Budget != nil {
			p.Settings = append(p.Settings, "BUDGET_FACTOR")
		}
		if e.Budget.Shared() {
			p.Needs = append(p.Needs, compose.Documents)
			p.Secrets = append(p.Secrets, "GUEST_KEYS") // which name the documents of budgets
		}
		switch {
		case e.Auth == api.Operator:
			p.Secrets = append(p.Secrets, e.Credential)
		case e.Credential != "": // without the token, operators get no more than others
			p.Settings = append(p.Settings, e.Credential)
		case e.Auth != api.None || e.Speaker:
			p.Needs = append(p.Needs, compose.Documents)
			p.Secrets = append(p.Secrets, "GUEST_KEYS", "ACCOUNT_KEYS")
		}
	}
	slices.Sort(p.Secrets)
	slices.Sort(p.Settings)
	p.Secrets, p.Settings = slices.Compact(p.Secrets), slices.Compact(p.Settings)
	return p
}

// Requirement returns the settings without which f refuses to start.
func (f Function) Requirement() config.Requirement {
	r := f.Declared().Requirement()
	r.Process = "the function " + f.Name
	return r
}

// Processes returns what each function declares, for a process that serves them
// all.
func Processes() []compose.Process {
	var all []compose.Process
	for _, f := range All() {
		all = append(all, f.Declared())
	}
	return all
}

// Schedules returns the jobs of all functions, which the functions jobs and admin
// run.
func Schedules() []compose.Schedule {
	var all []compose.Schedule
	for _, f := range All() {
		all = append(all, f.Schedules...)
	}
	return all
}

// OperatorTokens returns the names of the operator's tokens that endpoints ask
// for, each once and in alphabetical order.
func OperatorTokens() []string {
	var names []string
	for _, f := range All() {
		for _, e := range f.Endpoints {
			if e.Auth == api.Operator {
				names = append(names, e.Credential)
			}
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// together returns the functions that share the main host.
func together() []Function {
	return slices.DeleteFunc(All(), func(f Function) bool { return f.Apart })
}

// Table lists the endpoints of the main host, without the pages for people.
func Table() []api.Endpoint {
	var table []api.Endpoint
	for _, f := range together() {
		table = slices.Concat(table, f.Endpoints)
	}
	return slices.DeleteFunc(table, func(e api.Endpoint) bool { return e.Page })
}

// subscriptions lists the subscriptions of every topic, in alphabetical order.
func subscriptions() []string {
	var all []string
	for _, of := range Topology() {
		all = append(all, of...)
	}
	slices.Sort(all)
	return all
}
