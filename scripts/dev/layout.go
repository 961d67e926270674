package main

import (
	"cmp"
	"fmt"
	"net"
	"strconv"

	"miramundo.dev/shared/config"
)

// A layout is where the parts of the stack listen, each as host:port. Port 0 is
// any free one.
type layout struct {
	gateway, hop, legacy, chatroom, origin, payments string
}

// following is how many ports after the gateway's belong to the stack: those of the other
// parts, and of the two emulators.
const following = 7

// layOut returns the places that the flags in given name. What they leave open
// is as the file says; or, when they name the gateway, the ports that follow
// the gateway's, in the order of the file's.
func layOut(given layout, file config.Stack) (layout, error) {
	if given.gateway == "" {
		l := layout{
			gateway:  file.Services["gateway"].Addr(),
			hop:      cmp.Or(given.hop, file.Services["hop"].Addr()),
			legacy:   cmp.Or(given.legacy, file.Services["legacy"].Addr()),
			chatroom: cmp.Or(given.chatroom, file.Services["chatroom"].Addr()),
			origin:   cmp.Or(given.origin, addrOf(file, "origin", 1)),
			payments: cmp.Or(given.payments, addrOf(file, "payments", 2)),
		}
		return l, l.check()
	}
	host, port, err := split(given.gateway)
	if err != nil {
		return layout{}, fmt.Errorf("-gateway %s: %w", given.gateway, err)
	}
	next := func(n int) string {
		if port == 0 {
			return net.JoinHostPort(host, "0")
		}
		return net.JoinHostPort(host, strconv.Itoa(port+n))
	}
	l := layout{
		gateway:  net.JoinHostPort(host, strconv.Itoa(port)),
		hop:      cmp.Or(given.hop, next(1)),
		legacy:   cmp.Or(given.legacy, next(2)),
		chatroom: cmp.Or(given.chatroom, next(3)),
		origin:   cmp.Or(given.origin, next(4)),
		payments: cmp.Or(given.payments, next(5)),
	}
	return l, l.check()
}

// addrOf returns where a part listens: where the file says, or n ports after the last
// of the file's services.
func addrOf(file config.Stack, name string, n int) string {
	if l, ok := file.Services[name]; ok {
		return l.Addr()
	}
	last := file.Services["gateway"]
	for _, l := range file.Services {
		if l.Port > last.Port {
			last = l
		}
	}
	last.Port += n
	return last.Addr()
}

// split reads host:port. Without a host it is the loopback address: a local
// stack serves other machines only when a flag says so.
func split(addr string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return "", 0, err
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535-following {
		return "", 0, fmt.Errorf("%q is not a port with %d more after it", text, following)
	}
	return cmp.Or(host, "127.0.0.1"), port, nil
}

func (l layout) check() error {
	for flag, addr := range map[string]string{"-gateway": l.gateway, "-hop": l.hop, "-legacy": l.legacy, "-chatroom": l.chatroom, "-origin": l.origin, "-payments": l.payments} {
		if _, _, err := split(addr); err != nil {
			return fmt.Errorf("%s %s: %w", flag, addr, err)
		}
	}
	return nil
}

// address is what a browser on this machine calls addr.
func address(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		addr = net.JoinHostPort("127.0.0.1", port)
	}
	return "http://" + addr
}
