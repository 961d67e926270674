package translit

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// The schemes of Cyrillic are: as English newspapers write, as passports do,
// as people type in chats, and as Slavs write who use Latin letters.
const russian = `а=a б=b в=v г=g д=d е=e ё=yo|e|e|jo ж=zh|zh|zh|z з=z и=i й=y|i|y|j к=k л=l м=m н=n о=o п=p р=r
с=s т=t у=u ф=f х=kh|kh|h|h ц=ts|ts|c|c ч=ch|ch|ch|c ш=sh|sh|sh|s щ=shch|shch|sch|sc ъ= ы=y|y|i|y ь= э=e
ю=yu|iu|yu|ju я=ya|ia|ya|ja ’= '= ʼ= і=i ї=yi|i|yi|ji є=ye|ie|e|je ґ=g ў=u|w|u|u ј=j љ=lj њ=nj ђ=dj ћ=c џ=dz
ѓ=gj ќ=kj ѕ=dz ә=a|e ғ=g қ=q|k ң=n|ng ө=o ұ=u ү=u һ=h`

// cyrillicTables are the romanisations of each language: those of Russian, and
// what differs.
var cyrillicTables = map[language]func() romanisations{
	general:    parse(russian),
	ukrainian:  parse(russian, `г=h|h|g|h и=y|y|i|y щ=shch`),
	bulgarian:  parse(russian, `х=h|h|kh ъ=a|u щ=sht ц=ts|ts|c ж=zh|zh|j ю=yu|iu я=ya|ia|q`),
	serbian:    parse(russian, `х=h ж=z|zh ц=c|ts ч=c|ch ш=s|sh ђ=dj|d ћ=c|ch љ=lj|l њ=nj|n џ=dz|dzh`),
	belarusian: parse(russian, `г=h|h|g`),
	turkic:     parse(russian, `й=y|i ж=zh|j х=kh|h и=i`),
}

func appendCyrillic(dst []byte, text []rune, l language, scheme int) []byte {
	table, ok := cyrillicTables[l]
	if !ok {
		table = cyrillicTables[general]
	}
	return table().appendLetters(dst, text, scheme)
}

// The schemes of Greek are: as passports write, as people type it by sound, as
// they type it by the look of the letters, and as Latin writes ancient names.
var greekTable = parse(`α=a β=v|v|b|b γ=g|y|g|g δ=d ε=e ζ=z η=i|i|h|e θ=th ι=i κ=k|k|k|c λ=l μ=m ν=n
ξ=x|ks|ks|x ο=o π=p ρ=r σ=s ς=s τ=t υ=y|i|u|y φ=f|f|f|ph χ=ch|h|x|ch ψ=ps ω=o|o|w|o ου=ou|u|ou|u αι=ai|e|ai|ae
ει=ei|i|ei|i οι=oi|i|oi|oe υι=yi|i μπ=mp|b ντ=nt|d|nt|nt γκ=gk|g|gk|g γγ=ng γχ=nch τζ=tz τσ=ts`)

// voiceless are the letters before which υ after a vowel is f instead of v.
const voiceless = "θκξπσςτφχψ"

// appendGreek appends a word. Two vowels are one sound unless an accent on the
// first or a diaeresis on the second parts them.
func appendGreek(dst []byte, text []rune, scheme int) []byte {
	if text[0] == 'μ' && len(text) > 1 && text[1] == 'π' {
		dst, text = append(dst, 'b'), text[2:]
	}
	accented := text
	text = withoutMarks(text)
	for i := 0; i < len(text); i++ {
		if i > 0 && text[i] == 'υ' && strings.ContainsRune("αεη", text[i-1]) && accented[i-1] == text[i-1] && accented[i] != 'ϋ' {
			unvoiced := i+1 == len(text) || strings.ContainsRune(voiceless, text[i+1])
			if unvoiced {
				dst = append(dst, 'f')
			} else {
				dst = append(dst, 'v')
			}
			continue
		}
		end := i + 1
		if end < len(text) && accented[i] == text[i] && accented[end] != 'ϊ' {
			if _, ok := greekTable()[string(text[i:end+1])]; ok {
				end++
			}
		}
		dst = greekTable().appendLetters(dst, text[i:end], scheme)
		i = end - 1
	}
	return dst
}

// withoutMarks returns the letters without the marks on them, as many as before.
func withoutMarks(text []rune) []rune {
	var out []rune
	for _, r := range text {
		plain := []rune(norm.NFD.String(string(r)))
		out = append(out, plain[0])
	}
	return out
}
