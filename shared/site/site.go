// Package site defines the address of every page in every locale.
//
// The default locale is at the root, each other below its tag. The router,
// links, hreflang and the sitemap all take their paths from here, so they
// cannot disagree.
package site

import (
	"cmp"
	"net/url"
	"strings"

	"miramundo.dev/shared/i18n"
)

// AssetsPath is what the paths of built files begin with, such as scripts and
// styles, before their names. It is the same on every host with pages.
const AssetsPath = "/assets/"

// Name is the name of the service.
const Name = "Miramundo"

// PicturePath is the path of the picture that previews show for the service.
const PicturePath = "/og.png"

// Paths of the pictures that previews show for channels: Pictures, the id and PictureExt.
const (
	Pictures   = "/og/"
	PictureExt = ".png"
)

// The size of the pictures of previews, in pixels: what social networks recommend.
const (
	PictureWidth  = 1200
	PictureHeight = 630
)

// ChannelPicture returns the path of the picture that previews show for a channel.
func ChannelPicture(id string) string { return Pictures + url.PathEscape(id) + PictureExt }

// OEmbedPath is the path at which programs ask for the player of a page.
const OEmbedPath = "/api/oembed"

// A Page is a kind of page.
type Page int

// The pages. The path of some ends in a name, such as a channel's.
const (
	Home          Page = iota // the catalog and its search results
	Country                   // the channels of a country: see CountryPath
	City                      // the radio stations of a city: its name and number
	Countries                 // all countries
	Schedule                  // what is on now
	Explore                   // the globe, genres and categories
	Channel                   // a channel and its player
	Library                   // the visitor's folders
	Favorites                 // the visitor's favorites
	History                   // the visitor's history
	Guide                     // how to use the service
	Kodi                      // how to connect Kodi
	Jellyfin                  // how to connect Jellyfin
	HomeAssistant             // how to connect Home Assistant
	About                     // credits, licences and contact
	Contact                   // the form by which visitors write to the operator
	Partners                  // sponsorship, partnership and advertising
	Producers                 // what is offered to those who make programmes
	Purchases                 // the visitor's passes and credit
	Reference                 // the operations of the API, for developers
	Build                     // examples of how to use the API
	Numbers                   // how much the service is used
	Public                    // folders that somebody publishes under a name
	Takedown                  // the form of rights holders, and of answers to them
	Transparency              // what they asked for, and what was decided
	Moderation                // what visitors reported, for the operator
	Operator                  // the state of the service, for the operator

	SignIn        // signing in, and the link of a mail that does
	Account       // the visitor's profile
	Security      // password, passkeys, second factor, address
	Sessions      // browsers that are signed in
	Keys          // API keys
	Organizations // the visitor's organizations
	Organization  // one organization
	Invitation    // an invitation to an organization
	Devices       // signing in a phone or a television by a code
	Device        // the same, on the phone or the television
	Privacy       // export and deletion

	Nowhere Page = -1 // the error page for addresses without a page
)

// Pages lists the pages in order, without Nowhere.
var Pages = []Page{
	Home, Country, City, Countries, Schedule, Explore, Channel, Library, Favorites, History, Guide, Kodi, Jellyfin, HomeAssistant, About, Contact, Partners, Producers, Purchases, Reference, Build, Numbers, Public, Takedown, Transparency, Moderation, Operator,
	SignIn, Account, Security, Sessions, Keys, Organizations, Organization, Invitation, Devices, Device, Privacy,
}

// names are the names of the pages in logs, stylesheets and scripts.
var names = [...]string{
	"home", "country", "city", "countries", "schedule", "explore", "channel", "library", "favorites", "history", "guide", "kodi", "jellyfin", "homeassistant", "about", "contact", "partners", "producers", "purchases", "reference", "build", "numbers", "public", "takedown", "transparency", "moderation", "operator",
	"signin", "account", "security", "sessions", "keys", "organizations", "organization", "invitation", "devices", "device", "privacy",
}

// String returns the name of p, which is the same in every locale.
func (p Page) String() string {
	if p == Nowhere {
		return "error"
	}
	return names[p]
}

// idParam is the place of a name in a path.
const idParam = "{id}"

