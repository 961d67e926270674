package password

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

// reasonOf returns the reason for which a password is refused, or "".
func reasonOf(t *testing.T, pw string) any {
	t.Helper()
	err := Weak(pw, "Maria.Oliveira@exemplo.com.br")
	if err == nil {
		return ""
	}
	if !errors.Is(err, ErrWeak) || err.Error() != "weak_password" {
		t.Errorf("Weak(%q) = %v", pw, err)
	}
	return fault.From(err).Fields["reason"]
}

func TestWeak(t *testing.T) {
	for _, test := range []struct{ pw, want string }{
		{"", TooShort},
		{"açaíçãe", TooShort}, // seven characters in more bytes
		{"zh9&kQ2", TooShort},
		{"zh9&kQ2w", ""},
		{"açaí com", ""},
		{"三碟小麦给三只老", ""},
		{strings.Repeat("Uma frase bem longa. ", 6) + "12", ""},
		{strings.Repeat("Uma frase bem longa. ", 6) + "123", TooLong},
		{strings.Repeat("長い文章です。", 18) + "十分だ", TooLong},
		{"correct horse battery staple", ""},
		{" espaços nas pontas ", ""},

		{"password", Common},
		{"Passw0rd!", Common},
		{"P@SSW0RD2024", Common},
		{"qwertyuiop", Common},
		{"1q2w3e4r", Common},
		{"Flamengo1981", Common},
		{"dezembro2026", Common},
		{"87654321", Common},
		{"aaaaaaaaaaaa", Common},
		{"abcabcabcabc", Common},
		{"xyxyxyxxyy", Common},
		{"wxyzwxyzwxyz", Common},
		{"contraseña1", Common},
		{"motdepasse99", Common},

		{"Miramundo2031#", Context},
		{"miramundo", Context},
		{"maria.oliveira@exemplo.com.br", Context},
		{"OliveiraMaria7", Context},
		{"exemplo&123", Context},
		{"a horta de maria fica longe", ""},
		{"miramundo e a horta", ""},
	} {
		if got := reasonOf(t, test.pw); got != test.want {
			t.Errorf("%q is refused as %q, want %q", test.pw, got, test.want)
		}
	}
}

// TestShortWords checks that parts of an address that are found in any text do not
// count as its words.
func TestShortWords(t *testing.T) {
	if err := Weak("trem azul de ferro", "al@de.co"); err != nil {
		t.Errorf("refused: %v", err)
	}
	if err := Weak("nenhum endereço", ""); err != nil {
		t.Errorf("refused without an address: %v", err)
	}
}

// TestCommon checks how many passwords the rules make, and that each of them is
// recognized, however it is cut.
func TestCommon(t *testing.T) {
	rules, made := commonRules(), 0
	for stem := range rules.stems {
		if !isCommon(stem) || !isCommon(stem+"2026!") {
			t.Fatalf("%q or its longer form is not recognized", stem)
		}
		for tail := range rules.tails {
			if len(stem+tail) >= MinLength {
				made++
			}
		}
	}
	if made < 2_500_000 {
		t.Errorf("the rules make %d passwords", made)
	}
}

// TestMostUsed checks that passwords that head the published lists of every year
// are recognized, apart from those that are too short anyway.
func TestMostUsed(t *testing.T) {
	var missed []string
	for pw := range strings.FieldsSeq(`password password1 password123 p@ssw0rd passw0rd 12345678 123456789 1234567890 11111111
		qwerty123 qwertyuiop iloveyou 1q2w3e4r 1qaz2wsx sunshine1 princess1 football1 baseball superman1 trustno1 abcd1234 welcome1
		admin123 letmein1 monkey123 dragon123 87654321 senha123 michael1 asdfghjkl zaq12wsx asdf1234 1234qwer q1w2e3r4t5 pokemon1
		charlie1 summer2024 liverpool1 jennifer computer internet whatever starwars 1qazxsw2 aa123456 987654321 147258369 passwort1
		hallo123 soleil123 doudou123 corvette mercedes changeme jordan23 killer123 asdfasdf 12341234 00000000 88888888 12121212`) {
		if !isCommon(pw) && !repeats(pw) {
			missed = append(missed, pw)
		}
	}
	if diff := cmp.Diff([]string(nil), missed); diff != "" {
		t.Errorf("passwords that are not recognized (-want +got):\n%s", diff)
	}
}

func FuzzWeak(f *testing.F) {
	f.Add("senha", "a@b.c")
	f.Add("\xff\xfe", "@")
	f.Fuzz(func(t *testing.T, pw, email string) {
		err := Weak(pw, email)
		if err != nil && !errors.Is(err, ErrWeak) {
			t.Errorf("Weak(%q, %q) = %v", pw, email, err)
		}
		if n := len([]rune(pw)); (n < MinLength || n > MaxLength) && err == nil {
			t.Errorf("%d characters are accepted", n)
		}
	})
}
