package catalog

// An Explanation is what the place of an item among the results of a search is made
// of. Only operators get it.
type Explanation struct {
	Score        *int           `json:"score" description:"Score of relevance: the sum of the points of text, rating_points, country, language and playable, less the cost of the reading, and at least 0. Null in other orders, and for an item that follows the scored ones by its rating."`
	Text         *ExplainedText `json:"text" description:"The match of the item with q; null without a score."`
	RatingPoints int            `json:"rating_points" description:"Points of the score for the rating."`
	Country      int            `json:"country" description:"Points of the score for the caller's country."`
	Language     int            `json:"language" description:"Points of the score for the caller's language, and for a language that q is written in."`
	Playable     int            `json:"playable" description:"Points of the score for a usable stream, in a search that does not ask for one."`
	Rating       int            `json:"rating" description:"Measure of how well known the item is: the sum of parts, at most 1000, and live."`
	Parts        []RatingPart   `json:"parts" nullable:"false" description:"Facts that the register has of the item, with their points."`
	Live         int            `json:"live" description:"Points that measured health, plays and favorites add to the rating; negative when they lower it."`
}

// An ExplainedText is how an item answers the words of a search.
type ExplainedText struct {
	Points  int      `json:"points" description:"Points of the name or the values, before the cost."`
	By      string   `json:"by" enum:"name,other_name,feed_name,romanised_name,values,several_names" description:"The best match of the reading: a name, values of filters that words stand for, or several names together."`
	Exact   bool     `json:"exact" description:"Whether the name is q, whatever its spaces."`
	Name    string   `json:"name,omitempty" description:"The name, in lower case without accents; absent for values and several names."`
	Values  []string `json:"values" nullable:"false" description:"Values of filters that the reading takes words for and the item has, such as country=BR."`
	Reading string   `json:"reading" description:"The words that were looked for, as the best reading of q has them."`
	Cost    int      `json:"cost" description:"Points that this reading costs, because it differs from the typed words."`
}

// A RatingPart is one reason for a rating.
type RatingPart struct {
	Name   string `json:"name" description:"Name of the fact, such as votes."`
	Value  int    `json:"value" description:"The count, or 1 for something that is there."`
	Points int    `json:"points" description:"Points that the fact adds to the rating."`
}
