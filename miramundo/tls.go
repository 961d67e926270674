package main

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"miramundo.dev/miramundo/machine"
	"miramundo.dev/shared/config"
)

// certificatesFolder keeps certificates and the key of the account at the ACME server,
// within the data folder.
const certificatesFolder = "certificates"

// certificates returns what gets the certificates of the hosts with https, when they are
// first asked for, and renews them.
func certificates(c config.Config) (*autocert.Manager, error) {
	client, err := acmeClient(c)
	if err != nil {
		return nil, err
	}
	return &autocert.Manager{
		Prompt:     autocert.AcceptTOS,
		Cache:      autocert.DirCache(filepath.Join(c.DataDir, certificatesFolder)),
		HostPolicy: autocert.HostWhitelist(nameOf(c.BaseURL), nameOf(c.HopURL)),
		Email:      c.ACMEEmail,
		Client:     client,
	}, nil
}

// acmeClient returns the client of the ACME server. Its account key is made by the
// manager.
func acmeClient(c config.Config) (*acme.Client, error) {
	client := &acme.Client{DirectoryURL: c.ACMEDirectory, UserAgent: c.UserAgent()}
	if c.ACMERoots == "" {
		return client, nil
	}
	pem, err := os.ReadFile(c.ACMERoots)
	if err != nil {
		return nil, fmt.Errorf("ACME_ROOTS: %w", err)
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("ACME_ROOTS: %s has no certificate", c.ACMERoots)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	client.HTTPClient = &http.Client{Transport: transport}
	return client, nil
}

// secureRouter returns the router of HTTPS.
func secureRouter(c config.Config, fronts *machine.Fronts) http.Handler {
	return routes(&fronts.Gateway, map[string]http.Handler{c.BaseURL: &fronts.Gateway, c.HopURL: &fronts.Hop})
}

// plainRouter returns the router of HTTP beside HTTPS: the player of plain HTTP media,
// and redirects for the other hosts.
func plainRouter(c config.Config, fronts *machine.Fronts) http.Handler {
	return routes(&fronts.Gateway, map[string]http.Handler{
		plain(c.BaseURL): redirect(c.BaseURL), plain(c.HopURL): redirect(c.HopURL), c.LegacyURL: &fronts.Legacy,
	})
}

// plain returns an address with the scheme http.
func plain(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	u.Scheme, u.Host = "http", u.Hostname()
	return u.String()
}

// redirect redirects requests to the same path of an address. Writes are refused, since
// their caller has sent its credentials in the clear.
func redirect(to string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			http.Error(w, "Use "+to+".", http.StatusForbidden)
			return
		}
		http.Redirect(w, r, to+r.URL.RequestURI(), http.StatusMovedPermanently)
	})
}
