package keyring

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	first  = "the first secret; at least thirty-two characters"
	second = "the second secret; at least thirty-two characters"
	third  = "the third secret; at least thirty-two characters"
)

// parse returns the ring of a setting in which ONE, TWO and THREE stand for secrets.
func parse(t testing.TB, setting string) *Ring {
	t.Helper()
	r, err := Parse(fill(setting))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fill(setting string) string {
	return strings.NewReplacer("ONE", first, "TWO", second, "THREE", third).Replace(setting)
}

func TestParse(t *testing.T) {
	for _, test := range []struct {
		name, setting, want string
	}{
		{"empty", "", "keys []"},
		{"one key", "main:ONE", "keys [main]"},
		{"three keys", "c:THREE,b:TWO,a:ONE", "keys [c b a]"},
		{"one to a line", "b:TWO,\n a:ONE\n", "keys [b a]"},
		{"a date as a name", "2026-12-01:TWO,a:ONE", "keys [2026-12-01 a]"},
		{"the longest name", "abcdefghijklmnop:ONE", "keys [abcdefghijklmnop]"},
		{"a secret with colons", "a:x:y:ONE", "keys [a]"},
		{"a secret alone", "ONE", "keys [(unnamed)]"},
		{"a secret alone, with a colon", "ONE:TWO", "keys [(unnamed)]"},
		{"a secret alone, with commas", "ONE, and, so on", "keys [(unnamed)]"},
	} {
		r, err := Parse(fill(test.setting))
		if err != nil || r.String() != test.want {
			t.Errorf("%s: %v, %v; want %s", test.name, r, err, test.want)
		}
	}
}

// TestParseRefuses checks that an error names the mistake, and contains nothing that
// may be a secret.
func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		name, setting, want string
	}{
		{"a short secret", "a:short-secret", "at least 32 characters"},
		{"a short secret alone", "short-secret", "at least 32 characters"},
		{"a percent sign", "a:ONE%short-secret", "written as %25"},
		{"a secret without a name before one with a name", "ONE,b:TWO", "entry 1 must be name:secret"},
		{"spaces in place of a secret", "a:" + strings.Repeat(" ", 40), "at least 32 characters"},
		{"a short second secret", "a:ONE,b:short-secret", "at least 32 characters"},
		{"two secrets without names", "ONE,TWO", "entry 1 must be name:secret"},
		{"a second secret without a name", "a:ONE,TWO", "entry 2 must be name:secret"},
		{"a short second secret without a name", "a:ONE,short-secret", "entry 2 must be name:secret"},
		{"nothing after a comma", "a:ONE,", "entry 2 must be name:secret"},
		{"an empty name", "a:ONE,:TWO", "entry 2 must be name:secret"},
		{"a long name", "a:ONE,abcdefghijklmnopq:TWO", "entry 2 must be name:secret"},
		{"capitals", "a:ONE,B:TWO", "entry 2 must be name:secret"},
		{"one name twice", "a:ONE,a:TWO", "the name a is used twice"},
		{"one secret twice", "a:ONE,b:ONE", "the keys a and b have the same secret"},
	} {
		r, err := Parse(fill(test.setting))
		if r != nil || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, %v; want %q", test.name, r, err, test.want)
			continue
		}
		for _, secret := range []string{"short-secret", first, second} {
			if strings.Contains(err.Error(), secret) {
				t.Errorf("%s: the error contains a secret: %v", test.name, err)
			}
		}
	}
}

// TestStringHidesSecrets prints a ring in every way that a log does.
func TestStringHidesSecrets(t *testing.T) {
	r := parse(t, "b:TWO,a:ONE")
	for _, format := range []string{"%v", "%+v", "%s"} {
		got := fmt.Sprintf(format, struct{ Keys *Ring }{r})
		if strings.Contains(got, second) || !strings.Contains(got, "[b a]") {
			t.Errorf("%s gives %s", format, got)
		}
	}
}

const purpose = "of the tests"

var (
	data  = []byte("the data")
	bound = []byte("g_owner")
)

// accepts returns an error unless r accepts everything that s makes: a MAC, a value
// that is signed with a subkey, a MAC that is looked up, and a sealed value.
func accepts(r, s *Ring) error {
	mac, id := s.Sign(purpose, data)
	if !r.Verify(purpose, id, data, mac) {
		return errors.New("a MAC is refused")
	}
	id, secret := s.Secret(purpose)
	if same, ok := r.SecretOf(purpose, id); !ok || !cmp.Equal(same, secret) {
		return errors.New("a subkey is unknown")
	}
	stored, found := s.MACs(purpose, data)[0], false
	for _, mac := range r.MACs(purpose, data) {
		found = found || cmp.Equal(mac, stored)
	}
	if !found {
		return errors.New("a MAC is not found")
	}
	sealed, err := s.Seal(purpose, data, bound)
	if err != nil {
		return err
	}
	plain, err := r.Open(purpose, sealed, bound)
	if err == nil && !cmp.Equal(plain, data) {
		err = errors.New("a sealed value opens as another")
	}
	return err
}

