package budget

import "time"

// The budgets of the service. They bound what one caller can make the service pay for,
// and no person meets them:
//
//	budget     who      at once   then one in   so that
//	Writes     owner        600        0.5 s   a person who presses ten times a second goes on for a minute,
//	                                           and one who zaps every two seconds (three writes) goes on for hours
//	           network   30,000       50 ms    fifty such people share one address
//	Imports    owner         30         20 s   signing in on every device and trying a file again and again is possible
//	           network      600          2 s   as many people
//	Rotations  owner         30        1 min   a program can replace all ten API keys of an account, and once more
//	           network      600          5 s   as many people
//	Publications  owner      30        3 min   somebody looks at a preview after every change, and publishes as often as one comments
//	           network      600         18 s   as many people
//	Guests     network       30         30 s   a household or an office begins; each guest counts as a person where
//	                                           plays and comments are counted
//	Guesses    network       20         10 s   an operator who pastes a wrong token into a page that asks several times
//	                                           corrects it; of wrong tokens alone, see package api
//	           all          300          1 s   many networks together are noticed too
//
// A network is an IPv4 address or an IPv6 /64. All networks of one IPv6 /56 together have
// the allowance of four, and those of one /48 the allowance of sixteen: see widths.
//
// What a caller who does not stop can cost, at 0.09 USD for 100,000 writes: an owner makes
// 173,000 writes a day, or 0.16 USD; a network with any number of guests 1.7 million, or
// 1.56 USD; an IPv6 /48 with any number of networks 25 USD at each instance. One connection
// made 524 history writes, 711 rotations and 175 favorites a second before there were
// budgets: 45, 61 and 15 million a day.
//
// Writes are counted by each process alone, since a document for each would cost as much
// as the write. Guests are shared strictly: the first guest of a network costs one read
// and one write, and the next four cost nothing. Imports and rotations are shared loosely:
// the first three of an owner at an instance cost nothing more, and then every five cost
// one read and one write.
var (
	Writes = &Budget{
		Name:    "writes",
		Of:      "Favorites, history, library, play reports, comments and every other write of a caller",
		Owner:   Allowance{AtOnce: 600, Every: 500 * time.Millisecond},
		Network: Allowance{AtOnce: 30_000, Every: 50 * time.Millisecond},
	}
	Imports = &Budget{
		Name:    "imports",
		Of:      "Imports into the library, and claims of a guest",
		Owner:   Allowance{AtOnce: 30, Every: 20 * time.Second, Chunk: 5, Unasked: 3},
		Network: Allowance{AtOnce: 600, Every: 2 * time.Second},
	}
	Rotations = &Budget{
		Name:    "rotations",
		Of:      "New feed tokens and API keys",
		Owner:   Allowance{AtOnce: 30, Every: time.Minute, Chunk: 5, Unasked: 3},
		Network: Allowance{AtOnce: 600, Every: 5 * time.Second},
	}
	Publications = &Budget{
		Name:    "publications",
		Of:      "Publishing a library, and changes of a public one",
		Owner:   Allowance{AtOnce: 30, Every: 3 * time.Minute, Chunk: 5, Unasked: 3},
		Network: Allowance{AtOnce: 600, Every: 18 * time.Second},
	}
	Guests = &Budget{
		Name:    "guests",
		Of:      "New guests",
		Network: Allowance{AtOnce: 30, Every: 30 * time.Second, Chunk: 5},
	}
	Guesses    = Allowance{AtOnce: 20, Every: 10 * time.Second}
	AllGuesses = Allowance{AtOnce: 300, Every: time.Second}
)

// All lists the budgets of endpoints.
func All() []*Budget { return []*Budget{Writes, Imports, Rotations, Publications, Guests} }