// paths are the paths below the root of each locale, in the order of
// [i18n.Locales].
var paths = [...][5]string{
	Home:      {"", "", "", "", ""},
	Country:   {"/" + idParam, "/" + idParam, "/" + idParam, "/" + idParam, "/" + idParam},
	City:      {"/radio/{id}", "/radio/{id}", "/radio/{id}", "/radio/{id}", "/radio/{id}"},
	Countries: {"/paises", "/countries", "/paises", "/pays", "/laender"},
	Schedule:  {"/programacao", "/schedule", "/programacion", "/programme", "/programm"},
	Explore:   {"/explorar", "/explore", "/explorar", "/explorer", "/entdecken"},
	Channel:   {"/canal/{id}", "/channel/{id}", "/canal/{id}", "/chaine/{id}", "/sender/{id}"},
	Library:   {"/biblioteca", "/library", "/biblioteca", "/bibliotheque", "/bibliothek"},
	Favorites: {"/favoritos", "/favorites", "/favoritos", "/favoris", "/favoriten"},
	History:   {"/historico", "/history", "/historial", "/historique", "/verlauf"},
	Guide:     {"/como-usar", "/how-to", "/como-usar", "/mode-emploi", "/anleitung"},
	Kodi:      {"/como-usar/kodi", "/how-to/kodi", "/como-usar/kodi", "/mode-emploi/kodi", "/anleitung/kodi"},
	Jellyfin:  {"/como-usar/jellyfin", "/how-to/jellyfin", "/como-usar/jellyfin", "/mode-emploi/jellyfin", "/anleitung/jellyfin"},
	About:     {"/sobre", "/about", "/acerca", "/a-propos", "/ueber"},
	Contact:   {"/contato", "/contact", "/contacto", "/contact", "/kontakt"},
	Partners:  {"/parceiros", "/partners", "/socios", "/partenaires", "/partner"},
	Producers: {"/produtores", "/producers", "/productores", "/producteurs", "/produzenten"},
	Purchases: {"/compras", "/purchases", "/compras", "/achats", "/kaeufe"},
	Build:     {"/desenvolver", "/build", "/desarrollar", "/construire", "/entwickeln"},
	Numbers:   {"/numeros", "/numbers", "/numeros", "/chiffres", "/zahlen"},
	Reference: {"/api-referencia", "/api-reference", "/referencia-api", "/reference-api", "/api-referenz"},

	HomeAssistant: {"/como-usar/home-assistant", "/how-to/home-assistant", "/como-usar/home-assistant", "/mode-emploi/home-assistant", "/anleitung/home-assistant"},

	Public:       {"/l/{id}", "/l/{id}", "/l/{id}", "/l/{id}", "/l/{id}"},
	Takedown:     {"/retirada", "/takedown", "/retirada", "/retrait", "/entfernung"},
	Transparency: {"/transparencia", "/transparency", "/transparencia", "/transparence", "/transparenz"},

	Moderation: {"/moderation", "/moderation", "/moderation", "/moderation", "/moderation"},
	Operator:   {"/operator", "/operator", "/operator", "/operator", "/operator"},

	SignIn:        {"/entrar", "/sign-in", "/entrar", "/connexion", "/anmelden"},
	Account:       {"/conta", "/account", "/cuenta", "/compte", "/konto"},
	Security:      {"/conta/seguranca", "/account/security", "/cuenta/seguridad", "/compte/securite", "/konto/sicherheit"},
	Sessions:      {"/conta/sessoes", "/account/sessions", "/cuenta/sesiones", "/compte/sessions", "/konto/sitzungen"},
	Keys:          {"/conta/chaves", "/account/keys", "/cuenta/claves", "/compte/cles", "/konto/schluessel"},
	Organizations: {"/conta/organizacoes", "/account/organizations", "/cuenta/organizaciones", "/compte/organisations", "/konto/organisationen"},
	Organization:  {"/conta/organizacoes/{id}", "/account/organizations/{id}", "/cuenta/organizaciones/{id}", "/compte/organisations/{id}", "/konto/organisationen/{id}"},
	Invitation:    {"/convite", "/invitation", "/invitacion", "/invitation", "/einladung"},
	Devices:       {"/conta/dispositivos", "/account/devices", "/cuenta/dispositivos", "/compte/appareils", "/konto/geraete"},
	Device:        {"/dispositivo", "/device", "/dispositivo", "/appareil", "/geraet"},
	Privacy:       {"/conta/privacidade", "/account/privacy", "/cuenta/privacidad", "/compte/confidentialite", "/konto/datenschutz"},
}

// root returns the prefix of the paths of a locale.
func root(l i18n.Locale) string {
	if l == i18n.PT {
		return ""
	}
	return "/" + l.Tag()
}

// path returns the path of p in a locale, possibly with {id}. The path of
// Nowhere is that of Home.
func (p Page) path(l i18n.Locale) string {
	if p == Nowhere {
		p = Home
	}
	return root(l) + paths[p][l]
}

// Template returns the path of p in a locale, with {id} in the place of a name
// when it takes one.
func (p Page) Template(l i18n.Locale) string {
	return cmp.Or(p.path(l), "/")
}

// Named reports whether the path of p contains a name.
func (p Page) Named() bool { return strings.HasSuffix(p.path(i18n.PT), idParam) }

// Personal reports whether p shows the visitor's own data, or is for the operator, so
// that search engines should not index it.
func (p Page) Personal() bool {
	return p == Library || p == Favorites || p == History || p == Purchases || p == Moderation || p == Operator || p == Nowhere || p.Private()
}

// Private reports whether p is rendered for one visitor, so that no cache may keep
// it. The other pages are the same for everyone.
func (p Page) Private() bool { return p >= SignIn }

// Path returns the path of p in a locale with the given name, if p takes one;
// for a country that is its slug. The name is escaped.
func (p Page) Path(l i18n.Locale, name string) string {
	path := p.Template(l)
	if before, ok := strings.CutSuffix(path, idParam); ok {
		return before + url.PathEscape(name)
	}
	return path
}

// LocaleOf returns the locale of a path and whether the path names it. A path
// without a locale gets the default.
func LocaleOf(path string) (i18n.Locale, bool) {
	first, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	for _, l := range i18n.Locales[1:] {
		if first == l.Tag() {
			return l, true
		}
	}
	return i18n.PT, false
}
