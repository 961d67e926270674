package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"miramundo.dev/shared/config"
)

func TestLayOut(t *testing.T) {
	local := func(port int) config.Listen { return config.Listen{Host: "127.0.0.1", Port: port} }
	file := config.Stack{Services: map[string]config.Listen{
		"gateway": local(8787), "hop": local(8788), "legacy": local(8789), "chatroom": local(8790),
	}}
	for _, test := range []struct {
		name        string
		given, want layout
	}{
		{
			"as the file says", layout{},
			layout{"127.0.0.1:8787", "127.0.0.1:8788", "127.0.0.1:8789", "127.0.0.1:8790", "127.0.0.1:8791", "127.0.0.1:8792"},
		},
		{
			"parts elsewhere", layout{origin: "127.0.0.1:9", payments: "127.0.0.1:8"},
			layout{"127.0.0.1:8787", "127.0.0.1:8788", "127.0.0.1:8789", "127.0.0.1:8790", "127.0.0.1:9", "127.0.0.1:8"},
		},
		{
			"after the gateway", layout{gateway: "127.0.0.1:9000"},
			layout{"127.0.0.1:9000", "127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003", "127.0.0.1:9004", "127.0.0.1:9005"},
		},
		{
			"after the gateway but for one", layout{gateway: "localhost:9000", hop: "127.0.0.1:7"},
			layout{"localhost:9000", "127.0.0.1:7", "localhost:9002", "localhost:9003", "localhost:9004", "localhost:9005"},
		},
		{
			"for this machine alone", layout{gateway: ":9000"},
			layout{"127.0.0.1:9000", "127.0.0.1:9001", "127.0.0.1:9002", "127.0.0.1:9003", "127.0.0.1:9004", "127.0.0.1:9005"},
		},
		{
			"IPv6", layout{gateway: "[::1]:9000"},
			layout{"[::1]:9000", "[::1]:9001", "[::1]:9002", "[::1]:9003", "[::1]:9004", "[::1]:9005"},
		},
		{
			"anywhere free", layout{gateway: "127.0.0.1:0"},
			layout{"127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0", "127.0.0.1:0"},
		},
	} {
		got, err := layOut(test.given, file)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if diff := cmp.Diff(test.want, got, cmp.AllowUnexported(layout{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

func TestLayOutUsesTheFilesPlaces(t *testing.T) {
	file := config.Stack{Services: map[string]config.Listen{
		"gateway": {Host: "127.0.0.1", Port: 1}, "hop": {Host: "127.0.0.1", Port: 2}, "legacy": {Host: "127.0.0.1", Port: 3},
		"origin": {Host: "127.0.0.1", Port: 7000}, "payments": {Host: "127.0.0.1", Port: 7001},
	}}
	if got, err := layOut(layout{}, file); err != nil || got.origin != "127.0.0.1:7000" || got.payments != "127.0.0.1:7001" {
		t.Errorf("origin at %s, payments at %s, %v", got.origin, got.payments, err)
	}
}

func TestLayOutRefuses(t *testing.T) {
	for _, given := range []layout{
		{gateway: "8787"},
		{gateway: "127.0.0.1:http"},
		{gateway: "127.0.0.1:65535"}, // no room for those that follow
		{gateway: "127.0.0.1:-1"},
		{gateway: "127.0.0.1:9000", hop: "nowhere"},
		{gateway: "127.0.0.1:9000", legacy: "127.0.0.1:x"},
		{gateway: "127.0.0.1:9000", chatroom: "127.0.0.1"},
		{gateway: "127.0.0.1:9000", origin: "127.0.0.1"},
		{gateway: "127.0.0.1:9000", payments: "127.0.0.1"},
		{origin: "127.0.0.1"},
	} {
		file := config.Stack{Services: map[string]config.Listen{"gateway": {Host: "127.0.0.1", Port: 1}, "hop": {Host: "127.0.0.1", Port: 2}, "legacy": {Host: "127.0.0.1", Port: 3}}}
		if got, err := layOut(given, file); err == nil {
			t.Errorf("%+v gave %+v, want an error", given, got)
		}
	}
}

// TestEmulatorPlaces checks that the emulators of a stack stand where no other part of it,
// and no other stack, does.
func TestEmulatorPlaces(t *testing.T) {
	file := config.Stack{Emulators: config.Emulators{
		Firestore: config.Listen{Host: "127.0.0.1", Port: 8080}, PubSub: config.Listen{Host: "127.0.0.1", Port: 8085},
	}}
	for _, test := range []struct{ gateway, firestore, pubsub string }{
		{"", "127.0.0.1:8080", "127.0.0.1:8085"},
		{"127.0.0.1:9000", "127.0.0.1:9006", "127.0.0.1:9007"},
		{"box.lan:9000", "127.0.0.1:9006", "127.0.0.1:9007"},
		{":0", "", ""},
	} {
		st := stack{settings: settings{layout: layout{gateway: test.gateway}}, file: file}
		firestore, pubsub, err := st.emulatorPlaces()
		if err != nil || firestore != test.firestore || pubsub != test.pubsub {
			t.Errorf("with the gateway at %q they are at %q and %q, %v; want %q and %q", test.gateway, firestore, pubsub, err, test.firestore, test.pubsub)
		}
	}
	st := stack{settings: settings{layout: layout{gateway: "127.0.0.1:65530"}}}
	if _, _, err := st.emulatorPlaces(); err == nil {
		t.Error("a gateway without seven ports after it has places for the emulators")
	}
}

func TestAddress(t *testing.T) {
	for addr, want := range map[string]string{
		"127.0.0.1:8787": "http://127.0.0.1:8787",
		"0.0.0.0:8787":   "http://127.0.0.1:8787",
		"[::]:8787":      "http://127.0.0.1:8787",
		"[::1]:8787":     "http://[::1]:8787",
		"box.lan:8787":   "http://box.lan:8787",
	} {
		if got := address(addr); got != want {
			t.Errorf("address(%s) = %s, want %s", addr, got, want)
		}
	}
}