// TestRollingDeployment runs, in each step of two rotations and of the start from a
// setting of one secret, instances with the setting before it and after it: each
// accepts what the other made, and what was made in any step before.
func TestRollingDeployment(t *testing.T) {
	steps := []string{"ONE", "a:ONE", "a:ONE,b:TWO", "b:TWO,a:ONE", "b:TWO,a:ONE,c:THREE", "c:THREE,b:TWO,a:ONE"}
	for i := 1; i < len(steps); i++ {
		old, next := parse(t, steps[i-1]), parse(t, steps[i])
		if err := accepts(old, next); err != nil {
			t.Errorf("step %d: an instance with the old setting refuses the new one's values: %v", i, err)
		}
		for _, before := range steps[:i] {
			if err := accepts(next, parse(t, before)); err != nil {
				t.Errorf("step %d: an instance refuses the values of %s: %v", i, before, err)
			}
		}
	}
	// Without the step that appends the key, an old instance refuses a new one's values.
	if accepts(parse(t, "a:ONE"), parse(t, "b:TWO,a:ONE")) == nil {
		t.Error("a key that an instance does not have is accepted")
	}
	if accepts(parse(t, "b:TWO"), parse(t, "a:ONE")) == nil {
		t.Error("a key that was removed is accepted")
	}
}

// TestValuesStay keeps ids, MACs and sealed values as they have always been: where
// this fails, guests lose their libraries and accounts their second factors.
func TestValuesStay(t *testing.T) {
	r := parse(t, "a:ONE")
	mac, id := r.Sign(purpose, data)
	if got, want := id+" "+hex.EncodeToString(mac), "3cE4OcBh b221954f4334babd757d2d31601e71b9f620fa6322e2543a406d6c97f57b02ad"; got != want {
		t.Errorf("signed as %s, want %s", got, want)
	}
	const sealed = "3cE4OcBh.LuBzAr1sDXwaNRIptNtIUbzTOrsIWfLQKN8AwbWGbMOvj_wi"
	if plain, err := r.Open(purpose, sealed, bound); err != nil || string(plain) != string(data) {
		t.Errorf("a sealed value opens as %q, %v", plain, err)
	}
}

// TestPurposesAreApart checks that a value of one purpose, key, owner or kind is
// refused for another.
func TestPurposesAreApart(t *testing.T) {
	r := parse(t, "a:ONE,b:TWO")
	mac, id := r.Sign(purpose, data)
	other, _ := parse(t, "b:TWO").Secret(purpose)
	for name, ok := range map[string]bool{
		"another purpose": r.Verify("another", id, data, mac),
		"another key":     r.Verify(purpose, other, data, mac),
		"no key":          r.Verify(purpose, "", data, mac),
		"the key's name":  r.Verify(purpose, "a", data, mac),
		"other data":      r.Verify(purpose, id, data[1:], mac),
		"a part":          r.Verify(purpose, id, data, mac[:16]),
		"nothing":         r.Verify(purpose, id, data, nil),
	} {
		if ok {
			t.Errorf("%s: the MAC is accepted", name)
		}
	}
	sealed, err := r.Seal(purpose, data, bound)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Open("another", sealed, bound); !errors.Is(err, ErrSealed) {
		t.Errorf("another purpose: %v", err)
	}
	for _, owner := range [][]byte{nil, []byte("g_another")} {
		if _, err := r.Open(purpose, sealed, owner); !errors.Is(err, ErrSealed) {
			t.Errorf("bound to %q: %v", owner, err)
		}
	}
}

// TestAlteredSealedValue changes, drops and inserts every single character.
func TestAlteredSealedValue(t *testing.T) {
	r := parse(t, "a:ONE,b:TWO")
	sealed, err := r.Seal(purpose, data, bound)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := r.Seal(purpose, data, bound); err != nil || again == sealed {
		t.Errorf("sealing again gave the same text, %v", err)
	}
	if strings.Contains(sealed, string(data)) || strings.Contains(sealed, base64.RawURLEncoding.EncodeToString(data)) {
		t.Errorf("%s shows what is sealed", sealed)
	}
	refuse := func(altered string) {
		t.Helper()
		if _, err := r.Open(purpose, altered, bound); altered != sealed && !errors.Is(err, ErrSealed) {
			t.Errorf("%q beside %q: %v", altered, sealed, err)
		}
	}
	for i := range len(sealed) {
		refuse(sealed[:i])
		refuse(sealed[:i] + sealed[i+1:])
		for _, c := range "Ab0-_=+/. \n\x00" {
			refuse(sealed[:i] + string(c) + sealed[i+1:])
			refuse(sealed[:i] + string(c) + sealed[i:])
		}
	}
	refuse(sealed + "\n")
}

