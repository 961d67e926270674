package region

import (
	"regexp"
	"strings"
	"testing"

	"miramundo.dev/shared/catalog/fold"
	"miramundo.dev/shared/source"
)

func index() *Index {
	return NewIndex(
		[]source.Subdivision{
			{Country: "DE", Code: "DE-BY", Name: "Bayern"}, {Country: "DE", Code: "DE-NW", Name: "Nordrhein-Westfalen"},
			{Country: "DE", Code: "DE-HE", Name: "Hessen"}, {Country: "BR", Code: "BR-SP", Name: "Sao Paulo"},
			{Country: "BR", Code: "BR-MG", Name: "Minas Gerais"}, {Country: "AU", Code: "AU-NSW", Name: "New South Wales"},
			{Country: "AU", Code: "AU-QLD", Name: "Queensland"}, {Country: "AU", Code: "AU-VIC", Name: "Victoria"},
			{Country: "US", Code: "US-WA", Name: "Washington"}, {Country: "US", Code: "US-DC", Name: "District of Columbia"},
			{Country: "US", Code: "US-AL", Name: "Alabama"}, {Country: "US", Code: "US-KS", Name: "Kansas"},
			{Country: "US", Code: "US-MO", Name: "Missouri"}, {Country: "UK", Code: "GB-WLS", Name: "Wales"},
			{Country: "ES", Code: "ES-NA", Name: "Navarra", Parent: "ES-NC"}, {Country: "ES", Code: "ES-NC", Name: "Navarra"},
			{Country: "MX", Code: "MX-MEX", Name: "Mexico"}, {Country: "MX", Code: "MX-VER", Name: "Veracruz de Ignacio de la Llave"},
			{Country: "RU", Code: "RU-MOW", Name: "Moskva"}, {Country: "JP", Code: "JP-26", Name: "Kyoto"}, {Country: "JP", Code: "JP-13", Name: "Tokyo"},
			{Country: "CN", Code: "CN-ZJ", Name: "Zhejiang"}, {Country: "LV", Code: "LV-RIX", Name: "Riga"},
		},
		[]source.City{
			{Country: "DE", Subdivision: "DE-BY", Code: "DEMUC", Name: "München"},
			{Country: "US", Subdivision: "US-AL", Code: "USAAA", Name: "Springfield"}, {Country: "US", Subdivision: "US-MO", Code: "USAAB", Name: "Springfield"},
			{Country: "UK", Subdivision: "GB-WLS", Code: "GBCDF", Name: "Cardiff"}, {Country: "AU", Code: "AUXXX", Name: "Nowhere"},
		})
}

func TestFind(t *testing.T) {
	x := index()
	for _, test := range []struct{ country, text, want string }{
		{"DE", "DE-BY", "DE-BY"}, {"DE", "BY", "DE-BY"}, {"DE", "by", ""}, {"US", "DE-BY", ""}, // codes
		{"DE", "Bayern", "DE-BY"}, {"DE", " bayern ", "DE-BY"}, {"BR", "São Paulo", "BR-SP"}, {"GB", "Wales", "GB-WLS"}, // names
		{"DE", "Bavaria", "DE-BY"}, {"DE", "NRW", "DE-NW"}, {"CN", "Chekiang", "CN-ZJ"}, {"RU", "Москва", "RU-MOW"}, // other names
		{"CN", "浙江省", "CN-ZJ"}, {"JP", "京都府", "JP-26"}, {"JP", "東京都", "JP-13"},
		{"BR", "Estado de São Paulo", "BR-SP"}, {"AU", "State of Victoria", "AU-VIC"}, // generic words
		{"MX", "Estado de México", "MX-MEX"}, {"MX", "México", ""}, {"MX", "Veracruz, México", "MX-VER"}, // the name of the country is not read as a subdivision
		{"US", "Seattle, Washington", "US-WA"}, {"US", "Washington, DC", "US-DC"}, {"US", "Kansas, Missouri", "US-MO"}, {"DE", "Hessen (Kassel)", "DE-HE"}, // parts
		{"AU", "Sydney NSW", "AU-NSW"}, {"US", "Birmingham Alabama", "US-AL"}, {"AU", "Queensland Townsville", "AU-QLD"}, // ends
		{"US", "Kansas City MO", "US-MO"}, {"BR", "Minas Gerais Brasil", "BR-MG"},
		{"DE", "München", "DE-BY"}, {"GB", "Cardiff", "GB-WLS"}, {"US", "Springfield", ""}, {"AU", "Nowhere", ""}, // cities
		{"ES", "Navarra", "ES-NC"}, // the larger of two
		{"AT", "Bayern", ""}, {"", "Bayern", ""}, {"DE", "", ""}, {"DE", "Germany", ""}, {"DE", "Web", ""}, {"DE", strings.Repeat("Bayern ", 60), ""},
	} {
		for range 2 { // the second time from memory
			if got := x.Find(test.country, test.text); got != test.want {
				t.Errorf("Find(%q, %.40q) = %q, want %q", test.country, test.text, got, test.want)
			}
		}
	}
}

// TestOtherNames checks that each line of the table has a code and names, and
// that no name stands for two subdivisions of a country.
func TestOtherNames(t *testing.T) {
	form := regexp.MustCompile(`^[A-Z]{2}-[A-Z0-9]{1,3} \S`)
	for line := range strings.Lines(strings.TrimSpace(otherNames)) {
		if !form.MatchString(line) {
			t.Errorf("the line %q has no code or no name", line)
		}
	}
	seen := map[place]string{}
	for _, other := range others() {
		at := place{other.code[:2], other.name}
		if code := seen[at]; code != "" && code != other.code {
			t.Errorf("%q stands for %s and %s", other.name, code, other.code)
		}
		if seen[at] = other.code; fold.Words(other.name) != other.name {
			t.Errorf("%q is not folded", other.name)
		}
	}
}
