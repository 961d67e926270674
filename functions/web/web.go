// Package web is the function that serves the pages that visitors see, in each
// locale.
//
// A page is complete without a script: the server renders it from the catalog in
// memory, and the script makes it quicker to use. A page is the same for every
// visitor, so that shared caches may keep it; the script requests from the API
// whatever depends on the visitor. The pages of accounts alone are rendered for one
// visitor, from the database, and no cache keeps them.
//
// A request reads one view of the catalog, at its beginning, and renders the whole
// page from it. A release that is loaded meanwhile changes the next request and
// never mixes with this one. Rendering these pages does no I/O; only a channel's preview
// picture reads a logo from storage.
//
//	page/       what all pages have: layout, head, security policy, assets
//	part/       cards and chips, the parts that pages show by the dozen
//	list/       the start, searches, countries
//	explore/    the globe, genres and categories
//	city/       the radio stations of a city
//	channel/    the page of a channel
//	library/    the shells of library, favorites and history
//	prose/      instructions and credits
//	contact/    the form to the operator, and the offers to partners and producers
//	purchases/  the shell of passes and credit
//	reference/  the reference of the API, for developers
//	build/      examples of how to use the API
//	numbers/    how much the service is used
//	public/     public libraries
//	takedown/   the form of rights holders, and the log of what they asked for
//	signin/     signing in
//	account/    the visitor's account
//	security/   how the visitor signs in
//	organization/  organizations, and joining one
//	device/     signing in another device
//	private/    what the pages about one visitor have: session, forms, no cache
//	moderation/ what visitors reported, for the operator
//	operator/   the state of the service, for the operator
//	offline/    the service worker, and what it shows without a network
//	sitefiles/  robots.txt, site maps, app manifest, icons, pictures of links
//	app/        the scripts, in TypeScript
//	style/      the styles; tokens.css has every colour and measure
//	templates/  the HTML; its texts are in package i18n
//	static/     what the build makes of scripts and styles
package web

import (
	"slices"
	"time"

	"miramundo.dev/functions/web/account"
	"miramundo.dev/functions/web/build"
	"miramundo.dev/functions/web/channel"
	"miramundo.dev/functions/web/city"
	"miramundo.dev/functions/web/contact"
	"miramundo.dev/functions/web/device"
	"miramundo.dev/functions/web/explore"
	"miramundo.dev/functions/web/library"
	"miramundo.dev/functions/web/list"
	"miramundo.dev/functions/web/moderation"
	"miramundo.dev/functions/web/numbers"
	"miramundo.dev/functions/web/offline"
	"miramundo.dev/functions/web/operator"
	"miramundo.dev/functions/web/organization"
	"miramundo.dev/functions/web/page"
	"miramundo.dev/functions/web/private"
	"miramundo.dev/functions/web/prose"
	"miramundo.dev/functions/web/public"
	"miramundo.dev/functions/web/purchases"
	"miramundo.dev/functions/web/reference"
	"miramundo.dev/functions/web/security"
	"miramundo.dev/functions/web/signin"
	"miramundo.dev/functions/web/sitefiles"
	"miramundo.dev/functions/web/takedown"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/devicelink"
	organizations "miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/removal"
	shared "miramundo.dev/shared/account/signin"
	"miramundo.dev/shared/account/throttle"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/api/request"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/catalog/index"
	"miramundo.dev/shared/catalog/similar"
	"miramundo.dev/shared/cities"
	"miramundo.dev/shared/guide"
	"miramundo.dev/shared/human"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/social"
	"miramundo.dev/shared/store"
	"miramundo.dev/shared/vitrine"
	"miramundo.dev/shared/works"
)

// Endpoints are the pages, each at its path in every locale, and the files that
// belong to them.
var Endpoints = slices.Concat(
	list.Endpoints, explore.Endpoints, city.Endpoints, channel.Endpoints, library.Endpoints, prose.Endpoints, contact.Endpoints, purchases.Endpoints, reference.Endpoints, build.Endpoints, numbers.Endpoints, public.Endpoints, takedown.Endpoints, signin.Endpoints, account.Endpoints, security.Endpoints,
	organization.Endpoints, device.Endpoints, moderation.Endpoints, operator.Endpoints, page.Files, page.Unprefixed, offline.Endpoints, sitefiles.Endpoints,
)

// A Viewer provides the catalog that is current at the time of the call. Its
// methods may be called concurrently.
type Viewer interface {
	index.DatedViewer

	// Sources returns the state of the sources of the current release.
	Sources() []catalog.Source
}

// Options are what a Server needs.
type Options struct {
	Catalog    Viewer
	Guides     *guide.Live        // nil to render pages without programmes
	Social     *social.Overlay    // by which lists say what plays in a country; nil when nobody reported anything
	Companions similar.Companions // the channels that people keep together; nil for none
	Logos      sitefiles.Logos    // nil to draw preview pictures without logos
	Links      catalog.LinkBase   // base URLs of the service, the hop and the legacy player
	Contact    string             // mail address for complaints and questions; empty to name none
	Widget     human.Widget       // challenge of the contact form; zero where people cannot send it
	Table      []api.Endpoint     // the endpoints of every function, which the reference lists
	Numbers    *vitrine.Reader    // nil to show no numbers
	Takedowns  takedown.Log       // nil to show an empty log
	Now        func() time.Time   // the clock, which tests replace

	// What the pages of accounts need. Without a database they answer a failure.
	DB     store.DB
	Access *access.Checker // recognizes sessions
	Tokens *identity.Pages // recognizes the forms of our own pages
	SignIn *shared.Service

	Removals *removal.Removals
	Throttle *throttle.Throttle
	Devices  *devicelink.Links
	Mail     mail.Sender
}

