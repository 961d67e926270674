package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"miramundo.dev/shared/api"
)

// healthTime is how long the service may take to say how it is.
const healthTime = 5 * time.Second

// maxHealth is how much of an answer is read, in bytes.
const maxHealth = 1 << 20

// healthOnce asks the service that runs with the same settings on this machine how it
// is. Its error says what is wrong.
func healthOnce(ctx context.Context, _ options, vars map[string]string, out io.Writer) error {
	c, err := parseSettings(vars)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	address, err := own(c.ListenAddrs()[0])
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+api.HealthPath, nil)
	if err != nil {
		return err
	}
	req.Host = localName
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return fmt.Errorf("the service does not answer: %w", err)
	}
	defer res.Body.Close()
	var health struct {
		Database bool
		Reason   string `json:"database_reason"`
		Catalog  struct {
			SyncedAt *string `json:"synced_at"`
			Problem  string
		}
	}
	switch err := json.NewDecoder(io.LimitReader(res.Body, maxHealth)).Decode(&health); {
	case res.StatusCode != http.StatusOK:
		return fmt.Errorf("the service answers %s", res.Status)
	case err != nil:
		return fmt.Errorf("the service does not say how it is: %w", err)
	case !health.Database:
		return fmt.Errorf("the database does not answer or takes no writes (%s)", health.Reason)
	case health.Catalog.Problem != "":
		return errors.New("the catalog: " + health.Catalog.Problem)
	case health.Catalog.SyncedAt == nil:
		return errors.New("the catalog is not loaded yet")
	}
	_, err = fmt.Fprintln(out, "the service is well")
	return err
}

// own returns how this machine calls what listens at an address.
func own(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", err
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
		if ip != nil && ip.To4() == nil {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}
