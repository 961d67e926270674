package functions

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/descope/virtualwebauthn"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/source/collect"
)

// party is the service of the tests as authenticators see it.
var party = virtualwebauthn.RelyingParty{ID: "mira.example", Name: "Miramundo", Origin: apitest.Origin}

// A virtualDevice is a browser on a device that has one passkey.
type virtualDevice struct {
	t *testing.T
	*apitest.Browser
	device virtualwebauthn.Authenticator
	key    virtualwebauthn.Credential
}

// coseP256 is the length of a P-256 key in COSE form. The virtual authenticator leaves
// out the zeros at the beginning of a coordinate, which makes 1 key of 128 invalid.
const coseP256 = 77

func newDevice(t *testing.T, b *apitest.Browser) *virtualDevice {
	key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	for len(key.Key.AttestationData()) != coseP256 {
		key = virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
	}
	return &virtualDevice{t: t, Browser: b, device: virtualwebauthn.NewAuthenticator(), key: key}
}

// A ceremony is what a start returns.
type ceremony struct {
	Challenge string
	Options   json.RawMessage
}

// post makes a call that must answer with a status, and decodes its answer.
func (a *virtualDevice) post(path string, in any, status int, out any) {
	a.t.Helper()
	body, err := json.Marshal(in)
	if err != nil {
		a.t.Fatal(err)
	}
	res, text := a.Do("POST", path, string(body))
	if res.StatusCode != status || out != nil && json.Unmarshal([]byte(text), out) != nil {
		a.t.Fatalf("POST %s answers %d %.300s, want %d", path, res.StatusCode, text, status)
	}
}

// register starts a registration and returns the body of its end.
func (a *virtualDevice) register(name string) map[string]string {
	a.t.Helper()
	var c ceremony
	a.post("/api/account/passkeys/start", struct{}{}, http.StatusOK, &c)
	o, err := virtualwebauthn.ParseAttestationOptions(string(c.Options))
	if err != nil {
		a.t.Fatal(err)
	}
	a.device.Options.UserHandle = []byte(o.UserID)
	return map[string]string{
		"challenge": c.Challenge, "name": name, "response": virtualwebauthn.CreateAttestationResponse(party, a.device, a.key, *o),
	}
}

// signIn starts a sign-in and returns the body of its end.
func (a *virtualDevice) signIn() map[string]string {
	a.t.Helper()
	var c ceremony
	a.post("/api/auth/passkey/start", struct{}{}, http.StatusOK, &c)
	o, err := virtualwebauthn.ParseAssertionOptions(string(c.Options))
	if err != nil {
		a.t.Fatal(err)
	}
	return map[string]string{"challenge": c.Challenge, "response": virtualwebauthn.CreateAssertionResponse(party, a.device, a.key, *o)}
}

const (
	addPath    = "/api/account/passkeys/finish"
	enterPath  = "/api/auth/passkey/finish"
	listPath   = "/api/account/passkeys"
	removePath = "/api/account/passkeys/remove"
)

// email returns the address of the account that a browser is signed in to.
func email(b *apitest.Browser) string {
	var me struct{ User struct{ Email string } }
	_, text := b.Do("GET", "/api/me", "")
	_ = json.Unmarshal([]byte(text), &me)
	return me.User.Email
}

// passkeyHandler serves the functions over an empty database, and opens browsers that
// are signed in to the account of a name.
func passkeyHandler(t *testing.T) (h http.Handler, in func(name string) *apitest.Browser) {
	db := openEmbedded(t)
	h = mux(t, deps(t, db, collect.Place{}))
	return h, func(name string) *apitest.Browser {
		b := apitest.NewBrowser(t, h)
		b.Set(signIn(db)(t, name))
		return b
	}
}

// TestPasskey adds a passkey, signs in by it in a browser that has no session, and
// removes it.
func TestPasskey(t *testing.T) {
	h, in := passkeyHandler(t)
	a := newDevice(t, in("ana"))
	before := a.Cookie("__Host-mm-auth")
	var added struct{ Passkey struct{ ID, Name string } }
	a.post(addPath, a.register("Phone"), http.StatusOK, &added)
	if a.Cookie("__Host-mm-auth") == before || email(a.Browser) != "ana@example.com" {
		t.Error("the session has no new cookie after a passkey was added")
	}
	a.post(addPath, a.register("Phone again"), http.StatusBadRequest, nil) // the same key

	elsewhere := *a
	elsewhere.Browser = apitest.NewBrowser(t, h)
	var signedIn struct {
		Status string
		User   struct{ Email string }
	}
	elsewhere.post(enterPath, elsewhere.signIn(), http.StatusOK, &signedIn)
	if signedIn.Status != "signed_in" || signedIn.User.Email != "ana@example.com" || email(elsewhere.Browser) != "ana@example.com" {
		t.Errorf("signed in as %+v", signedIn)
	}
	var list struct {
		Passkeys []struct {
			ID, Name   string
			LastUsedAt *string
		}
	}
	_, text := elsewhere.Do("GET", listPath, "")
	if err := json.Unmarshal([]byte(text), &list); err != nil || len(list.Passkeys) != 1 || list.Passkeys[0].LastUsedAt == nil || list.Passkeys[0].ID != added.Passkey.ID {
		t.Errorf("the passkeys are %s, want %+v, used", text, added.Passkey)
	}
	elsewhere.post("/api/account/passkeys/rename", map[string]string{"id": added.Passkey.ID, "name": "Old phone"}, http.StatusOK, nil)
	elsewhere.post(removePath, map[string]string{"id": added.Passkey.ID}, http.StatusOK, nil)

	gone := *a
	gone.Browser = apitest.NewBrowser(t, h)
	gone.post(enterPath, gone.signIn(), http.StatusUnauthorized, nil)
}

// TestPasskeyReplayed sends a valid response again, from another browser, to another
// account and after another one.
func TestPasskeyReplayed(t *testing.T) {
	h, in := passkeyHandler(t)
	a := newDevice(t, in("ana"))
	response := a.register("Phone")
	bob := newDevice(t, in("bob"))
	bob.post(addPath, response, http.StatusGone, nil) // the challenge of another browser
	a.post(addPath, response, http.StatusOK, nil)
	a.post(addPath, response, http.StatusGone, nil) // the challenge is used up

	visitor := *a
	visitor.Browser = apitest.NewBrowser(t, h)
	proof := visitor.signIn()
	thief := newDevice(t, apitest.NewBrowser(t, h))
	thief.post(enterPath, proof, http.StatusGone, nil)
	visitor.post(enterPath, proof, http.StatusOK, nil)
	visitor.post(enterPath, proof, http.StatusGone, nil)
	if diff := cmp.Diff("", email(thief.Browser)); diff != "" {
		t.Errorf("the other browser is signed in (-want +got):\n%s", diff)
	}
}
