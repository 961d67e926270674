package account

import (
	"context"
	"time"

	"miramundo.dev/shared/account/access"
	"miramundo.dev/shared/account/apikey"
	"miramundo.dev/shared/account/organization"
	"miramundo.dev/shared/api"
	"miramundo.dev/shared/budget"
	"miramundo.dev/shared/fault"
	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

var keyEndpoints = []api.Endpoint{
	api.Bind((*Server).keys, api.Endpoint{
		Name:   "list_api_keys",
		Method: "GET", Path: "/api/account/keys", Auth: api.Session,
		Summary: "List the API keys",
		Doc: "Returns the API keys of the session's account and of the organizations that it manages, the newest of each first, with " +
			"the last twenty of each that are not accepted any more. Never returns a key itself.",
		Faults: []*fault.Error{fault.ErrUnavailable},
	}),
	api.Bind((*Server).createKey, api.Endpoint{
		Name:   "create_api_key",
		Method: "POST", Path: "/api/account/keys/create", Auth: api.Session, Budget: budget.Rotations,
		Summary: "Create an API key",
		Doc: "Creates a key that acts as the account, or as an organization, and returns it with its secret, which is shown this once. " +
			"Needs a sign-in within the last five minutes; for an organization also a second factor, and the role owner or " +
			"administrator. An account and an organization have at most 10 live keys each.",
		Faults: []*fault.Error{
			apikey.ErrName, apikey.ErrOrganization, identity.ErrReauth, organization.ErrForbidden, organization.ErrSecondFactor,
			access.ErrKeyLimit, fault.ErrUnavailable,
		},
	}),
	api.Bind((*Server).revokeKey, api.Endpoint{
		Name:   "revoke_api_key",
		Method: "POST", Path: "/api/account/keys/revoke", Auth: api.Session,
		Summary: "Revoke an API key",
		Doc: "Revokes a key of the account or of an organization that it manages. The key is refused at once, and within five seconds " +
			"at every instance of the service. Repeating it changes nothing.",
		Faults: []*fault.Error{apikey.ErrID, access.ErrNoKey, fault.ErrUnavailable},
	}),
}

// A keyMade is what the creation of a key shows of it.
type keyMade struct {
	ID             string          `json:"id" description:"Id of the key: key_ followed by letters and digits."`
	Name           string          `json:"name"`
	OrganizationID *identity.Owner `json:"organizationId" description:"Organization that the key acts as; null for a key of the account."`
	Last4          string          `json:"last4" description:"The last four characters of the key."`
	CreatedAt      time.Time       `json:"createdAt"`
}

// A keyShown is a key in a list.
type keyShown struct {
	keyMade
	LastUsedAt *time.Time `json:"lastUsedAt" description:"Last use, to the hour; null before the first."`
	RevokedAt  *time.Time `json:"revokedAt" description:"Null for a key that was not revoked."`
	Active     bool       `json:"active" description:"False for a key that was revoked, or that a new password, signing out everywhere or losing a role in the organization stopped."`
}

func showMade(k apikey.Key) keyMade {
	made := keyMade{ID: k.ID, Name: k.Name, Last4: k.Last4, CreatedAt: k.CreatedAt.Time}
	if identity.KindOf(k.Owner) == identity.Organization {
		made.OrganizationID = &k.Owner
	}
	return made
}

// showTime returns a moment; nil for none.
func showTime(t store.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t.Time
}

type keysOut struct {
	Keys []keyShown `json:"keys" description:"Keys of the account, newest first."`
}

func (s *Server) keys(ctx context.Context, _ struct{}) (out keysOut, err error) {
	owner, err := identity.OwnerOf(ctx)
	if err != nil {
		return out, err
	}
	list, err := s.apiKeys().List(ctx, owner)
	if err != nil {
		return out, err
	}
	out.Keys = make([]keyShown, 0, len(list))
	for _, k := range list {
		out.Keys = append(out.Keys, keyShown{showMade(k), showTime(k.UsedAt), showTime(k.RevokedAt), k.Active()})
	}
	return out, nil
}

// apiKeys returns the API keys of all accounts.
func (s *Server) apiKeys() *apikey.Keys { return apikey.On(s.DB, s.Access.Learn, s.Now) }

type createKeyIn struct {
	Name           string  `json:"name" required:"true" minLength:"1" maxLength:"60" code:"invalid_key_name" description:"Name of the key, for people."`
	OrganizationID *string `json:"organizationId" required:"true" code:"invalid_organization" description:"Organization that the key acts as; null for the account."`
}

type createKeyOut struct {
	Key    keyMade `json:"key" description:"The key with its secret, which is shown this once."`
	Secret string  `json:"secret" description:"The key, which begins with mmk_. It is not stored and cannot be shown again."`
}

func (s *Server) createKey(ctx context.Context, in createKeyIn) (out createKeyOut, err error) {
	caller, ok := identity.SpeakerOf(ctx)
	if !ok {
		return out, identity.ErrCredential
	}
	var organization identity.Owner
	if in.OrganizationID != nil {
		if organization = identity.Owner(*in.OrganizationID); organization == "" {
			return out, apikey.ErrOrganization
		}
	}
	secret, key, err := s.apiKeys().Create(ctx, caller, in.Name, organization)
	if err != nil {
		return out, err
	}
	return createKeyOut{showMade(key), secret}, nil
}

type revokeKeyIn struct {
	ID string `json:"id" required:"true" code:"invalid_key_id" description:"Id of the key, from the list of keys."`
}

func (s *Server) revokeKey(ctx context.Context, in revokeKeyIn) (done, error) {
	owner, err := identity.OwnerOf(ctx)
	if err == nil {
		err = s.apiKeys().Revoke(ctx, owner, in.ID)
	}
	return done{err == nil}, err
}
