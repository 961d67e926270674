package translit

import (
	"strings"

	"github.com/mozillazg/go-unidecode"
)

// readings are the characters whose reading in names is not the one of the
// decoder's table.
var readings = map[rune]string{'广': "guang", '宁': "ning", '卡': "ka", '汉': "han", '莞': "guan", '莆': "pu", '旅': "lv"}

// appendHan appends the Mandarin readings of a text that is not a known word:
// as one word, or in the later schemes syllable by syllable.
func appendHan(dst []byte, text []rune, scheme int) []byte {
	for i, r := range text {
		if i > 0 && scheme >= 2 {
			dst = append(dst, ' ')
		}
		s, ok := readings[r]
		if !ok {
			s = strings.ToLower(strings.TrimSpace(unidecode.Unidecode(string(r))))
		}
		dst = append(dst, s...)
	}
	return dst
}

// kanaTable has the syllables of Hiragana in Hepburn's romanisation, and those
// that Katakana adds for foreign words. Pairs come before single letters.
var kanaTable = parse(`あ=a い=i う=u え=e お=o か=ka き=ki く=ku け=ke こ=ko が=ga ぎ=gi ぐ=gu げ=ge ご=go
さ=sa し=shi す=su せ=se そ=so ざ=za じ=ji ず=zu ぜ=ze ぞ=zo た=ta ち=chi つ=tsu て=te と=to だ=da ぢ=ji づ=zu で=de ど=do
な=na に=ni ぬ=nu ね=ne の=no は=ha ひ=hi ふ=fu へ=he ほ=ho ば=ba び=bi ぶ=bu べ=be ぼ=bo ぱ=pa ぴ=pi ぷ=pu ぺ=pe ぽ=po
ま=ma み=mi む=mu め=me も=mo や=ya ゆ=yu よ=yo ら=ra り=ri る=ru れ=re ろ=ro わ=wa ゐ=i ゑ=e を=o ん=n ゔ=vu
きゃ=kya きゅ=kyu きょ=kyo ぎゃ=gya ぎゅ=gyu ぎょ=gyo しゃ=sha しゅ=shu しょ=sho しぇ=she じゃ=ja じゅ=ju じょ=jo じぇ=je
ちゃ=cha ちゅ=chu ちょ=cho ちぇ=che にゃ=nya にゅ=nyu にょ=nyo ひゃ=hya ひゅ=hyu ひょ=hyo びゃ=bya びゅ=byu びょ=byo
ぴゃ=pya ぴゅ=pyu ぴょ=pyo みゃ=mya みゅ=myu みょ=myo りゃ=rya りゅ=ryu りょ=ryo てぃ=ti でぃ=di でゅ=dyu とぅ=tu どぅ=du
ふぁ=fa ふぃ=fi ふぇ=fe ふぉ=fo うぃ=wi うぇ=we うぉ=wo ゔぁ=va ゔぃ=vi ゔぇ=ve ゔぉ=vo つぁ=tsa いぇ=ye
ぁ=a ぃ=i ぅ=u ぇ=e ぉ=o ゃ=ya ゅ=yu ょ=yo ゎ=wa ー= ・= おう=o|ou こう=ko|kou そう=so|sou とう=to|tou ほう=ho|hou`)

// hiragana returns a letter of Katakana as the one of Hiragana for its sound.
func hiragana(r rune) rune {
	if r >= 'ァ' && r <= 'ヶ' {
		return r - 'ァ' + 'ぁ'
	}
	return r
}

func appendKana(dst []byte, text []rune, scheme int) []byte {
	plain := make([]rune, len(text))
	for i, r := range text {
		plain[i] = hiragana(r)
	}
	double := false
	for i := 0; i < len(plain); i++ {
		if plain[i] == 'っ' {
			double = true
			continue
		}
		end := min(i+2, len(plain))
		if _, ok := kanaTable()[string(plain[i:end])]; !ok {
			end = i + 1
		}
		at := len(dst)
		dst = kanaTable().appendLetters(dst, plain[i:end], scheme)
		if double && at < len(dst) {
			dst = append(dst, 0)
			copy(dst[at+1:], dst[at:])
			if dst[at] == 'c' { // "match" is "matchi"
				dst[at] = 't'
			}
		}
		double = false
		i = end - 1
	}
	return dst
}

// The parts of a syllable of Hangul in the order of Unicode, in the revised
// romanisation: the sound before the vowel, the vowel, and the sound after it
// at the end of a word and before another vowel.
var (
	initials   = strings.Split("g kk n d tt r m b pp s ss - j jj ch k t p h", " ")
	medials    = strings.Split("a ae ya yae eo e yeo ye o wa wae oe yo u wo we wi yu eu ui i", " ")
	finals     = strings.Split("- k k k n n n t l k m l l l p l m p p t t ng t t k t p t", " ")
	finalsJoin = strings.Split("- g kk ks n nj n d r lg lm lb ls lt lp r m b ps s ss ng j ch k t p -", " ")
)

const silent = "-"

func appendHangul(dst []byte, text []rune) []byte {
	for i, r := range text {
		if r < 0xAC00 || r > 0xD7A3 {
			dst = appendDecoded(dst, text[i:i+1])
			continue
		}
		n := int(r - 0xAC00)
		initial, medial, final := initials[n/588], medials[n%588/28], finals[n%28]
		if i+1 < len(text) && vowelFirst(text[i+1]) {
			final = finalsJoin[n%28]
		}
		if initial == "r" && len(dst) > 0 && dst[len(dst)-1] == 'l' {
			initial = "l"
		}
		for _, part := range []string{initial, medial, final} {
			if part != silent {
				dst = append(dst, part...)
			}
		}
	}
	return dst
}

// vowelFirst reports whether a syllable of Hangul begins with its vowel.
func vowelFirst(r rune) bool {
	return r >= 0xAC00 && r <= 0xD7A3 && initials[(r-0xAC00)/588] == silent
}