// A Server serves the pages. It may be used concurrently, and it holds nothing
// that must be closed.
type Server struct {
	catalog    index.Viewer
	pages      *page.Renderer
	lists      *list.Server
	explorer   *explore.Server
	cities     *city.Server
	channels   *channel.Server
	libraries  *library.Server
	prose      *prose.Server
	contact    *contact.Server
	purchases  *purchases.Server
	reference  *reference.Server
	build      *build.Server
	numbers    *numbers.Server
	public     *public.Server
	takedown   *takedown.Server
	signIn     *signin.Server
	accounts   *account.Server
	security   *security.Server
	groups     *organization.Server
	devices    *device.Server
	moderation *moderation.Server
	operator   *operator.Server
	offline    *offline.Server
	files      *sitefiles.Server
}

// New returns a server of the pages. It panics when the built files cannot be
// parsed; without built files it serves pages that lack styles and scripts.
func New(o Options) *Server {
	pages := page.NewRenderer(o.Links)
	atlas := cities.New(func() []byte { return pages.Data("cities.tsv") })
	visits := private.New(private.Options{Pages: pages, DB: o.DB, Access: o.Access, Tokens: o.Tokens, Now: o.Now})
	groups := organizations.On(o.DB, o.Access.Learn, o.Now)
	return &Server{
		catalog: o.Catalog, pages: pages,
		lists:     list.New(list.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Works: works.New(o.Social, o.Now), Cities: atlas, Now: o.Now}),
		explorer:  explore.New(explore.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Cities: atlas, Now: o.Now}),
		cities:    city.New(city.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Cities: atlas, Now: o.Now}),
		channels:  channel.New(channel.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, Companions: o.Companions, Now: o.Now}),
		libraries: library.New(pages),
		prose:     prose.New(prose.Options{Pages: pages, Sources: o.Catalog, Catalog: o.Catalog, Guides: o.Guides, Base: o.Links.Base, Contact: o.Contact}),
		purchases: purchases.New(pages),
		reference: reference.New(pages, o.Table),
		build:     build.New(pages, o.Links.Base, o.Table),
		numbers:   numbers.New(pages, o.Numbers, o.Now),
		public:    public.New(public.Options{Pages: pages, Catalog: o.Catalog, Guides: o.Guides, DB: o.DB, Now: o.Now}),
		takedown:  takedown.New(takedown.Options{Pages: pages, Log: o.Takedowns, Widget: o.Widget, Email: o.Contact}),
		contact:   contact.New(contact.Options{Pages: pages, Widget: o.Widget, Email: o.Contact}),
		signIn:    signin.New(signin.Options{Private: visits, Service: o.SignIn}),
		accounts:  account.New(account.Options{Private: visits, Removals: o.Removals, Throttle: o.Throttle}),
		security:  security.New(security.Options{Private: visits, Service: o.SignIn}),
		groups: organization.New(organization.Options{
			Private: visits, Organizations: groups,
			Post: &organizations.Post{Organizations: groups, Throttle: o.Throttle, Mail: o.Mail, Base: o.Links.Base},
		}),
		devices:    device.New(device.Options{Private: visits, Links: o.Devices, Throttle: o.Throttle, Base: o.Links.Base}),
		moderation: moderation.New(pages),
		operator:   operator.New(pages),
		offline:    offline.New(pages),
		files:      sitefiles.New(sitefiles.Options{Catalog: o.Catalog, Cities: atlas, Logos: o.Logos, Links: o.Links, Icon: pages.Asset("icon.svg")}),
	}
}

// Groups returns the endpoints of each package with the server whose methods
// answer them, as request.Mux takes them.
func (s *Server) Groups() []request.Group {
	return []request.Group{
		{Server: s.lists, Endpoints: list.Endpoints},
		{Server: s.explorer, Endpoints: explore.Endpoints},
		{Server: s.cities, Endpoints: city.Endpoints},
		{Server: s.channels, Endpoints: channel.Endpoints},
		{Server: s.libraries, Endpoints: library.Endpoints},
		{Server: s.prose, Endpoints: prose.Endpoints},
		{Server: s.purchases, Endpoints: purchases.Endpoints},
		{Server: s.reference, Endpoints: reference.Endpoints},
		{Server: s.build, Endpoints: build.Endpoints},
		{Server: s.numbers, Endpoints: numbers.Endpoints},
		{Server: s.public, Endpoints: public.Endpoints},
		{Server: s.takedown, Endpoints: takedown.Endpoints},
		{Server: s.contact, Endpoints: contact.Endpoints},
		{Server: s.signIn, Endpoints: signin.Endpoints},
		{Server: s.accounts, Endpoints: account.Endpoints},
		{Server: s.security, Endpoints: security.Endpoints},
		{Server: s.groups, Endpoints: organization.Endpoints},
		{Server: s.devices, Endpoints: device.Endpoints},
		{Server: s.moderation, Endpoints: moderation.Endpoints},
		{Server: s.operator, Endpoints: operator.Endpoints},
		{Server: s.pages, Endpoints: slices.Concat(page.Files, page.Unprefixed)},
		{Server: s.offline, Endpoints: offline.Endpoints},
		{Server: s.files, Endpoints: sitefiles.Endpoints},
	}
}
