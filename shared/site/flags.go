package site

import (
	"slices"
	"strings"
)

// The flags of all countries together are 45 kB packed, of which most pages show a few.
// So those of the countries with most channels are one file (18 kB), and the others another.

// The files of flags, by their names without a hash.
const (
	Flags     = "flags.svg"
	MoreFlags = "flags-more.svg"
)

// CommonFlags are the codes of the countries whose flags are in [Flags], in lower case
// and in alphabetical order.
var CommonFlags = strings.Fields(`
	ae af al ar at au aw az ba bd be bg bj bo br by bz ca cd ch ci cl cm cn co cr cz de dk do ec ee eg es fi fr gb
	ge gh gr gt hk hn hr ht hu id ie il in iq ir it jo jp ke kg kh kr kw kz la lb lt lu lv md mk mm mn mx my ng ni
	nl nz pa pe ph pk pl pr ps pt py qa ro rs ru sa se sg si sk sn sv sy tg th tj tr tw ua ug us uz ve vn xk za`)

// FlagFile returns the file that has the flag of a country, by its code in lower case.
func FlagFile(code string) string {
	if _, ok := slices.BinarySearch(CommonFlags, code); ok {
		return Flags
	}
	return MoreFlags
}
