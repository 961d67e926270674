package export

import (
	"slices"
	"time"

	"miramundo.dev/shared/account"
	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/account/passkey"
	"miramundo.dev/shared/billing"
	"miramundo.dev/shared/billing/pass"
	"miramundo.dev/shared/catalog"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/moderation"
	"miramundo.dev/shared/moderation/act"
	"miramundo.dev/shared/price"
	"miramundo.dev/shared/social/comment"
	"miramundo.dev/shared/social/kept"
	"miramundo.dev/shared/store"
)

// The structs below are the form of the JSON files. They name what is written, so that
// a secret that a stored struct gets some day is not exported by itself.

type accountOut struct {
	ID            identity.Owner `json:"id"`
	Email         string         `json:"email"`
	CreatedAt     string         `json:"createdAt"`
	Profile       profileOut     `json:"profile"`
	Password      bool           `json:"password"` // whether there is one
	Authenticator *string        `json:"authenticatorSince"`
	RecoveryCodes int            `json:"recoveryCodesLeft"`
	Passkeys      []passkeyOut   `json:"passkeys"`
}

type profileOut struct {
	Name     string `json:"name"`
	Locale   string `json:"locale"`
	TimeZone string `json:"timeZone"`
	Theme    string `json:"theme"`
}

type passkeyOut struct {
	Name       string  `json:"name"`
	CreatedAt  string  `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`
}

func showAccount(a *account.Account) accountOut {
	out := accountOut{
		ID: a.ID, Email: a.Email, CreatedAt: moment(a.CreatedAt), Password: a.Password != "", RecoveryCodes: len(a.Recovery),
		Profile:  profileOut{a.Profile.Name, a.Profile.Locale, a.Profile.TimeZone, a.Profile.Theme},
		Passkeys: each(a.Passkeys, showPasskey),
	}
	if a.TOTP != nil {
		out.Authenticator = momentOrNil(a.TOTP.Since)
	}
	return out
}

func showPasskey(c passkey.Credential) passkeyOut {
	out := passkeyOut{Name: c.Name, CreatedAt: moment(c.CreatedAt)}
	if c.LastUsedAt != nil {
		out.LastUsedAt = momentOrNil(*c.LastUsedAt)
	}
	return out
}

type sessionOut struct {
	Browser      string `json:"browser"`
	OS           string `json:"os"`
	Country      string `json:"country"`
	CreatedAt    string `json:"createdAt"`
	LastUsedAt   string `json:"lastUsedAt"`
	Method       string `json:"method"`
	SecondFactor bool   `json:"secondFactor"`
}

func showSessions(list []access.Session) []sessionOut {
	return each(list, func(s access.Session) sessionOut {
		return sessionOut{s.Device.Browser, s.Device.OS, s.Device.Country, moment(s.CreatedAt), moment(s.UsedAt), s.Method, s.SecondFactor}
	})
}

type keyOut struct {
	ID         string  `json:"id"`
	Name       string  `json:"name"`
	Last4      string  `json:"last4"`
	CreatedAt  string  `json:"createdAt"`
	LastUsedAt *string `json:"lastUsedAt"`
	RevokedAt  *string `json:"revokedAt"`
	Active     bool    `json:"active"`
}

func showKeys(list []access.Key) []keyOut {
	return each(list, func(k access.Key) keyOut {
		return keyOut{k.ID, k.Name, k.Last4, moment(k.CreatedAt), momentOrNil(k.UsedAt), momentOrNil(k.RevokedAt), k.Active()}
	})
}

type organizationOut struct {
	ID    identity.Owner `json:"id"`
	Name  string         `json:"name"`
	Role  access.Role    `json:"role"`
	Since string         `json:"since"`
}

func showOrganization(o *organization.Organization, member identity.Owner) organizationOut {
	out := organizationOut{ID: o.ID, Name: o.Name}
	if i := slices.IndexFunc(o.Members, func(m organization.Member) bool { return m.Account == member }); i >= 0 {
		out.Role, out.Since = o.Members[i].Role, moment(o.Members[i].Since)
	}
	return out
}

type favoriteOut struct {
	Channel   string `json:"channel_id"`
	CreatedAt string `json:"created_at"`
}

func showFavorites(list []kept.Favorite) []favoriteOut {
	return each(list, func(f kept.Favorite) favoriteOut { return favoriteOut{f.Channel, moment(f.Since)} })
}

type playedOut struct {
	Channel string `json:"channel_id"`
	Plays   int    `json:"plays"`
	FirstAt string `json:"first_at"`
	LastAt  string `json:"last_at"`
}

func showHistory(list []kept.Played) []playedOut {
	return each(list, func(p kept.Played) playedOut {
		return playedOut{p.Channel, p.Plays, moment(p.FirstAt), moment(p.LastAt)}
	})
}

type commentOut struct {
	ID        string `json:"id"`
	Channel   string `json:"channel_id"`
	Author    string `json:"author"`
	Body      string `json:"body"`
	CreatedAt string `json:"created_at"`
}

func showComment(c comment.Comment) commentOut {
	return commentOut{c.PublicID(), c.Channel, c.Author, c.Body, moment(c.CreatedAt)}
}

type moderationOut struct {
	Hidden  []hiddenOut `json:"hidden_authors"`
	Reports []reportOut `json:"reports"`
}

type hiddenOut struct {
	Name  string `json:"name"`
	Since string `json:"since"`
}

type reportOut struct {
	Kind    string `json:"kind"`
	Channel string `json:"channel_id"`
	ID      string `json:"id"`
	Reason  string `json:"reason"`
	At      string `json:"at"`
}

func showModeration(h moderation.Hidden, reports []act.Report) moderationOut {
	return moderationOut{
		each(h.Owners, func(o moderation.HiddenOwner) hiddenOut { return hiddenOut{o.Name, moment(o.Since)} }),
		each(reports, func(r act.Report) reportOut {
			return reportOut{string(r.Kind), r.Channel, r.ID, r.Reason, moment(r.At)}
		}),
	}
}

type purchasesOut struct {
	Passes    []pass.Shown  `json:"passes"` // in force
	Purchases []purchaseOut `json:"purchases"`
}

type purchaseOut struct {
	ID          string        `json:"id"`
	Product     price.Product `json:"product"`
	USD         string        `json:"amount_usd"`
	Network     string        `json:"network,omitempty"` // of a payment; absent for a credit, as the two below
	Payer       string        `json:"payer,omitempty"`
	Transaction string        `json:"transaction,omitempty"`
	At          string        `json:"at"`
	Until       *string       `json:"until"`
}

func showPurchases(p pass.Passes, l billing.List, now time.Time) purchasesOut {
	return purchasesOut{p.Show(now), each(l.Purchases, func(b billing.Purchase) purchaseOut {
		return purchaseOut{b.ID, b.Product, b.Amount.USD(), b.Network, b.Payer, b.Transaction, moment(b.At), momentOrNil(b.Until)}
	})}
}

// each returns what show returns for each element, never nil.
func each[A, B any](list []A, show func(A) B) []B {
	out := make([]B, len(list))
	for i, one := range list {
		out[i] = show(one)
	}
	return out
}

func moment(t store.Time) string { return t.UTC().Format(time.RFC3339) }

// momentOrNil returns nil for a time that is zero.
func momentOrNil(t store.Time) *string {
	if t.IsZero() {
		return nil
	}
	return catalog.TextOrNil(moment(t))
}
