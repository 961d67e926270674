package site

import "golang.org/x/text/language"

// Regions are the parts of the world that countries are listed by, as the United
// Nations number them. Some are within North America, 003, which is what remains of it.
var Regions = []string{"013", "029", "003", "005", "150", "002", "142", "009"}

// RegionOf returns the part of the world that a country (ISO 3166-1 alpha-2) belongs to;
// empty for what is not a country.
func RegionOf(code string) string {
	country, err := language.ParseRegion(code)
	if err != nil || !country.IsCountry() {
		return ""
	}
	for _, number := range Regions {
		if language.MustParseRegion(number).Contains(country) {
			return number
		}
	}
	return ""
}
