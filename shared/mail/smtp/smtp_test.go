package smtp

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"log"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/emersion/go-sasl"
	gosmtp "github.com/emersion/go-smtp"

	"miramundo.dev/shared/i18n"
	"miramundo.dev/shared/mail"
	"miramundo.dev/shared/mail/address"
)

// A delivery is a mail that the server accepted, or a part of one.
type delivery struct {
	user, from string
	to         []string
	encrypted  bool
	utf8       bool
	data       []byte
}

// A server is a mail server on the loopback address.
type server struct {
	addr string
	cert tls.Certificate
	pool *x509.CertPool

	mu      sync.Mutex
	got     []delivery
	callers []string                                // addresses of the connections, in order
	fail    func(connection int, step string) error // may be nil
}

// The steps of a connection that fail may refuse.
const (
	atHello = "hello"
	atMail  = "mail"
	atRcpt  = "rcpt"
	atData  = "data"
)

// start runs a server that offers STARTTLS, or begins with TLS, or does neither.
func start(t *testing.T, s *server, implicit, startTLS bool) *server {
	t.Helper()
	s.cert, s.pool = certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.addr = l.Addr().String()
	settings := &tls.Config{Certificates: []tls.Certificate{s.cert}}
	if implicit {
		l = tls.NewListener(l, settings)
	}
	srv := gosmtp.NewServer(s)
	srv.Domain, srv.EnableSMTPUTF8, srv.ErrorLog = "smtp.example", true, log.New(io.Discard, "", 0)
	if startTLS {
		srv.TLSConfig = settings
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(l) }()
	t.Cleanup(func() {
		_ = srv.Close()
		<-served
	})
	return s
}

// certificate returns one that is valid for the loopback address, and its roots.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func (s *server) NewSession(c *gosmtp.Conn) (gosmtp.Session, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	caller := c.Conn().RemoteAddr().String()
	if !slices.Contains(s.callers, caller) { // a session begins again after STARTTLS
		s.callers = append(s.callers, caller)
	}
	session := &session{server: s, number: len(s.callers), conn: c}
	return session, session.refuse(atHello)
}

// deliveries returns what the server accepted, and of how many connections.
func (s *server) deliveries() ([]delivery, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got), len(s.callers)
}

type session struct {
	delivery

	server *server
	number int
	conn   *gosmtp.Conn
}

// errHangUp makes the server close the connection without an answer.
var errHangUp = errors.New("hang up")

func (s *session) refuse(step string) error {
	if s.server.fail == nil {
		return nil
	}
	err := s.server.fail(s.number, step)
	if errors.Is(err, errHangUp) {
		_ = s.conn.Conn().Close()
	}
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

func (s *session) AuthMechanisms() []string { return []string{sasl.Plain} }

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != "miramundo" || password != "the password" {
			return gosmtp.ErrAuthFailed
		}
		s.user = user
		return nil
	}), nil
}

func (s *session) Mail(from string, o *gosmtp.MailOptions) error {
	s.from, s.utf8 = from, o.UTF8
	_, s.encrypted = s.conn.TLSConnectionState()
	return s.refuse(atMail)
}

func (s *session) Rcpt(to string, _ *gosmtp.RcptOptions) error {
	s.to = append(s.to, to)
	return s.refuse(atRcpt)
}

func (s *session) Data(r io.Reader) (err error) {
	if err := s.refuse(atData); err != nil {
		return err
	}
	if s.data, err = io.ReadAll(r); err != nil {
		return err
	}
	s.server.mu.Lock()
	defer s.server.mu.Unlock()
	s.server.got = append(s.server.got, s.delivery)
	return nil
}

