package speech

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// stars are proper names of stars, as the International Astronomical Union
// lists them: the same in all languages. Nicknames depend on their order and
// number, so neither may change.
var stars = [...]string{
	"Acrux", "Adhara", "Albireo", "Alcor", "Alcyone", "Aldebaran", "Algol", "Alhena",
	"Alioth", "Alkaid", "Alkes", "Almach", "Alnair", "Alnilam", "Alnitak", "Alphard",
	"Alphecca", "Alpheratz", "Altair", "Aludra", "Ankaa", "Antares", "Arcturus", "Arneb",
	"Atlas", "Atria", "Avior", "Bellatrix", "Betelgeuse", "Canopus", "Capella", "Caph",
	"Castor", "Deneb", "Denebola", "Diphda", "Dubhe", "Elnath", "Eltanin", "Enif",
	"Fomalhaut", "Gacrux", "Gienah", "Hadar", "Hamal", "Izar", "Kochab", "Markab",
	"Megrez", "Menkar", "Merak", "Mimosa", "Mintaka", "Mira", "Mirach", "Mizar",
	"Peacock", "Polaris", "Pollux", "Procyon", "Regulus", "Rigel", "Sirius", "Vega",
}

// Nickname returns the name of an owner who has not chosen one, such as
// "Vega 4821". It is always the same, has no accents and does not reveal the id
// of the owner. Several owners may have the same nickname.
func Nickname(owner string) string {
	sum := sha256.Sum256([]byte("nickname\x00" + owner))
	n := binary.BigEndian.Uint64(sum[:8])
	return fmt.Sprintf("%s %04d", stars[n%uint64(len(stars))], n/uint64(len(stars))%10_000)
}
