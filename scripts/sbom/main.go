// Sbom says what the programs of the service are made of: it writes a bill of materials
// (CycloneDX, JSON) and the texts of all licences, which are shipped beside the programs.
//
//	go run ./scripts/sbom -out DIR PROGRAM...
//
// The Go modules are those that a built program names itself, so that nothing is listed
// which is not in it. The npm packages are those of package-lock.json that browsers are
// served. It fails when a licence is not known, or is not in [allowed].
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	cyclonedx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	out := flag.String("out", "bin", "folder for sbom.json and NOTICES.txt")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out string, programs []string) error {
	if len(programs) == 0 {
		return errors.New("name the programs, for instance: go run ./scripts/sbom bin/hop")
	}
	modules, built, err := modulesOf(programs)
	if err != nil {
		return err
	}
	packages, err := packagesOf(".")
	if err != nil {
		return err
	}
	parts := append(modules, packages...)
	if err := check(parts); err != nil {
		return err
	}
	if err := writeBill(filepath.Join(out, "sbom.json"), built, parts); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "NOTICES.txt"), notices(parts), 0o644); err != nil {
		return err
	}
	fmt.Printf("%s and NOTICES.txt: %d Go modules, %d npm packages\n", filepath.Join(out, "sbom.json"), len(modules), len(packages))
	return nil
}

// writeBill writes the bill of materials of a service that was built at a version.
func writeBill(name, version string, parts []part) (err error) {
	bom := cyclonedx.NewBOM()
	bom.Metadata = &cyclonedx.Metadata{Component: &cyclonedx.Component{
		Type: cyclonedx.ComponentTypeApplication, Name: "miramundo", Version: version, BOMRef: "miramundo",
		Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "MIT"}}},
	}}
	components := make([]cyclonedx.Component, len(parts))
	for i := range parts {
		components[i] = parts[i].component()
	}
	bom.Components = &components
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return cyclonedx.NewBOMEncoder(f, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}