// client returns a client of s that does not pause between its attempts.
func (s *server) client(t *testing.T, change func(*Options)) *Client {
	t.Helper()
	o := Options{
		Addr: s.addr, TLS: &tls.Config{RootCAs: s.pool}, User: "miramundo", Password: "the password",
		Head: mail.Letterhead{From: "mail@miramundo.example", Base: "https://miramundo.example", Now: time.Now},
	}
	if change != nil {
		change(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	c.pause = 0
	return c
}

var message = mail.Message{
	To: "maria@exämple.de", Locale: i18n.PT,
	Content: mail.SignIn{Code: "654321", Link: "https://miramundo.example/x", Holds: 10 * time.Minute},
}

// TestDelivered checks what reaches a server that offers STARTTLS.
func TestDelivered(t *testing.T) {
	s := start(t, &server{}, false, true)
	if err := s.client(t, nil).Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	got, _ := s.deliveries()
	if len(got) != 1 {
		t.Fatalf("the server got %d mails", len(got))
	}
	d := got[0]
	if d.user != "miramundo" || d.from != "mail@miramundo.example" || !slices.Equal(d.to, []string{"maria@xn--exmple-cua.de"}) || !d.encrypted || d.utf8 {
		t.Errorf("the server got %+v", d)
	}
	if !bytes.Contains(d.data, []byte("\r\n654321\r\n")) || bytes.ContainsFunc(d.data, func(r rune) bool { return r > unicode.MaxASCII }) {
		t.Errorf("the mail is\n%s", d.data)
	}
}

// TestImplicitTLS checks a connection that begins with TLS.
func TestImplicitTLS(t *testing.T) {
	s := start(t, &server{}, true, false)
	c := s.client(t, nil)
	if c.implicit() {
		t.Fatalf("port %d begins with TLS", c.port)
	}
	c.tlsPort = c.port
	if err := c.Send(t.Context(), message); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.deliveries(); len(got) != 1 || !got[0].encrypted || got[0].user == "" {
		t.Errorf("the server got %+v", got)
	}
}

// TestPlain checks that a connection without TLS is only made where it is allowed.
func TestPlain(t *testing.T) {
	s := start(t, &server{}, false, false)
	err := s.client(t, func(o *Options) { o.User = "" }).Send(t.Context(), message)
	if got, connections := s.deliveries(); !errors.Is(err, mail.ErrNotSent) || len(got) != 0 || connections != 1 {
		t.Errorf("without STARTTLS: %v after %d connections, the server got %+v", err, connections, got)
	}
	plain := s.client(t, func(o *Options) { o.Plain, o.User = true, "" })
	if err := plain.Send(t.Context(), message); err != nil {
		t.Error(err)
	}
	if got, _ := s.deliveries(); len(got) != 1 || got[0].encrypted {
		t.Errorf("the server got %+v", got)
	}
}

// TestCertificate checks that a certificate of an unknown authority is refused.
func TestCertificate(t *testing.T) {
	s := start(t, &server{}, false, true)
	err := s.client(t, func(o *Options) { o.TLS = nil }).Send(t.Context(), message)
	if got, _ := s.deliveries(); !errors.Is(err, mail.ErrNotSent) || !strings.Contains(err.Error(), "certificate") || len(got) != 0 {
		t.Errorf("%v, the server got %+v", err, got)
	}
}

// reply is the error by which the server answers with a code. Its text repeats the
// recipient, as those of real servers do.
func reply(code int) error {
	return &gosmtp.SMTPError{Code: code, EnhancedCode: gosmtp.EnhancedCode{code / 100, 2, 0}, Message: "<maria@xn--exmple-cua.de> is not welcome"}
}

// TestAnswers checks which answers lead to a second attempt, and to a third never,
// and that errors name neither the recipient nor what the mail says.
func TestAnswers(t *testing.T) {
	for _, step := range []string{atHello, atMail, atRcpt, atData} {
		for _, test := range []struct {
			code, failures int // of how many connections
			connections    int
			sent           bool
		}{{451, 1, 2, true}, {421, 9, 2, false}, {550, 1, 1, false}, {550, 9, 1, false}} {
			s := start(t, &server{fail: func(connection int, at string) error {
				if at == step && connection <= test.failures {
					return reply(test.code)
				}
				return nil
			}}, false, true)
			err := s.client(t, nil).Send(t.Context(), message)
			got, connections := s.deliveries()
			if (err == nil) != test.sent || (len(got) == 1) != test.sent || connections != test.connections {
				t.Errorf("%d at %s: %v after %d connections, want %d", test.code, step, err, connections, test.connections)
			}
			if err != nil && (!errors.Is(err, mail.ErrNotSent) || !strings.Contains(err.Error(), "it answers") || strings.Contains(err.Error(), "maria")) {
				t.Errorf("%d at %s: the error is %v", test.code, step, err)
			}
		}
	}
}

// TestPassword checks that a refused password is not tried again, nor said.
func TestPassword(t *testing.T) {
	s := start(t, &server{}, false, true)
	err := s.client(t, func(o *Options) { o.Password = "another password" }).Send(t.Context(), message)
	if _, connections := s.deliveries(); !errors.Is(err, mail.ErrNotSent) || connections != 1 || strings.Contains(err.Error(), "another") || !strings.Contains(err.Error(), "535") {
		t.Errorf("%v after %d connections", err, connections)
	}
}

// TestHangUp checks that a connection that breaks while the mail is sent leads to
// no second mail, and one that breaks before to a second attempt.
func TestHangUp(t *testing.T) {
	for step, want := range map[string]int{atHello: 2, atMail: 1, atData: 1} {
		s := start(t, &server{fail: func(_ int, at string) error {
			if at == step {
				return errHangUp
			}
			return nil
		}}, false, true)
		err := s.client(t, nil).Send(t.Context(), message)
		if _, connections := s.deliveries(); !errors.Is(err, mail.ErrNotSent) || connections != want {
			t.Errorf("at %s: %v after %d connections, want %d", step, err, connections, want)
		}
	}
}

// TestSlow checks that a server that never answers is left when the time of the
// request is over, at each step where it can be slow.
func TestSlow(t *testing.T) {
	for _, step := range []string{atHello, atRcpt, atData} {
		ctx, cancel := context.WithCancel(t.Context())
		release := make(chan struct{})
		s := start(t, &server{fail: func(_ int, at string) error {
			if at == step {
				cancel()
				<-release
			}
			return nil
		}}, false, true)
		begun := time.Now()
		err := s.client(t, nil).Send(ctx, message)
		if took := time.Since(begun); took > sendTime/2 {
			t.Errorf("at %s: it took %v to end", step, took)
		}
		if !errors.Is(err, mail.ErrNotSent) || !strings.Contains(err.Error(), "no time is left") {
			t.Errorf("at %s: %v", step, err)
		}
		close(release)
	}
}

// TestUnreachable checks that a server that refuses connections is asked twice.
func TestUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &server{addr: l.Addr().String()}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.client(t, nil).Send(t.Context(), message); !errors.Is(err, mail.ErrNotSent) || !isTemporary(err) {
		t.Errorf("%v", err)
	}
}

func TestRefusals(t *testing.T) {
	for _, o := range []Options{{Addr: "smtp.example"}, {Addr: ":25"}, {Addr: "smtp.example:x"}, {Addr: "smtp.example:0"}, {Addr: "smtp.example:25", Plain: true}} {
		if c, err := New(o); err == nil {
			t.Errorf("%+v makes %+v", o, c)
		}
	}
	s := &server{addr: "127.0.0.1:1"}
	if err := s.client(t, nil).Send(t.Context(), mail.Message{To: "maria", Content: mail.Deleted{}}); !errors.Is(err, address.ErrInvalid) {
		t.Errorf("to no address: %v", err)
	}
}
