package passkey

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"
	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/identity"
	"miramundo.dev/shared/store"
)

const (
	ana = identity.Owner("a_aaaaaaaaaaaaaaaaaaaaaaaa")
	bob = identity.Owner("a_bbbbbbbbbbbbbbbbbbbbbbbb")
)

var now = time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)

// site is the relying party as authenticators see it.
var site = virtualwebauthn.RelyingParty{ID: "tv.example.com", Name: "Miramundo", Origin: "https://tv.example.com"}

func party(t testing.TB) *Party {
	t.Helper()
	p, err := New([]string{site.Origin})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A device is an authenticator with one key, and the passkey that the service keeps.
type device struct {
	authenticator virtualwebauthn.Authenticator
	key           virtualwebauthn.Credential
	kept          Credential
}

// coseP256 is the length of a P-256 key in COSE form. The virtual authenticator leaves
// out the zeros at the beginning of a coordinate, which makes 1 key of 128 invalid.
const coseP256 = 77

func newDevice(account identity.Owner, kind virtualwebauthn.KeyType) *device {
	options := virtualwebauthn.AuthenticatorOptions{UserHandle: []byte(account)}
	key := virtualwebauthn.NewCredential(kind)
	for kind == virtualwebauthn.KeyTypeEC2 && len(key.Key.AttestationData()) != coseP256 {
		key = virtualwebauthn.NewCredential(kind)
	}
	return &device{authenticator: virtualwebauthn.NewAuthenticatorWithOptions(options), key: key}
}

// register adds a passkey of a new device to an account.
func register(t testing.TB, p *Party, account identity.Owner, kind virtualwebauthn.KeyType, count uint32) *device {
	t.Helper()
	d := newDevice(account, kind)
	d.key.Counter = count
	options, ceremony := begin(t, p, account)
	var err error
	if d.kept, err = p.FinishRegistration(ceremony, account, d.attest(t, site, options), "Phone", now); err != nil {
		t.Fatal(err)
	}
	return d
}

func begin(t testing.TB, p *Party, account identity.Owner) (json.RawMessage, Ceremony) {
	t.Helper()
	options, ceremony, err := p.BeginRegistration(Account{ID: account, Email: "ana@example.com"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return options, ceremony
}

func beginSignIn(t testing.TB, p *Party) (json.RawMessage, Ceremony) {
	t.Helper()
	options, ceremony, err := p.BeginSignIn()
	if err != nil {
		t.Fatal(err)
	}
	return options, ceremony
}

// attest returns the response of d to the options of a registration.
func (d *device) attest(t testing.TB, rp virtualwebauthn.RelyingParty, options json.RawMessage) []byte {
	t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(string(options))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAttestationResponse(rp, d.authenticator, d.key, *o))
}

// assert returns the response of d to the options of a sign-in.
func (d *device) assert(t testing.TB, rp virtualwebauthn.RelyingParty, options json.RawMessage) []byte {
	t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(string(options))
	if err != nil {
		t.Fatal(err)
	}
	return []byte(virtualwebauthn.CreateAssertionResponse(rp, d.authenticator, d.key, *o))
}

// signIn finishes a ceremony with a body, as a caller does.
func signIn(p *Party, c Ceremony, body []byte, keys ...Credential) (Credential, error) {
	r, err := ReadResponse(body)
	if err != nil {
		return Credential{}, err
	}
	return p.FinishSignIn(c, r, keys, now)
}

func TestRegisterAndSignIn(t *testing.T) {
	p := party(t)
	for _, test := range []struct {
		name  string
		kind  virtualwebauthn.KeyType
		count uint32 // at the registration
		next  uint32 // at the sign-in
	}{
		{"P-256", virtualwebauthn.KeyTypeEC2, 3, 4},
		{"RSA", virtualwebauthn.KeyTypeRSA, 0, 1},
		{"a passkey that does not count", virtualwebauthn.KeyTypeEC2, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			d := register(t, p, ana, test.kind, test.count)
			want := Credential{ID: d.key.ID, PublicKey: d.kept.PublicKey, SignCount: test.count, Name: "Phone", CreatedAt: store.At(now)}
			if diff := cmp.Diff(want, d.kept); diff != "" {
				t.Errorf("registered (-want +got):\n%s", diff)
			}
			d.key.Counter = test.next
			options, ceremony := beginSignIn(t, p)
			r, err := ReadResponse(d.assert(t, site, options))
			if err != nil || r.Account() != ana {
				t.Fatalf("the response is of %v (%v), want %s", r, err, ana)
			}
			got, err := p.FinishSignIn(ceremony, r, []Credential{{ID: []byte{1}}, d.kept}, now.Add(time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			at := store.At(now.Add(time.Hour))
			want.SignCount, want.LastUsedAt = test.next, &at
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("signed in (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSynchronizedPasskey(t *testing.T) {
	p := party(t)
	d := newDevice(ana, virtualwebauthn.KeyTypeEC2)
	d.authenticator.Options.BackupEligible = true
	options, ceremony := begin(t, p, ana)
	kept, err := p.FinishRegistration(ceremony, ana, d.attest(t, site, options), "Cloud", now)
	if err != nil || !kept.BackupEligible || kept.BackedUp {
		t.Fatalf("registered %+v, %v", kept, err)
	}
	d.authenticator.Options.BackupState = true
	options, ceremony = beginSignIn(t, p)
	if kept, err = signIn(p, ceremony, d.assert(t, site, options), kept); err != nil || !kept.BackedUp {
		t.Errorf("signed in by %+v, %v", kept, err)
	}
}

// TestOptions checks what authenticators are asked for.
func TestOptions(t *testing.T) {
	p := party(t)
	d := register(t, p, ana, virtualwebauthn.KeyTypeEC2, 0)
	d.kept.Transports = []string{"hybrid", "internal"}
	creation, ceremony, err := p.BeginRegistration(Account{ID: ana, Email: "ana@example.com"}, []Credential{d.kept})
	if err != nil {
		t.Fatal(err)
	}
	id, handle := text(d.key.ID), text([]byte(ana))
	sameJSON(t, "creation", creation, `{
		"rp": {"id": "tv.example.com", "name": "Miramundo"},
		"user": {"id": "`+handle+`", "name": "ana@example.com", "displayName": "ana@example.com"},
		"challenge": "`+ceremony.Challenge+`", "timeout": 120000, "attestation": "none",
		"pubKeyCredParams": [{"type": "public-key", "alg": -8}, {"type": "public-key", "alg": -7}, {"type": "public-key", "alg": -257}],
		"excludeCredentials": [{"type": "public-key", "id": "`+id+`", "transports": ["hybrid", "internal"]}],
		"authenticatorSelection": {"residentKey": "required", "requireResidentKey": true, "userVerification": "required"}
	}`)
	request, ceremony := beginSignIn(t, p)
	sameJSON(t, "request", request, `{
		"rpId": "tv.example.com", "challenge": "`+ceremony.Challenge+`", "timeout": 120000, "userVerification": "required"
	}`)
	if len(ceremony.Challenge) != 43 || ceremony.Account != "" {
		t.Errorf("the sign-in is %+v, want a challenge of 32 bytes and no account", ceremony)
	}
}

func TestFullAccountBeginsNoRegistration(t *testing.T) {
	_, _, err := party(t).BeginRegistration(Account{ID: ana, Email: "a@example.com"}, make([]Credential, MaxKeys))
	if !errors.Is(err, ErrLimit) {
		t.Errorf("BeginRegistration: %v, want %v", err, ErrLimit)
	}
}

// An attack changes a ceremony, or what is sent or kept, in one way.
type attack struct {
	name   string
	device func(*device)
	site   func(*virtualwebauthn.RelyingParty)
	begun  func(*Ceremony)
	kept   func(*Credential)
	body   func([]byte) []byte
	cause  string // part of the cause in the log
}

// forged are attacks that work alike on both kinds of ceremonies.
func forged(other Ceremony) []attack {
	truncated := func(b []byte) []byte { return b[:len(b)/2] }
	return []attack{
		{name: "another origin", site: func(s *virtualwebauthn.RelyingParty) { s.Origin = "https://tv.example.com.evil.test" }, cause: "origin"},
		{name: "another scheme", site: func(s *virtualwebauthn.RelyingParty) { s.Origin = "http://tv.example.com" }, cause: "origin"},
		{name: "another port", site: func(s *virtualwebauthn.RelyingParty) { s.Origin = "https://tv.example.com:8443" }, cause: "origin"},
		{name: "a subdomain", site: func(s *virtualwebauthn.RelyingParty) { s.Origin = "https://www.tv.example.com" }, cause: "origin"},
		{name: "another relying party", site: func(s *virtualwebauthn.RelyingParty) { s.ID = "example.com" }, cause: "RP"},
		{name: "the user not verified", device: func(d *device) { d.authenticator.Options.UserNotVerified = true }, cause: "erif"},
		{name: "the user not present", device: func(d *device) { d.authenticator.Options.UserNotPresent = true }, cause: "resen"},
		{name: "backed up but not eligible", device: func(d *device) { d.authenticator.Options.BackupState = true }, cause: "ackup"},
		{name: "the response to another ceremony", begun: func(c *Ceremony) { c.Challenge = other.Challenge }, cause: "hallenge"},
		{name: "no challenge", begun: func(c *Ceremony) { c.Challenge = "" }, cause: "hallenge"},
		{name: "empty", body: func([]byte) []byte { return nil }, cause: "Parse error"},
		{name: "truncated", body: truncated, cause: "Parse error"},
		{name: "null", body: func([]byte) []byte { return []byte("null") }},
		{name: "a list", body: func([]byte) []byte { return []byte("[]") }, cause: "Parse error"},
		{name: "trailing data", body: func(b []byte) []byte { return append(b, "{}"...) }, cause: "Parse error"},
		{name: "deeply nested", body: func([]byte) []byte { return []byte(strings.Repeat(`{"a":[`, 1000)) }, cause: "Parse error"},
		{name: "too large", body: func(b []byte) []byte { return append(b, make([]byte, MaxBody)...) }, cause: "too large"},
		{name: "members of wrong types", body: change(`"type":"public-key"`, `"type":7`), cause: "Parse error"},
		{name: "another id than the raw one", body: change(`"id":"`, `"id":"AAAA`), cause: ""},
		{name: "client data that is not JSON", body: change(`"clientDataJSON":"`, `"clientDataJSON":"AAAA`), cause: ""},
	}
}

func change(old, new string) func([]byte) []byte {
	return func(b []byte) []byte { return []byte(strings.Replace(string(b), old, new, 1)) }
}

func TestForgedRegistrations(t *testing.T) {
	p := party(t)
	_, other := begin(t, p, ana)
	for _, a := range append(forged(other),
		attack{name: "of another account", begun: func(c *Ceremony) { c.Account = bob }, cause: "another kind or account"},
		attack{name: "of a sign-in", begun: func(c *Ceremony) { c.Account = "" }, cause: "another kind or account"},
		attack{name: "an attestation that is not CBOR", body: func(b []byte) []byte { return withObject(b, []byte{0xff}) }, cause: "attestation"},
		attack{name: "an attestation of endless length", body: func(b []byte) []byte { return withObject(b, []byte{0xbf}) }, cause: "attestation"},
		attack{name: "an attestation that claims 4 GiB", body: func(b []byte) []byte { return withObject(b, []byte{0x5a, 255, 255, 255, 255}) }, cause: "attestation"},
		attack{name: "an attestation that nests", body: func(b []byte) []byte { return withObject(b, []byte(strings.Repeat("\x81", 2000))) }, cause: "attestation"},
	) {
		t.Run(a.name, func(t *testing.T) {
			d, rp := newDevice(ana, virtualwebauthn.KeyTypeEC2), site
			options, ceremony := begin(t, p, ana)
			a.apply(d, &rp, &ceremony)
			body := d.attest(t, rp, options)
			if a.body != nil {
				body = a.body(body)
			}
			got, err := p.FinishRegistration(ceremony, ana, body, "Phone", now)
			a.check(t, got, err, ErrInvalid)
		})
	}
}

func TestForgedSignIns(t *testing.T) {
	p := party(t)
	_, other := beginSignIn(t, p)
	stranger := register(t, p, bob, virtualwebauthn.KeyTypeEC2, 0)
	handle := func(h string) func(*device) {
		return func(d *device) { d.authenticator.Options.UserHandle = []byte(h) }
	}
	for _, a := range append(forged(other),
		attack{name: "of a registration", begun: func(c *Ceremony) { c.Account = ana }, cause: "another kind or account"},
		attack{name: "no user handle", device: handle(""), cause: "handle"},
		attack{name: "a guest as user handle", device: handle("g_aaaaaaaaaaaaaaaaaaaaaaaa"), cause: "handle"},
		attack{name: "a path as user handle", device: handle("a_aaaaaaaaaaaaaaaaaaaaaaa/"), cause: "handle"},
		attack{name: "a long user handle", device: handle(string(ana) + "a"), cause: "handle"},
		attack{name: "another account's passkey", device: func(d *device) { d.key = stranger.key }, cause: "find the credential"},
		attack{name: "another account's key", device: func(d *device) { d.key.Key = stranger.key.Key }, cause: "signature"},
		attack{name: "an older count", device: func(d *device) { d.key.Counter = 4 }, cause: "cloned"},
		attack{name: "the same count", device: func(d *device) { d.key.Counter = 5 }, cause: "cloned"},
		attack{name: "no count any more", device: func(d *device) { d.key.Counter = 0 }, cause: "cloned"},
		attack{name: "other eligibility for backups", kept: func(c *Credential) { c.BackupEligible = true }, cause: "ackup"},
		attack{name: "a removed passkey", kept: func(c *Credential) { c.ID = []byte{1} }, cause: "find the credential"},
		attack{name: "authenticator data that is too short", body: change(`"authenticatorData":"`, `"authenticatorData":"AA","x":"`), cause: "auth data"},
	) {
		t.Run(a.name, func(t *testing.T) {
			d, rp := register(t, p, ana, virtualwebauthn.KeyTypeEC2, 5), site
			d.key.Counter = 6
			options, ceremony := beginSignIn(t, p)
			a.apply(d, &rp, &ceremony)
			body := d.assert(t, rp, options)
			if a.body != nil {
				body = a.body(body)
			}
			got, err := signIn(p, ceremony, body, d.kept)
			a.check(t, got, err, ErrRefused)
		})
	}
}

// TestResponsesOfTheOtherKind sends the response of each ceremony to the other.
func TestResponsesOfTheOtherKind(t *testing.T) {
	p := party(t)
	d := register(t, p, ana, virtualwebauthn.KeyTypeEC2, 0)
	options, ceremony := beginSignIn(t, p)
	if got, err := signIn(p, ceremony, d.attest(t, site, change(`"rpId":"`, `"user":{"id":""},"rpId":"`)(options)), d.kept); !errors.Is(err, ErrRefused) {
		t.Errorf("an attestation signed in by %v: %v", got, err)
	}
	options, ceremony = begin(t, p, ana)
	if got, err := p.FinishRegistration(ceremony, ana, d.assert(t, site, options), "Phone", now); !errors.Is(err, ErrInvalid) {
		t.Errorf("an assertion registered %v: %v", got, err)
	}
}

func (a attack) apply(d *device, rp *virtualwebauthn.RelyingParty, c *Ceremony) {
	if a.device != nil {
		a.device(d)
	}
	if a.site != nil {
		a.site(rp)
	}
	if a.begun != nil {
		a.begun(c)
	}
	if a.kept != nil {
		a.kept(&d.kept)
	}
}

func (a attack) check(t *testing.T, got Credential, err, want error) {
	t.Helper()
	if !errors.Is(err, want) || !strings.Contains(err.Error(), a.cause) {
		t.Errorf("error %v, want %v because of %q", err, want, a.cause)
	}
	if diff := cmp.Diff(Credential{}, got); diff != "" {
		t.Errorf("with the error came (-want +got):\n%s", diff)
	}
}

// withObject returns a registration with another attestation object.
func withObject(body, object []byte) []byte {
	var r map[string]any
	if err := json.Unmarshal(body, &r); err != nil {
		panic(err)
	}
	r["response"].(map[string]any)["attestationObject"] = text(object)
	changed, err := json.Marshal(r)
	if err != nil {
		panic(err)
	}
	return changed
}

// unattested returns an attestation object of the form "none", as browsers send it
// when no attestation is asked for, for a public key in COSE form.
func unattested(id, key []byte) []byte {
	rp := sha256.Sum256([]byte(site.ID))
	data := slices.Concat(rp[:], []byte{0x45}, make([]byte, 4+16), []byte{0, byte(len(id))}, id, key)
	object := []byte("\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59")
	return append(binary.BigEndian.AppendUint16(object, uint16(len(data))), data...)
}

func TestRegistrationWithoutAttestation(t *testing.T) {
	p := party(t)
	rsa := func(bytes int) []byte {
		key := binary.BigEndian.AppendUint16([]byte("\xa4\x01\x03\x03\x39\x01\x00\x20\x59"), uint16(bytes))
		return append(append(key, slices.Repeat([]byte{0xc5}, bytes)...), "\x21\x43\x01\x00\x01"...)
	}
	for _, test := range []struct {
		name string
		key  func(*device) []byte
		err  error
	}{
		{"P-256", func(d *device) []byte { return d.key.Key.AttestationData() }, nil},
		{"RSA of 8,192 bits", func(*device) []byte { return rsa(1024) }, nil},
		{"RSA of 32,768 bits", func(*device) []byte { return rsa(4096) }, ErrInvalid},
	} {
		d := newDevice(ana, virtualwebauthn.KeyTypeEC2)
		options, ceremony := begin(t, p, ana)
		body := withObject(d.attest(t, site, options), unattested(d.key.ID, test.key(d)))
		if _, err := p.FinishRegistration(ceremony, ana, body, "Phone", now); !errors.Is(err, test.err) {
			t.Errorf("%s: %v, want %v", test.name, err, test.err)
		}
	}
}

// FuzzResponses checks that no response makes a ceremony fail otherwise than by its
// fault, and that none is accepted that was not signed for it.
func FuzzResponses(f *testing.F) {
	p := party(f)
	d := register(f, p, ana, virtualwebauthn.KeyTypeEC2, 0)
	creation, registration := begin(f, p, ana)
	request, begun := beginSignIn(f, p)
	f.Add(d.attest(f, site, creation))
	f.Add(d.assert(f, site, request))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{}}`))
	registration.Challenge, begun.Challenge = strings.Repeat("A", 43), strings.Repeat("A", 43)
	f.Fuzz(func(t *testing.T, body []byte) {
		if _, err := p.FinishRegistration(registration, ana, body, "x", now); !errors.Is(err, ErrInvalid) {
			t.Errorf("registration: %v", err)
		}
		if _, err := signIn(p, begun, body, d.kept); !errors.Is(err, ErrRefused) {
			t.Errorf("sign-in: %v", err)
		}
	})
}
