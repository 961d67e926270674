package fold

import "unicode"

// spelled maps letters that readers replace by plain ones, and that Unicode does
// not decompose, to these: Latin letters, final forms, and the variants of
// Arabic, Persian and Hebrew letters that keyboards mix.
var spelled = map[rune]string{
	'ø': "o", 'ł': "l", 'ß': "ss", 'æ': "ae", 'œ': "oe", 'đ': "d", 'ð': "d", 'þ': "th", 'ı': "i", 'ħ': "h",
	'ŧ': "t", 'ŋ': "n", 'ĸ': "k", 'ə': "e", 'ɛ': "e", 'ɔ': "o", 'ƒ': "f", 'ɖ': "d", 'ɗ': "d", 'ɓ': "b", 'ƙ': "k",
	'ƴ': "y", 'ɣ': "g", 'ƀ': "b", 'ɨ': "i", 'ʉ': "u", 'ȷ': "j", 'ǝ': "e", 'ɩ': "i", 'ʋ': "v", 'ɲ': "n", 'ʃ': "sh", 'ʒ': "zh",

	'ς': "σ",
	'ѐ': "е", 'ґ': "г", 'ђ': "д", 'ћ': "ч",

	'ى': "ي", 'ی': "ي", 'ې': "ي", 'ک': "ك", 'ڪ': "ك", 'ة': "ه", 'ە': "ه", 'ہ': "ه", 'ھ': "ه", 'ٱ': "ا",
	'ך': "כ", 'ם': "מ", 'ן': "נ", 'ף': "פ", 'ץ': "צ",
}

// digit returns the ASCII digit with the value of a decimal digit of any
// script: Unicode keeps the ten of a script together, in order.
func digit(r rune) rune {
	for _, rg := range unicode.Nd.R16 {
		if rune(rg.Lo) <= r && r <= rune(rg.Hi) {
			return '0' + (r-rune(rg.Lo))%10
		}
	}
	for _, rg := range unicode.Nd.R32 {
		if rune(rg.Lo) <= r && r <= rune(rg.Hi) {
			return '0' + (r-rune(rg.Lo))%10
		}
	}
	return r
}

// ignored reports whether r is dropped without ending the word: joiners, soft
// hyphens, the Arabic tatweel, apostrophes that are letters.
func ignored(r rune) bool {
	switch r {
	case 'ـ', 'ʻ', 'ʼ', 'ʾ', 'ʿ', 'ʹ', 'ʺ':
		return true
	}
	return unicode.Is(unicode.Cf, r)
}

// optionalMarks reports whether readers leave out the marks on letters of the
// script of r: Latin, Greek, Cyrillic, Hebrew and Arabic. In other scripts marks
// are vowels or distinguish letters.
func optionalMarks(r rune) bool {
	return r < 0x0530 || r >= 0x0590 && r < 0x0700 || r >= 0x0750 && r < 0x0780 || r >= 0x08A0 && r < 0x0900 ||
		r >= 0x1D00 && r < 0x2100 || r >= 0x2C60 && r < 0x2C80 || r >= 0xA640 && r < 0xA6A0 || r >= 0xA720 && r < 0xA800
}

// spaceless are the scripts that are written without spaces between words.
var spaceless = []*unicode.RangeTable{
	unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi,
	unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar,
}

// solitary reports whether r is a letter of a script without spaces.
func solitary(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return r == 'ー' || unicode.IsLetter(r) && unicode.In(r, spaceless...)
}
