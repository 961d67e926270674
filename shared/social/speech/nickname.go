package speech

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
)

// stars are proper names of stars, as the International Astronomical Union
// lists them: the same in all languages, and nobody's own. Their order and
// number are part of everyone's nickname.
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

// Nickname returns the name that an owner has without choosing one, such as
// "Vega 4821": always the same, without accents, and telling nothing of the
// owner's id. Others may have it too.
func Nickname(owner string) string {
	sum := sha256.Sum256([]byte("nickname\x00" + owner))
	n := binary.BigEndian.Uint64(sum[:8])
	return fmt.Sprintf("%s %04d", stars[n%uint64(len(stars))], n/uint64(len(stars))%10_000)
}
