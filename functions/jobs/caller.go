package jobs

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"google.golang.org/api/idtoken"
	"google.golang.org/api/option"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/fault"
)

// The scheduler signs an OIDC token for each call. Its signature is checked
// against the provider's published keys, which the validator caches, and then
// its audience, its expiry, its issuer and the service account's e-mail. The
// audience alone would not do: anybody with an account at the provider can have
// a token signed for any audience.

// issuers are those of the provider's tokens, as its documentation lists them.
var issuers = []string{"https://accounts.google.com", "accounts.google.com"}

// keysTimeout is how long the provider may take to send its keys.
const keysTimeout = 5 * time.Second

// OIDC returns a Verifier of tokens that the platform's scheduler signs for an
// audience, as the service account with an e-mail address. A nil transport is
// [http.DefaultTransport].
func OIDC(audience, email string, transport http.RoundTripper) (Verifier, error) {
	if audience == "" || email == "" {
		return nil, errors.New("an OIDC token is checked for an audience and an e-mail address, and one of them is missing")
	}
	client := &http.Client{Timeout: keysTimeout, Transport: keysTransport{transport}}
	validator, err := idtoken.NewValidator(context.Background(), option.WithHTTPClient(client))
	if err != nil {
		return nil, fmt.Errorf("validator of OIDC tokens: %w", err)
	}
	return func(ctx context.Context, authorization string) error {
		token, ok := bearer(authorization)
		if !ok {
			return ErrCaller
		}
		payload, err := validator.Validate(ctx, token, audience)
		if _, unreachable := errors.AsType[*url.Error](err); unreachable {
			return fault.ErrUnavailable.Because(err)
		}
		if err != nil {
			return ErrCaller.Because(err)
		}
		return checkClaims(payload, email)
	}, nil
}

// A keysTransport fetches the provider's keys. An answer without them is an
// error of the connection, since the validator would take it for a wrong token.
type keysTransport struct{ base http.RoundTripper }

// RoundTrip returns the answer of the provider when its status is 200.
func (k keysTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	base := k.base
	if base == nil {
		base = http.DefaultTransport
	}
	answer, err := base.RoundTrip(r)
	if err == nil && answer.StatusCode != http.StatusOK {
		_ = answer.Body.Close() // its content is of no use
		return nil, fmt.Errorf("the provider of keys answered %s", answer.Status)
	}
	return answer, err
}

// checkClaims checks what the validator does not: who issued a token, and for
// which account.
func checkClaims(p *idtoken.Payload, email string) error {
	claimed, _ := p.Claims["email"].(string)
	verified, _ := p.Claims["email_verified"].(bool)
	switch {
	case !slices.Contains(issuers, p.Issuer):
		return ErrCaller.Because(fmt.Errorf("the token's issuer is %q", p.Issuer))
	case !verified || claimed != email:
		return ErrCaller.Because(errors.New("the token is of another account"))
	}
	return nil
}

// Token returns a Verifier of the bearer token [api.JobsToken], for installations without
// a scheduler that signs tokens.
func Token() Verifier {
	return func(ctx context.Context, authorization string) error {
		token, _ := bearer(authorization)
		err := api.CheckToken(ctx, api.JobsToken, token)
		if errors.Is(err, fault.ErrOperatorToken) {
			return ErrCaller
		}
		return err
	}
}

// bearer returns the bearer token of an Authorization header.
func bearer(authorization string) (token string, ok bool) {
	scheme, token, _ := strings.Cut(authorization, " ")
	token = strings.TrimSpace(token)
	return token, strings.EqualFold(scheme, "Bearer") && token != ""
}
