package brand

import "testing"

// TestAgree checks names of the kinds that share a stream address in the real
// register. The threshold was measured on 200 such pairs: see
// TestThreshold of the package above.
func TestAgree(t *testing.T) {
	for _, test := range []struct {
		a, b string
		want bool
	}{
		// One station.
		{"Radio Nova", "radio  NOVA", true},
		{"LORFM", "LOR'FM", true},
		{"Rox FM 105.5 Roxby", "RoxFM", true},
		{"3 FM", "NPO 3FM", true},
		{"Radio Guerilla", "Radio Guerrilla", true},
		{"sunnah radio", "RadioSunna", true},
		{"BBC Radio One Dance", "BBC Radio 1 Dance (128k)", true},
		{"Fréquence 3 FLAC", "FREQUENCE 3", true},
		{"KEXP", "KEXP 90.3 FM Seattle", true},
		{"Saudia Radio 97.0 FM", "Saudia Radio 87.7 FM", true},
		{"92.1 FM", "FM 92.1", true},
		{"Радио Мята", "Radio Myata", true},
		{"Λάμψη", "Radio Lampsi", true},
		{"Радио Record", "Радио Рекорд", true},
		{"Радио FM+", "FM +", true},
		{"深圳新闻广播", "深圳新聞廣播", true},
		{"古典音樂台", "Classical 古典音樂台 FM 97.7", true},
		{"https://s.example/stream", "Radio Monte Carlo", true}, // a name that says nothing
		// Two brands at one address.
		{"Kuwait 2nd programme", "MC Doualiya", false},
		{"Kiss Music FM", "Hitz Latino FM", false},
		{"Gravy FM", "Sin Radio", false},
		{"Vokal", "90lar Pop", false},
		{"Mera FM 107.4", "Samaa FM 107.4", false},
		{"KALI Saigon", "CRI Tiếng Việt", false},
		{"昌吉综合广播", "昌吉交通广播", false},
		{"Бизнес FM", "Вести FM", false},
		{"Radio", "Radio Nova", false},
		{"test", "Radio Paradise Main Mix", false},
		// Two programmes of one brand.
		{"BBC Radio 1", "BBC Radio 2", false},
		{"Antenne 80er", "Antenne 90er", false},
	} {
		a, b := Of(test.a), Of(test.b)
		if got := a.Agree(b); got != test.want || b.Agree(a) != got {
			t.Errorf("%q agrees with %q: %t and %t, want %t (likeness %.2f of %q and %q)",
				test.a, test.b, got, b.Agree(a), test.want, a.Likeness(b), a.latin.words, b.latin.words)
		}
	}
}

func TestIn(t *testing.T) {
	for _, test := range []struct {
		name, address string
		want          bool
	}{
		{"MC Doualiya", "https://www.mc-doualiya.com/", true},
		{"Monte Carlo", "https://montecarlo128k.ice.example/mc.mp3", true},
		{"Радио Мята", "https://radiomyata.example/", true},
		{"Exa FM", "https://exafm.example/", true},
		{"Kuwait 2nd programme", "https://montecarlo128k.ice.example/mc.mp3", false},
		{"K1", "https://k1.example/", false}, // too short to say much
		{"Radio", "https://s.example/radio", true},
		{"Nova", "", false},
	} {
		if got := Of(test.name).In(test.address); got != test.want {
			t.Errorf("%q is in %q: %t, want %t", test.name, test.address, got, test.want)
		}
	}
}

func TestScripts(t *testing.T) {
	for _, test := range []struct {
		a, b string
		same bool
	}{{"Nova", "Mera", true}, {"Нова", "Nova", false}, {"Нова", "Λάμψη", true}, {"广播", "Nova", false}, {"CNR 广播", "故城", true}} {
		if got := Of(test.a).SameScript(Of(test.b)); got != test.same {
			t.Errorf("%q and %q are in one script: %t, want %t", test.a, test.b, got, test.same)
		}
	}
}

func TestDistinctive(t *testing.T) {
	for name, want := range map[string]bool{"Amor Stereo": false, "Radio Nova FM": false, "Radio Campus Grenoble": true, "哈尔滨古典音乐广播": true} {
		if got := Of(name).Distinctive(); got != want {
			t.Errorf("%q is distinctive: %t, want %t", name, got, want)
		}
	}
}

func FuzzLikeness(f *testing.F) {
	f.Add("Радио Record 90.1", "Radio Рекорд")
	f.Add("https://s.example", "古典音樂台")
	f.Add("", "1 2,3 .")
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Of(a), Of(b)
		if l := x.Likeness(y); !(l >= 0 && l <= 1) || l != y.Likeness(x) {
			t.Errorf("the likeness of %q and %q is %v, the other way %v", a, b, l, y.Likeness(x))
		}
		if l := x.Likeness(x); l != 1 {
			t.Errorf("the likeness of %q to itself is %v", a, l)
		}
	})
}

func BenchmarkOf(b *testing.B) {
	for _, name := range []string{"Radio Campus Grenoble 90.8 FM", "Радио Рекорд Organic", "深圳新闻广播"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				Of(name)
			}
		})
	}
}
