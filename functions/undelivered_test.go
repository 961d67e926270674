package functions

import (
	"net/http"
	"testing"

	"miramundo.dev/shared/apitest"
	"miramundo.dev/shared/fact"
	"miramundo.dev/shared/fact/outbox"
	"miramundo.dev/shared/social"
)

// TestUndelivered sends a letter that waits in the outbox and drops another, at the
// word of the operator.
func TestUndelivered(t *testing.T) {
	db := openEmbedded(t)
	h := mux(t, deps(t, db, fixture))
	v := apitest.Validating(t, h, documents(t)...)
	ids := map[string]string{}
	for _, channel := range []string{"Aurora.br", "Sakura.jp"} {
		key := fact.NewKey()
		l, err := outbox.Write(social.Favorite{Key: key, Channel: channel, Delta: 1, At: noon})
		if err == nil {
			err = db.Update(t.Context(), l.Keep)
		}
		if err != nil {
			t.Fatal(err)
		}
		ids[channel] = "outbox:" + key
	}
	var list struct {
		Waiting int
		Letters []struct{ ID, Topic, Body, Problem string }
		Acts    []struct {
			Act, Event, By string
			Body           *string
		}
	}
	read := func() {
		t.Helper()
		list.Letters, list.Acts = nil, nil
		operate(t, v, "GET", "/api/admin/events", "", http.StatusOK, &list)
	}
	act := func(body string, changed bool) {
		t.Helper()
		var out struct{ Changed bool }
		operate(t, v, "POST", "/api/admin/events/acts", body, http.StatusOK, &out)
		if out.Changed != changed {
			t.Errorf("%s: changed %t", body, out.Changed)
		}
	}
	if read(); list.Waiting != 2 || len(list.Letters) != 2 || list.Letters[0].Topic != social.Favorites || list.Letters[0].Problem != "" {
		t.Errorf("before: %+v", list)
	}
	send := `{"act":"send_letter","id":"` + ids["Aurora.br"] + `","by":"Olga"}`
	drop := `{"act":"drop_letter","id":"` + ids["Sakura.jp"] + `","by":"Olga","reason":"spam"}`
	for _, order := range []string{send, drop} {
		act(order, true)
		act(order, false)
	}
	if read(); list.Waiting != 0 || len(list.Letters) != 0 || len(list.Acts) != 2 {
		t.Errorf("after: %+v", list)
	}
	for _, a := range list.Acts {
		if a.By != "Olga" || (a.Body != nil) != (a.Act == "drop_letter") {
			t.Errorf("the log has %+v", a)
		}
	}
}
