package functions

import (
	"context"

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
	"miramundo.dev/functions/media"
	"miramundo.dev/functions/moderation"
	"miramundo.dev/functions/radiobrowser"
	"miramundo.dev/functions/reports"
	"miramundo.dev/functions/status"
	"miramundo.dev/functions/takedown"
	"miramundo.dev/functions/vitrine"
	"miramundo.dev/functions/web"
	"miramundo.dev/shared/clienterror"
	"miramundo.dev/shared/compose"
	"miramundo.dev/shared/guide/pin"
	"miramundo.dev/shared/logo"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/price/quota"
	"miramundo.dev/shared/social/comment"
	numbers "miramundo.dev/shared/vitrine"
)

// Each constructor below makes the server of one function from the parts that
// the function needs. The others are nil.

func newAccount(p *compose.Parts) (Server, error) {
	passkeys, err := p.Passkeys()
	if err != nil {
		return Server{}, err
	}
	return one(account.New(account.Options{
		DB: p.DB, Access: p.Access, Pages: p.Pages(), SignIn: p.SignIn, Passkeys: passkeys, Challenges: p.Challenges(),
		Throttle: p.Throttle(), Links: p.DeviceLinks(), Removals: p.Removals(), Mail: p.Mail, Base: p.Config.BaseURL, Now: p.Now,
	}), account.Endpoints)
}

func newAdmin(p *compose.Parts) (Server, error) {
	sources, err := p.GuideSources()
	if err != nil {
		return Server{}, err
	}
	o := admin.Options{Archive: p.Archive, Live: p.Catalog, Blocks: p.Blocks, Pins: pin.NewList(p.DB), DB: p.DB, Access: p.Access, Jobs: p.Jobs, Now: p.Now}
	o.Events = eventDesk(p)
	for _, s := range sources {
		o.Guides = append(o.Guides, s.Name)
	}
	for _, s := range Schedules() {
		o.Schedules = append(o.Schedules, admin.Schedule{Job: s.Job, Every: s.Every})
	}
	return one(admin.New(o), admin.Endpoints)
}

// newAggregate makes the server of pushed events. A job shows what they change.
func newAggregate(p *compose.Parts) (Server, error) {
	return one(aggregate.New(counters(p, true), p.Bus, p.Trace), aggregate.Endpoints)
}

// newBeacon makes the server of the errors of pages, which are counted by their codes.
// What was reported in the last minute is logged when the process ends.
func newBeacon(p *compose.Parts) (Server, error) {
	count := func(code string) { p.Usage.Add(clienterror.Family, code) }
	merger := clienterror.NewMerger(clienterror.Options{Log: p.Log, Now: p.Now, Counted: count})
	p.AtClose(func() error { merger.Flush(); return nil })
	return one(beacon.New(merger), beacon.Endpoints)
}

func newBilling(p *compose.Parts) (Server, error) {
	payment := billing.Payment{Faucet: p.Config.PaymentFaucet, Dev: !p.Config.Production()}
	if all := p.Config.PaymentFacilitators; len(all) > 0 {
		payment.Facilitator = all[0]
	}
	return one(billing.New(billing.Options{
		DB: p.DB, Till: p.Till, Keys: p.Config.GuestKeys, Payment: payment, Quota: quotaOf(p), Table: Table(),
		Base: p.Config.BaseURL, Hop: p.Config.HopURL, Now: p.Now,
	}), billing.Endpoints)
}

func newCatalog(p *compose.Parts) (Server, error) {
	return one(catalog.New(catalog.Options{
		Catalog: p.Catalog, DB: p.DB, Overlay: p.Social, Guide: p.Guide, Playing: p.NowPlaying(), Companions: p.Companions,
		Links: p.Links(), Now: p.Now, Build: p.Config.Build,
	}), catalog.Endpoints)
}

func newChanges(p *compose.Parts) (Server, error) {
	return one(changes.New(changes.Options{DB: p.DB, Catalog: p.Catalog, Links: p.Links(), Now: p.Now}), changes.Endpoints)
}

func newChat(p *compose.Parts) (Server, error) {
	return one(chat.New(chat.Options{DB: p.DB, Till: p.Till, Catalog: p.Catalog, Links: p.Links(), People: p.People(), Now: p.Now}), chat.Endpoints)
}

func newClaim(p *compose.Parts) (Server, error) {
	return one(claim.New(claim.Options{DB: p.DB, Guests: p.Guests(), Catalog: p.Catalog, Now: p.Now}), claim.Endpoints)
}

func newComments(p *compose.Parts) (Server, error) {
	return one(comments.New(comments.Options{
		DB: p.DB, Outbox: p.Outbox(), Catalog: p.Catalog, Links: p.Links(), People: p.People(), Now: p.Now,
	}), comments.Endpoints)
}

func newContact(p *compose.Parts) (Server, error) {
	return one(contact.New(contact.Options{
		DB: p.DB, Desk: p.Desk(), Till: p.Till, Humans: p.Humans(), Throttle: p.Throttle(), Visits: p.Visits(), Pages: p.Pages(),
		Base: p.Config.BaseURL, PayTo: p.Config.PaymentTo, Now: p.Now,
	}), contact.Endpoints)
}

