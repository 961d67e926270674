package functions

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"miramundo.dev/shared/api"
	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fault"
)

// oddIDs are path segments that name nothing.
var oddIDs = map[string]string{
	"long":           strings.Repeat("x", 300),
	"very long":      strings.Repeat("x", 6000),
	"long name":      strings.Repeat("%C3%A9", 200),
	"slash":          "a%2Fb",
	"way up":         "..%2F..%2Fetc%2Fpasswd",
	"dots":           "%2e%2e",
	"dot":            "%2e",
	"NUL":            "a%00",
	"line end":       "a%0D%0Ab",
	"no UTF-8":       "%ff%fe",
	"cut UTF-8":      "%C3",
	"space":          "%20",
	"percent":        "%25",
	"reserved":       "__x__",
	"quote":          "%22%3Cx%3E",
	"other alphabet": "%E0%A4%B9",
}

// TestOddIDs calls every endpoint that has a parameter in its path with values that
// name nothing: the answer is 404 where the endpoint has no fault of the input, and
// never a failure of the service.
func TestOddIDs(t *testing.T) {
	d := deps(t, openEmbedded(t), fixture)
	m := mux(t, d)
	h := apitest.Validating(t, m, documents(t)...)
	token, _ := issueGuest(t, d)
	tried := 0
	for _, e := range Table() {
		if !strings.Contains(strings.TrimSuffix(e.Paths()[0], "{$}"), "{") {
			continue
		}
		filters := strings.HasSuffix(e.Path, "/{filter}") // a list may have no value of which a text is a part
		knowsBad := slices.ContainsFunc(e.AllFaults(), func(f *fault.Error) bool { return f.Kind == fault.Invalid })
		headers := []string{"X-Guest-Token", token, "Content-Type", "application/json"}
		if e.Credential != "" {
			headers = append(headers, "Authorization", "Bearer "+operatorToken)
		}
		for name, id := range oddIDs {
			res, text := apitest.Do(t, h, e.Method, pathWith(e, id), "", headers...)
			tried++
			switch status := res.StatusCode; {
			case status >= 500:
				t.Errorf("%s, %s: %d %.200s", e.Pattern(), name, status, text)
			case status == http.StatusBadRequest && !knowsBad:
				t.Errorf("%s, %s: 400 %.200s, want 404", e.Pattern(), name, text)
			case filters && status == http.StatusOK:
			case status == http.StatusOK && e.Method == http.MethodGet:
				t.Errorf("%s, %s: 200 %.200s, want 404", e.Pattern(), name, text)
			case e.Auth == api.None && e.Method == http.MethodGet && !knowsBad && status/100 != 3 && status != http.StatusNotFound && !retired(e):
				t.Errorf("%s, %s: %d %.200s, want 404", e.Pattern(), name, status, text)
			}
		}
	}
	if tried < 500 {
		t.Errorf("%d requests", tried)
	}
}

// retired reports whether an endpoint answers every call alike, that it is gone.
func retired(e api.Endpoint) bool {
	return slices.ContainsFunc(e.Faults, func(f *fault.Error) bool { return f.Kind == fault.Gone })
}

// pathWith returns the path of an endpoint with a value for each of its parameters.
func pathWith(e api.Endpoint, value string) string {
	var path strings.Builder
	for rest := strings.TrimSuffix(e.Paths()[0], "{$}"); rest != ""; {
		before, after, found := strings.Cut(rest, "{")
		path.WriteString(before)
		if found {
			_, after, _ = strings.Cut(after, "}")
			path.WriteString(value)
		}
		rest = after
	}
	return path.String()
}
