package translit

import (
	"strings"

	"github.com/mozillazg/go-unidecode"
)

// caucasian are the letters of Georgian and Armenian that the decoder writes by
// signs that nobody types.
var caucasian = parse(`ხ=kh ც=ts ძ=dz წ=ts ჭ=ch ჟ=zh ღ=gh ყ=q შ=sh ჩ=ch ფ=p|f|p|f თ=t ქ=k კ=k პ=p ტ=t
ու=u եւ=ev և=ev խ=kh ծ=ts ձ=dz ղ=gh ճ=ch ժ=zh չ=ch ջ=j ց=ts|ts|c|ts շ=sh ռ=r ր=r փ=p ք=k|q թ=t ը=y է=e`)

// Ethiopic syllables: the eight letters of a consonant follow each other, one
// for each vowel. The sixth has a short one or none.
const (
	ethiopicFirst = 0x1200
	ethiopicLast  = 0x135A
	ethiopicSixth = 5
)

var ethiopicVowels = [8]string{"e", "u", "i", "a", "e", "", "o", "wa"}

// appendOther appends a word of a script without tables of its own.
func appendOther(dst []byte, text []rune, scheme int) []byte {
	if text[0] < ethiopicFirst || text[0] > ethiopicLast {
		return caucasian().appendLetters(dst, text, scheme)
	}
	for i, r := range text {
		if r < ethiopicFirst || r > ethiopicLast {
			dst = appendDecoded(dst, text[i:i+1])
			continue
		}
		place := (r - ethiopicFirst) % 8
		consonant := strings.TrimSuffix(string(appendDecoded(nil, []rune{r - place + ethiopicSixth})), "e")
		vowel := ethiopicVowels[place]
		if consonant == "" && place == 0 {
			vowel = "a"
		}
		dst = append(append(dst, consonant...), vowel...)
	}
	return dst
}

// appendDecoded appends letters by the table of go-unidecode, without the
// signs that it puts for sounds that Latin letters lack.
func appendDecoded(dst []byte, text []rune) []byte {
	for _, r := range unidecode.Unidecode(string(text)) {
		if !strings.ContainsRune("'`@?[]^ ", r) {
			dst = append(dst, byte(r))
		}
	}
	return dst
}
