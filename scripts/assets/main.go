// Assets makes what the build embeds: from the npm packages the flags of
// countries and the players that the isolated page loads, and of the sources of
// the pages, with what they import, their scripts and styles.
//
// It reads what `npm ci` installed, refuses what is not as expected, and writes
// only files that differ, so that a build after it is not done again for
// nothing.
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
	k, err := buildPages(from, web)
	if err != nil {
		return err
	}
	if n+m+k > 0 {
		log.Printf("assets: wrote %d files into %s, %d into %s and %d for the pages of %s", n, flags, m, players, k, web)
	}
	return nil
}

// write makes the file name in the folder to hold data, and returns how many
// files it wrote: none when it does already.
func write(to, name string, data []byte) (int, error) {
	target := filepath.Join(to, name)
	if old, err := os.ReadFile(target); err == nil && bytes.Equal(old, data) {
		return 0, nil
	}
	return 1, os.WriteFile(target, data, 0o644)
}