// TestNoKey checks that a ring without keys makes and accepts nothing.
func TestNoKey(t *testing.T) {
	sealed, err := parse(t, "a:ONE").Seal(purpose, data, bound)
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range map[string]*Ring{"nil": nil, "empty": parse(t, "")} {
		if err := r.Check(); !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: Check: %v", name, err)
		}
		mac, id := r.Sign(purpose, data)
		if mac != nil || id != "" || r.Verify(purpose, id, data, mac) {
			t.Errorf("%s: signs as %x %q, or accepts it", name, mac, id)
		}
		if id, secret := r.Secret(purpose); id != "" || secret != nil {
			t.Errorf("%s: has the subkey %q", name, id)
		}
		if len(r.MACs(purpose, data)) != 0 || len(r.Secrets()) != 0 || r.SecretOn(purpose, time.Now()) != nil {
			t.Errorf("%s: has a key", name)
		}
		if _, err := r.Seal(purpose, data, bound); !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: Seal: %v", name, err)
		}
		if _, err := r.Open(purpose, sealed, bound); !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: Open: %v", name, err)
		}
	}
	if err := parse(t, "a:ONE").Check(); err != nil {
		t.Errorf("a ring with a key: %v", err)
	}
}

// TestSecretOn checks which key is in force on a day, in whatever order the
// instances list the keys.
func TestSecretOn(t *testing.T) {
	november, december := time.Date(2026, 11, 30, 23, 59, 59, 0, time.UTC), time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for _, test := range []struct {
		setting string
		at      time.Time
		want    string
	}{
		{"a:ONE,b:TWO", november, "ONE"},
		{"a:ONE,2026-12-01:TWO", november, "ONE"},
		{"a:ONE,2026-12-01:TWO", december, "TWO"},
		{"2026-12-01:TWO,a:ONE", november, "ONE"},
		{"2026-12-01:TWO,a:ONE", december, "TWO"},
		{"2026-12-01:TWO,a:ONE", december.In(time.FixedZone("west", -3600)), "TWO"},
		{"2026-11-01:ONE,2026-12-01:TWO", november, "ONE"},
		{"2026-12-01:TWO,2026-11-01:ONE", december.AddDate(1, 0, 0), "TWO"},
		{"a:ONE,2026-13-01:TWO", december.AddDate(1, 0, 0), "ONE"},
		{"2026-12-01:TWO,2026-12-02:ONE", november, "TWO"},
	} {
		_, want := parse(t, "x:"+test.want).Secret(purpose)
		if got := parse(t, test.setting).SecretOn(purpose, test.at); !cmp.Equal(got, want) {
			t.Errorf("%s at %v: another key than %q is in force", test.setting, test.at, test.want)
		}
	}
}

// TestSecretAlone checks that a setting of one secret is taken as it stands, whatever
// characters it has, and that it keeps its values when it gets a name.
func TestSecretAlone(t *testing.T) {
	for _, test := range []struct{ alone, named string }{
		{first, "main:" + first},
		{"commas, and a percent sign: 100%, and more", "main:commas%2C and a percent sign: 100%25%2C and more"},
		{first + "\n", "main:" + first + "%0A"},
	} {
		alone, err := Parse(test.alone)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([][]byte{[]byte(test.alone)}, alone.Secrets()); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.alone, diff)
		}
		if err := accepts(parse(t, test.named), alone); err != nil {
			t.Errorf("%q named as %q: %v", test.alone, test.named, err)
		}
	}
}

// TestSecrets checks that the secrets are those of the setting, in its order.
func TestSecrets(t *testing.T) {
	want := [][]byte{[]byte(second), []byte(first)}
	if diff := cmp.Diff(want, parse(t, "b:TWO,a:ONE").Secrets()); diff != "" {
		t.Errorf("secrets (-want +got)\n%s", diff)
	}
}

// TestUnmarshalText checks that a setting that is not valid leaves a ring as it was.
func TestUnmarshalText(t *testing.T) {
	var r Ring
	if err := r.UnmarshalText([]byte(fill("a:ONE"))); err != nil || r.String() != "keys [a]" {
		t.Errorf("%v, %v", &r, err)
	}
	if err := r.UnmarshalText([]byte("b:short")); err == nil || r.String() != "keys [a]" {
		t.Errorf("%v, %v", &r, err)
	}
}

// TestRandom checks that each random ring has a key of its own.
func TestRandom(t *testing.T) {
	r := Random()
	if err := accepts(r, r); err != nil {
		t.Error(err)
	}
	if accepts(r, Random()) == nil {
		t.Error("two random rings have the same key")
	}
}

func BenchmarkSign(b *testing.B) {
	r := parse(b, "a:ONE,b:TWO")
	b.ReportAllocs()
	for b.Loop() {
		r.Sign(purpose, data)
	}
}
