package config

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"regexp"
	"strconv"
	"time"
)

// A Stack is how the parts of the service are laid out on one machine: what
// emulator.json says. Its block "emulators" is that of the Firebase tools.
type Stack struct {
	Project   string            `json:"project"`
	Emulators Emulators         `json:"emulators"`
	Services  map[string]Listen `json:"services"` // gateway, hop, legacy, chatroom, …
	Topics    map[string]Topic  `json:"topics"`
	Jobs      map[string]JobRun `json:"jobs"`
	Instances map[string]int    `json:"instances"` // of functions and containers that run as several, on the emulators
	Backups   Backups           `json:"backups"`
	Edge      Edge              `json:"edge"`
}

// Backups are when the local stack copies its data, and how many copies it keeps.
type Backups struct {
	Every Duration `json:"every"` // no backups when it is left out
	Keep  int      `json:"keep"`
}

// Emulators are where the official emulators listen.
type Emulators struct {
	Firestore Listen `json:"firestore"`
	PubSub    Listen `json:"pubsub"`
}

// A Listen is where a part listens.
type Listen struct {
	Host string `json:"host"`
	Port int    `json:"port"`
}

// Addr returns l as host:port.
func (l Listen) Addr() string { return net.JoinHostPort(l.Host, strconv.Itoa(l.Port)) }

// A Topic is how events of one kind are delivered.
type Topic struct {
	Push        Push   `json:"push"`
	DeadLetter  string `json:"deadLetter"`
	MaxAttempts int    `json:"maxAttempts"`
}

// A Push names the function that events are delivered to.
type Push struct {
	Function string `json:"function"`
}

// A JobRun is when a job runs.
type JobRun struct {
	Every Duration `json:"every"`
	Path  string   `json:"path"`
}

// A Duration is written as in Go, such as "6h".
type Duration struct{ time.Duration }

// UnmarshalText parses a positive duration.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v <= 0 {
		return fmt.Errorf("%q must be a duration greater than zero, such as 6h", text)
	}
	d.Duration = v
	return nil
}

// An Edge is what the local gateway adds to requests in place of an edge.
type Edge struct {
	Country string `json:"country"` // ISO 3166-1 alpha-2
}

// ReadStack reads the layout in the file at path.
func ReadStack(path string) (Stack, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return Stack{}, err
	}
	var s Stack
	if err := json.Unmarshal(data, &s); err != nil {
		return Stack{}, fmt.Errorf("%s: %w", path, err)
	}
	if err := s.check(); err != nil {
		return Stack{}, fmt.Errorf("%s: %w", path, err)
	}
	return s, nil
}

// maxInstances is the largest number of instances of one service on a machine.
const maxInstances = 16

var countryCode = regexp.MustCompile(`^([A-Z]{2})?$`)

// check refuses parts without an address, two parts at one address, and a country
// that no edge would name.
func (s Stack) check() error {
	if s.Project == "" {
		return fmt.Errorf("project is missing")
	}
	if !countryCode.MatchString(s.Edge.Country) {
		return fmt.Errorf("edge.country must be an ISO 3166-1 alpha-2 code, or empty")
	}
	taken := map[string]string{}
	parts := map[string]Listen{"emulators.firestore": s.Emulators.Firestore, "emulators.pubsub": s.Emulators.PubSub}
	for name, l := range s.Services {
		parts["services."+name] = l
	}
	for name, l := range parts {
		if l.Host == "" || l.Port < 1 || l.Port > 65535 {
			return fmt.Errorf("%s must have a host and a port between 1 and 65535", name)
		}
		if other := taken[l.Addr()]; other != "" {
			return fmt.Errorf("%s and %s are both at %s", min(name, other), max(name, other), l.Addr())
		}
		taken[l.Addr()] = name
	}
	if s.Backups.Every.Duration > 0 && s.Backups.Keep < 1 {
		return fmt.Errorf("backups.keep must be at least 1")
	}
	for name, n := range s.Instances {
		if n < 1 || n > maxInstances {
			return fmt.Errorf("instances.%s must be between 1 and %d", name, maxInstances)
		}
	}
	for name, j := range s.Jobs {
		if j.Every.Duration == 0 {
			return fmt.Errorf("job %s must have a positive duration in every", name)
		}
	}
	return nil
}
