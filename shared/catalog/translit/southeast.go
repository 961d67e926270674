package translit

// thaiConsonants has the two sounds of each consonant: before a vowel, and at
// the end of a syllable.
var thaiConsonants = parse(`ก=k ข=kh|k ค=kh|k ฆ=kh|k ง=ng จ=ch|t ฉ=ch ช=ch|t ซ=s|t ฌ=ch ญ=y|n ฎ=d|t ฏ=t ฐ=th|t ฑ=th|t ฒ=th|t
ณ=n ด=d|t ต=t ถ=th|t ท=th|t ธ=th|t น=n บ=b|p ป=p ผ=ph ฝ=f พ=ph|p ฟ=f|p ภ=ph|p ม=m ย=y|i ร=r|n ล=l|n ว=w|o ศ=s|t
ษ=s|t ส=s|t ห=h ฬ=l|n อ= ฮ=h`)

// thaiVowels are the vowels that follow their consonant, and those that are
// written before it.
var (
	thaiVowels  = map[rune]string{'ะ': "a", 'ั': "a", 'า': "a", 'ำ': "am", 'ิ': "i", 'ี': "i", 'ึ': "ue", 'ื': "ue", 'ุ': "u", 'ู': "u"}
	thaiLeading = map[rune]string{'เ': "e", 'แ': "ae", 'โ': "o", 'ใ': "ai", 'ไ': "ai"}
)

// appendThai appends a text of Thai by the royal system, roughly: the script
// does not show where syllables end, so that a consonant closes one when neither
// vowel nor another consonant's silent vowel can follow it.
func appendThai(dst []byte, text []rune) []byte {
	lead := ""
	open := false // the syllable has its vowel and may be closed
	for i, r := range text {
		if v, ok := thaiLeading[r]; ok {
			lead, open = v, false
			continue
		}
		if v, ok := thaiVowels[r]; ok {
			dst, open = append(dst, v...), true
			continue
		}
		if _, ok := thaiConsonants()[string(r)]; !ok || muted(text, i) {
			continue
		}
		if r == 'อ' && !open && lead == "" && i > 0 && !vowelFollows(text, i) { // the vowel o
			dst, open = append(dst, 'o'), true
			continue
		}
		closes := open && lead == "" && !vowelFollows(text, i)
		s, _ := thaiConsonants().spelling(string(r), map[bool]int{true: 1}[closes])
		dst = append(dst, s...)
		switch {
		case closes:
			open = false
		case lead != "":
			dst, lead, open = append(dst, lead...), "", true
		case i+1 < len(text) && !vowelFollows(text, i) && bareConsonant(text, i+1):
			dst, open = append(dst, 'o'), true
		}
	}
	return dst
}

// muted reports whether a mark makes the letter at i silent.
func muted(text []rune, i int) bool { return i+1 < len(text) && text[i+1] == '์' }

// vowelFollows reports whether a vowel is written after the letter at i, with
// marks of tone between them or not.
func vowelFollows(text []rune, i int) bool {
	for i++; i < len(text) && text[i] >= '่' && text[i] <= '๋'; i++ {
	}
	if i >= len(text) {
		return false
	}
	_, ok := thaiVowels[text[i]]
	return ok || text[i] == 'อ'
}

// bareConsonant reports whether the letter at i is a consonant that no vowel
// follows.
func bareConsonant(text []rune, i int) bool {
	_, ok := thaiConsonants()[string(text[i])]
	return ok && !vowelFollows(text, i)
}