func newDescribe(p *compose.Parts) (Server, error) {
	return one(describe.New(describe.Options{
		Table: Table(), Build: p.Config.Build, BaseURL: p.Config.BaseURL, Email: p.Config.ContactEmail, RegistryKey: p.Config.RegistryKey,
		Quota: quotaOf(p), Now: p.Now, Lazy: p.Lazy,
	}), describe.Endpoints)
}

// quotaOf returns what the free quota of the service depends on.
func quotaOf(p *compose.Parts) quota.Options {
	return quota.Options{
		FreeMinutes: p.Config.FreeMinutes, Comments: comment.PerHour, Sells: p.Config.PaymentTo != "", Base: p.Config.BaseURL,
	}
}

func newFacets(p *compose.Parts) (Server, error) {
	return one(facets.New(p.Catalog), facets.Endpoints)
}

func newFavorites(p *compose.Parts) (Server, error) {
	return one(favorites.New(favorites.Options{
		DB: p.DB, Outbox: p.Outbox(), Overlay: p.Social, People: p.People(),
		Catalog: p.Catalog, Links: p.Links(), Now: p.Now,
	}), favorites.Endpoints)
}

func newFeeds(p *compose.Parts) (Server, error) {
	return one(feeds.New(p.DB, p.Catalog, p.Guide, p.Now), feeds.Endpoints)
}

func newGuest(p *compose.Parts) (Server, error) {
	return one(guest.New(p.Guests()), guest.Endpoints)
}

func newHistory(p *compose.Parts) (Server, error) {
	return one(history.New(p.DB, p.Catalog, p.Links(), p.Now), history.Endpoints)
}

// newJobs makes the server of the scheduler's calls. The token of a local
// installation is accepted where no scheduler is named.
func newJobs(p *compose.Parts) (Server, error) {
	verify := jobs.Token()
	if p.Config.JobsAudience != "" {
		var err error
		if verify, err = jobs.OIDC(p.Config.JobsAudience, p.Config.JobsCaller, nil); err != nil {
			return Server{}, err
		}
	}
	return one(jobs.New(p.Jobs, verify), jobs.Endpoints)
}

func newLegacy(p *compose.Parts) (Server, error) {
	return one(legacy.New(p.Config.BaseURL), legacy.Endpoints)
}

func newLibrary(p *compose.Parts) (Server, error) {
	return one(library.New(p.DB, p.Catalog, p.Links(), p.Now), library.Endpoints)
}

// newMedia makes the server of images, which hides the logos of channels that
// are blocked.
func newMedia(p *compose.Parts) (Server, error) {
	hidden := func(logo string) bool {
		v, err := p.Catalog.View()
		return err == nil && v.Hidden(logo)
	}
	return one(media.New(p.DB, p.Config.HopURL).Hide(hidden), media.Endpoints)
}

func newModeration(p *compose.Parts) (Server, error) {
	moderator := act.New(act.Options{DB: p.DB, Outbox: p.Outbox(), Now: p.Now})
	return one(moderation.New(moderation.Options{Moderator: moderator, DB: p.DB, Base: p.Config.BaseURL}), moderation.Endpoints)
}

func newRadioBrowser(p *compose.Parts) (Server, error) {
	return one(radiobrowser.New(radiobrowser.Options{
		Catalog: p.Catalog, Bus: p.Bus, People: p.People(), Log: p.Log, Base: p.Config.BaseURL, Now: p.Now,
	}), radiobrowser.Endpoints)
}

func newReports(p *compose.Parts) (Server, error) {
	return one(reports.New(reports.Options{
		Outbox: p.Outbox(), Catalog: p.Catalog, Overlay: p.Social, People: p.People(),
		BaseURL: p.Config.BaseURL, Now: p.Now,
	}), reports.Endpoints)
}

func newStatus(p *compose.Parts) (Server, error) {
	return one(status.New(status.Options{State: p.Catalog, Guides: p.Guide, Followers: p.Followers, Build: p.Config.Build, Now: p.Now}), status.Endpoints)
}

func newTakedown(p *compose.Parts) (Server, error) {
	return one(takedown.New(takedown.Options{
		DB: p.DB, Desk: p.Takedowns(), Catalog: p.Catalog, Refresh: p.Catalog.Refresh, Humans: p.Humans(), Throttle: p.Throttle(),
		Base: p.Config.BaseURL, Now: p.Now,
	}), takedown.Endpoints)
}

func newVitrine(p *compose.Parts) (Server, error) {
	return one(vitrine.New(p.DB, p.Now), vitrine.Endpoints)
}

func newWeb(p *compose.Parts) (Server, error) {
	s := web.New(web.Options{
		Catalog: p.Catalog, Guides: p.Guide, Social: p.Social, Links: p.Links(), Contact: p.Config.ContactEmail, Widget: p.Widget(), Table: Table(), Now: p.Now,
		Numbers: numbers.NewReader(p.DB, p.Now), Companions: p.Companions, Takedowns: p.Takedowns(),
		DB: p.DB, Access: p.Access, Tokens: p.Pages(), SignIn: p.SignIn, Removals: p.Removals(), Throttle: p.Throttle(),
		Devices: p.DeviceLinks(), Mail: p.Mail,
		Logos: func(ctx context.Context, id string) (*logo.Image, error) { return logo.Get(ctx, p.DB, id) },
	})
	return Server{Groups: s.Groups(), FaultPage: s.FaultPage}, nil
}
