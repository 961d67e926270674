package account

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"miramundo.dev/functions/web/private"
	"miramundo.dev/shared/account/apikey"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/site"
)

var keysPage = private.Page[*Server]{
	Page: site.Keys, Subject: "the account's API keys",
	Doc: "Returns the page that lists the API keys of the account and of the organizations that it manages, creates keys and " +
		"revokes them. A new key is in the answer of the form that creates it, and is never shown again.",
	Show: (*Server).listKeys,
	Actions: map[string]private.Handler[*Server]{
		"create": (*Server).createKey,
		"revoke": (*Server).revokeKey,
	},
}

// A keysBody is the body of the page.
type keysBody struct {
	*private.Visit
	Open   bool // whether a key may be created
	Owners []organization.Summary
	Rows   []keyRow
	Secret string // of the key that was just created
	Listed string // names the listed keys
}

// A keyRow is a key as the page shows it.
type keyRow struct {
	apikey.Key
	Organization string // name; empty for a key of the account
	Since        private.Moment
	Used         private.Moment
	Ended        private.Moment
}

func (s *Server) listKeys(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	return s.showKeys(ctx, v, "")
}

// showKeys renders the keys, with the secret of a new one.
func (s *Server) showKeys(ctx context.Context, v *private.Visit, secret string) (*private.Answer, error) {
	a, err := v.Account(ctx)
	if err != nil {
		return nil, err
	}
	list, err := s.keys.List(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	owners, err := s.organizations.List(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	body := keysBody{Visit: v, Open: v.MayProtect(a), Secret: secret, Listed: nameOf(list)}
	names := map[identity.Owner]string{}
	for _, o := range owners {
		if names[o.ID] = o.Name; o.Role.Manages() && o.Enabled {
			body.Owners = append(body.Owners, o)
		}
	}
	for _, k := range list {
		body.Rows = append(body.Rows, keyRow{
			Key: k, Organization: names[k.Owner], Since: v.Day(a.Profile, k.CreatedAt.Time), Used: v.Day(a.Profile, k.UsedAt.Time),
			Ended: v.Day(a.Profile, k.RevokedAt.Time),
		})
	}
	return v.Show(v.View(body))
}

// nameOf returns a text that changes whenever a key is added to a list.
func nameOf(list []apikey.Key) string {
	sum := sha256.New()
	for _, k := range list {
		_, _ = sum.Write([]byte(k.ID + "\n")) // it never fails
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// createKey creates a key and shows it, this once. The form names the keys that were
// listed beside it, so that a browser which sends it again, when its user reloads the
// answer, creates nothing: the new key is listed by then.
func (s *Server) createKey(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	list, err := s.keys.List(ctx, v.Speaker.Account)
	if err != nil {
		return nil, err
	}
	if v.Field("listed") != nameOf(list) {
		return v.Finish("key_listed"), nil
	}
	secret, _, err := s.keys.Create(ctx, v.Speaker, v.Field("name"), identity.Owner(v.Field("owner")))
	if err != nil {
		return nil, err
	}
	return s.showKeys(ctx, v, secret)
}

func (s *Server) revokeKey(ctx context.Context, v *private.Visit) (*private.Answer, error) {
	if err := s.keys.Revoke(ctx, v.Speaker.Account, v.Field("key")); err != nil {
		return nil, err
	}
	return v.Finish("key_revoked"), nil
}
