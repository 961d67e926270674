// Package readers tests the feeds of a running service with programs that people
// read lists with: a list parser, a client of Xtream Codes, VLC, mpv and an XMLTV
// validator. Each must read what the feed means, and play it. The package has only tests.
package readers
