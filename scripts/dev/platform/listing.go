package platform

import (
	"encoding/json"
	"fmt"
	"os"
)

// InstancesFile is the name of the file in which the local stack lists its instances, in
// its data folder. It is written again whenever one is started.
const InstancesFile = "instances.json"

// A Listed is an instance in the file that [WriteInstances] writes.
type Listed struct {
	Service string `json:"service"`
	Name    string `json:"name"`
	Address string `json:"address"` // host:port
	PID     int    `json:"pid"`     // 0 while it is started again
	Starts  int    `json:"starts"`  // how often it was started
}

// WriteInstances writes the instances of services to a file, as a JSON array in the order
// of the services. A reader sees the old file or the new one. It must not be called
// concurrently.
func WriteInstances(file string, services []*Service) error {
	var all []Listed
	for _, s := range services {
		for _, i := range s.instances {
			all = append(all, Listed{s.Name, i.Name, i.Address, i.PID(), i.Starts()})
		}
	}
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", append(text, '\n'), 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// ReadInstances reads a file that WriteInstances wrote.
func ReadInstances(file string) ([]Listed, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []Listed
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return all, nil
}
