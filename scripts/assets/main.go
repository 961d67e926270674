// Command assets writes the files that the build embeds: the flags of countries and
// the players of the isolated page, both from npm packages, and the bundled
// scripts, styles and maps of the pages.
//
// It reads the packages that npm ci installed, and fails when one is not as
// expected. It writes only files that differ, so that the next build does not
// compile their packages again.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
)

func main() {
	from := flag.String("from", "node_modules", "folder of the installed packages")
	flags := flag.String("flags", "functions/media/flags", "folder of flags that the build embeds")
	players := flag.String("players", "functions/legacy/players", "folder of players that the build embeds")
	web := flag.String("web", "functions/web", "folder of the pages' sources, whose folder static the build embeds")
	flag.Parse()
	log.SetFlags(0)
	if err := run(*from, *flags, *players, *web); err != nil {
		log.Fatalf("assets: %v", err)
	}
}

func run(from, flags, players, web string) error {
	n, err := copyFlags(os.DirFS(filepath.Join(from, "country-flag-icons")), flags)
	if err != nil {
		return fmt.Errorf("country-flag-icons: %w", err)
	}
	m, err := copyPlayers(os.DirFS(from), players)
	if err != nil {
		return err
	}
	k, err := buildPages(from, web, drawWorld)
	if err != nil {
		return err
	}
	if n+m+k > 0 {
		log.Printf("assets: wrote %d files into %s, %d into %s and %d for the pages of %s", n, flags, m, players, k, web)
	}
	return nil
}

// write writes data into the file name in the folder to, and returns the number of
// files that it wrote: 0 when the file has that content already.
func write(to, name string, data []byte) (int, error) {
	target := filepath.Join(to, name)
	if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, data) {
		return 0, nil
	}
	return 1, os.WriteFile(target, data, 0o644)
}
