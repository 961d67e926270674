// Package smtp sends mails through a mail server.
//
// Each mail has a connection of its own: accounts send few mails, and a connection
// that is kept open breaks unseen. It is encrypted, with the certificate checked,
// or there is none: by TLS from the start at port 465, and by STARTTLS at any
// other port. Only to a server on the loopback address it may be plain.
//
// A mail is tried twice at most. The second attempt is made when the server
// answers the first with a temporary failure (4xx), or when the connection fails
// before the mail is begun, and not when it breaks later: the mail may have arrived.
// Both attempts together have 10 seconds.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"

	"miramundo.dev/shared/mail"
)

const (
	// sendTime bounds the delivery of one mail, with its second attempt.
	sendTime = 10 * time.Second
	// retryPause is the time before the second attempt.
	retryPause = time.Second
	// implicitTLS is the port where TLS begins with the connection (RFC 8314).
	implicitTLS = 465
)

// Options are how a server is reached.
type Options struct {
	Addr     string // host:port
	Plain    bool   // the connection is not encrypted; only for a host that is this machine
	User     string // empty: the client does not authenticate
	Password string // a secret
	Head     mail.Letterhead
	TLS      *tls.Config // nil: the roots of the system
}

// A Client is a [mail.Sender] that hands mails to one server.
type Client struct {
	options Options
	host    string
	port    int
	tlsPort int           // where TLS begins with the connection
	pause   time.Duration // before the second attempt
}

// New returns a client. It does not connect.
func New(o Options) (*Client, error) {
	host, port, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return nil, fmt.Errorf("mail server: %w", err)
	}
	n, err := strconv.Atoi(port)
	if err != nil || n < 1 || n > 65535 || host == "" {
		return nil, fmt.Errorf("mail server %s: it must be host:port", o.Addr)
	}
	if o.Plain && !IsLoopback(host) {
		return nil, fmt.Errorf("mail server %s: only one on this machine is reached without TLS", o.Addr)
	}
	settings := new(tls.Config)
	if o.TLS != nil {
		settings = o.TLS.Clone()
	}
	settings.ServerName, settings.MinVersion = host, tls.VersionTLS12
	o.TLS = settings
	return &Client{o, host, n, implicitTLS, retryPause}, nil
}

// IsLoopback reports whether a host is this machine, so that what is sent to it
// crosses no network.
func IsLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// Send delivers m within 10 seconds.
func (c *Client) Send(ctx context.Context, m mail.Message) error {
	msg, err := c.options.Head.Encode(m)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	err = c.attempt(ctx, msg)
	if isTemporary(err) && wait(ctx, c.pause) {
		err = c.attempt(ctx, msg)
	}
	if err != nil {
		return mail.ErrNotSent.Because(err)
	}
	return nil
}

// wait returns after d, and reports whether ctx is not done.
func wait(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// A failure is an error of an attempt. It has the step and the code of the server,
// and not its words, which may repeat the recipient's address.
type failure struct {
	step      string
	code      int // of the server's reply; 0 for none
	temporary bool
	cause     string // of a failure without a code
}

func (f *failure) Error() string {
	if f.code != 0 {
		return fmt.Sprintf("mail server: %s: it answers %d", f.step, f.code)
	}
	return fmt.Sprintf("mail server: %s: %s", f.step, f.cause)
}

func isTemporary(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.temporary
}

// attempt makes one connection and sends msg on it. The library does not close a
// connection after every failure, and gives each step a time of its own, so the
// attempt closes it at its end and when ctx is done.
func (c *Client) attempt(ctx context.Context, msg *gomail.Msg) error {
	var conn net.Conn
	dial := func(_ context.Context, network, addr string) (net.Conn, error) {
		raw, err := new(net.Dialer).DialContext(ctx, network, addr)
		if err != nil {
			return nil, err
		}
		if conn = raw; c.implicit() {
			conn = tls.Client(raw, c.options.TLS)
		}
		context.AfterFunc(ctx, func() { _ = raw.Close() })
		return conn, nil
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	client, err := c.client(dial)
	if err != nil {
		return err
	}
	session, err := client.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return beforeMail(ctx, err, conn != nil)
	}
	err = client.SendWithSMTPClient(session, msg)
	if msg.IsDelivered() {
		_ = client.CloseWithSMTPClient(session) // the mail has arrived, whatever follows
		return nil
	}
	return duringMail(ctx, err)
}

// implicit reports whether TLS begins with the connection.
func (c *Client) implicit() bool { return c.port == c.tlsPort && !c.options.Plain }

// client returns a client of the library whose connections come from dial.
func (c *Client) client(dial gomail.DialContextFunc) (*gomail.Client, error) {
	policy := gomail.TLSMandatory // STARTTLS
	if c.options.Plain || c.implicit() {
		policy = gomail.NoTLS
	}
	options := []gomail.Option{
		gomail.WithPort(c.port), gomail.WithTimeout(sendTime), gomail.WithHELO(c.options.Head.Domain()),
		gomail.WithTLSConfig(c.options.TLS), gomail.WithTLSPolicy(policy), gomail.WithDialContextFunc(dial),
		gomail.WithoutNoop(),
		gomail.WithoutSMTPUTF8(), // our mails do not need it, and servers that lack it would refuse them
	}
	if c.options.User != "" {
		options = append(options, gomail.WithUsername(c.options.User), gomail.WithPassword(c.options.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return gomail.NewClient(c.host, options...)
}

// beforeMail explains an error from before the mail was begun. Nothing has been
// sent, so that another attempt does no harm.
func beforeMail(ctx context.Context, err error, connected bool) error {
	f := &failure{step: "connecting"}
	if connected {
		f.step = "greeting, encrypting or authenticating"
	}
	if reply, ok := errors.AsType[*textproto.Error](err); ok {
		f.code, f.temporary = reply.Code, reply.Code/100 == 4
		return f
	}
	var network net.Error
	f.cause, f.temporary = describe(ctx, err), errors.Is(err, io.EOF) || errors.As(err, &network)
	return f
}

// duringMail explains an error from the delivery of a mail.
func duringMail(ctx context.Context, err error) error {
	f := &failure{step: "sending"}
	if e, ok := errors.AsType[*gomail.SendError](err); ok {
		f.step, f.code, f.temporary = e.Reason.String(), e.ErrorCode(), e.ErrorCode()/100 == 4
	}
	f.cause = describe(ctx, err)
	return f
}

// describe returns the cause of an error in words that hold nothing of the mail.
func describe(ctx context.Context, err error) string {
	var network net.Error
	switch {
	case ctx.Err() != nil:
		return "no time is left"
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return "its certificate is not valid"
	case errors.As(err, &network):
		return "the connection failed"
	}
	return "it broke off, or does not offer what is needed"
}
