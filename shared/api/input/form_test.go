package input

import (
	"errors"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/fault"
)

type formIn struct {
	Form
	Name  string `query:"name" maxLength:"8"`
	Tags  string `query:"tags"`
	Limit int    `query:"limit" default:"10" minimum:"1" cap:"50"`
}

// TestForm decodes parameters from the query and from bodies of each kind.
func TestForm(t *testing.T) {
	plan, err := Compile(reflect.TypeFor[formIn](), "/x")
	if err != nil {
		t.Fatal(err)
	}
	if !plan.Form || !plan.Body {
		t.Errorf("Form %t, Body %t", plan.Form, plan.Body)
	}
	const form, object = FormType, "application/json"
	for name, test := range map[string]struct {
		query, media, body string
		want               formIn
		code, reason       string // of the fault; empty for none
	}{
		"nothing":                 {"", "", "", formIn{Limit: 10}, "", ""},
		"an empty form":           {"name=a", form, "", formIn{Name: "a", Limit: 10}, "", ""},
		"a form":                  {"", form, "name=a+b&limit=7", formIn{Name: "a b", Limit: 7}, "", ""},
		"a form with a charset":   {"", form + "; charset=UTF-8", "name=%C3%A9", formIn{Name: "é", Limit: 10}, "", ""},
		"the query comes first":   {"name=q", form, "name=f&limit=3", formIn{Name: "q", Limit: 3}, "", ""},
		"an object":               {"", object, `{"name":"a","limit":7,"unknown":{}}`, formIn{Name: "a", Limit: 7}, "", ""},
		"a number as text":        {"", object, `{"limit":"99"}`, formIn{Limit: 50}, "", ""},
		"a list":                  {"", object, `{"tags":["a","b"]}`, formIn{Tags: "a,b", Limit: 10}, "", ""},
		"null":                    {"", object, `{"name":null,"limit":null}`, formIn{Limit: 10}, "", ""},
		"an object and the query": {"limit=3", object, `{"limit":"many","name":"a"}`, formIn{Name: "a", Limit: 3}, "", ""},
		"an empty object":         {"", object, `{}`, formIn{Limit: 10}, "", ""},
		"another type":            {"", "text/plain", "name=a", formIn{}, "unsupported_media_type", ""},
		"not an object":           {"", object, `[1]`, formIn{}, "invalid_body", "not_object"},
		"not JSON":                {"", object, `{"name":`, formIn{}, "invalid_body", "syntax"},
		"an object in an object":  {"", object, `{"name":{}}`, formIn{}, "invalid_body", "wrong_type"},
		"a list of numbers":       {"", object, `{"tags":[1]}`, formIn{}, "invalid_body", "wrong_type"},
		"too long":                {"", object, `{"name":"123456789"}`, formIn{}, "invalid_body", "too_long"},
		"too long in a form":      {"", form, "name=123456789", formIn{}, "invalid_request", "too_long"},
		"a bad escape":            {"", form, "name=%zz", formIn{}, "invalid_request", "encoding"},
		"a long form":             {"", form, "name=a&x=" + strings.Repeat("y", MaxQuery), formIn{}, "invalid_request", "too_long"},
		"more than the limit":     {"", object, `{"name":"` + strings.Repeat("y", 1<<15) + `"}`, formIn{}, "body_too_large", ""},
	} {
		r := httptest.NewRequest("POST", "/x?"+test.query, strings.NewReader(test.body))
		r.Header.Set("Content-Type", test.media)
		got := plan.Preset().(formIn)
		err := plan.Decode(r, reflect.ValueOf(&got).Elem(), 1<<15)
		if test.code == "" {
			if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
				t.Errorf("%s: %v %s", name, err, diff)
			}
			continue
		}
		var f *fault.Error
		if !errors.As(err, &f) || f.Code != test.code || test.reason != "" && f.Fields["reason"] != test.reason {
			t.Errorf("%s: %v, want %s %s", name, err, test.code, test.reason)
		}
	}
}

// TestFormAlone checks that a form cannot be declared with another body.
func TestFormAlone(t *testing.T) {
	for _, in := range []reflect.Type{
		reflect.TypeFor[struct {
			Form
			A string `json:"a"`
		}](),
		reflect.TypeFor[struct {
			Form
			A []byte `body:"text/plain"`
		}](),
	} {
		if _, err := Compile(in, "/x"); err == nil {
			t.Errorf("%s compiles", in)
		}
	}
}
