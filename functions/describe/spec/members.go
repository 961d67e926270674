package spec

import "miramundo.dev/shared/social"

// enums are the values of members whose values are declared elsewhere, by name.
var enums = map[string][]string{
	"last_fail_code": social.Codes,
	"your_fail_code": social.Codes,
}

// members describe the members of results that mean the same in every schema, by
// name. A field with a description of its own keeps it.
var members = map[string]string{
	"_links":         "Addresses of related resources.",
	"active":         "True while it is valid.",
	"api":            "Address of this resource in the API.",
	"api_url":        "Address of the endpoint that takes the message.",
	"at":             "Time of the event, in UTC.",
	"category_id":    "Id of the folder.",
	"chain_id":       "Number of the payment network's chain; null when payments are off.",
	"channel_id":     "Id of the channel.",
	"code":           "Code of the cause.",
	"count":          "Number of them.",
	"country":        "Country as ISO 3166-1 alpha-2; null when it is not known.",
	"createdAt":      "Time at which it was created, in UTC.",
	"created_at":     "Time at which it was created, in UTC.",
	"day":            "Day in UTC.",
	"error":          "Code of the failure, for programs.",
	"expiresAt":      "Time after which it is not valid, in UTC.",
	"fails":          "Failure reports.",
	"form_url":       "Address of the form for people.",
	"group_id":       "Id of the sub-tab.",
	"health":         "Percentage of successes; null with too few reports.",
	"id":             "Id, unique among those of its kind.",
	"items":          "The items of this page, in order.",
	"json":           "Address of the playlist in JSON.",
	"kind":           "Kind of the channel: tv or radio.",
	"last_at":        "Time of the last one, in UTC; null before the first.",
	"last_fail_at":   "Time of the last failure report, in UTC; null before the first.",
	"last_fail_code": "Cause of the last failure; null before the first.",
	"last_ok_at":     "Time of the last success report, in UTC; null before the first.",
	"last_played_at": "Time of the last play, in UTC; null before the first.",
	"limit":          "Largest number of items on this page.",
	"logo_url":       "Address of the logo; null when there is no logo.",
	"m3u":            "Address of the playlist in M3U.",
	"m3u8":           "Address of the playlist in M3U8: M3U with another ending.",
	"method":         "Method of the request.",
	"name":           "Name for people.",
	"offset":         "Number of matching items before this page.",
	"ok":             "True when the call succeeded.",
	"page":           "Address of the page for people.",
	"plays":          "Success reports.",
	"role":           "Role in the organization.",
	"self":           "Address of this resource in the API.",
	"slug":           "Part of feed addresses that stands for it, made from its name.",
	"stale":          "True when it is older than its limit.",
	"total":          "Number of all matching items.",
	"url":            "Address, absolute.",
	"xspf":           "Address of the playlist in XSPF.",
	"your_fail_code": "Cause of the last failure in the caller's environment; null before the first.",
}
