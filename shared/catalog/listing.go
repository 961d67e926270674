package catalog

// A Listing is what lists for players show of a channel. Its texts are empty where
// nothing is known.
type Listing struct {
	ID             string
	Name           string
	Kind           Kind
	Country        string   // ISO 3166-1 alpha-2
	Category       string   // name of its first category
	Languages      []string // ISO 639-3
	LanguageLabels []string // their names
	Quality        string   // best known, such as 1080p
	Logo           string   // address
	Website        string   // address
}
