package main

import "testing"

func TestCheckInstances(t *testing.T) {
	for _, test := range []struct {
		instances map[string]int
		want      string
	}{
		{nil, ""},
		{map[string]int{"catalog": 2, "hop": 2, "chatroom": 1}, ""},
		{map[string]int{"catalog": 2, "catalgo": 2}, "instances.catalgo: this is not the name of a function or container"},
	} {
		got := ""
		if err := checkInstances(test.instances); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("checkInstances(%v) = %q, want %q", test.instances, got, test.want)
		}
	}
}
