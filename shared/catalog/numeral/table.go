package numeral

// table holds the words for each number, and the weak ones. The
// languages are, in this order: English, Portuguese, Spanish, Catalan, Galician,
// French, Italian, Romanian, German, Dutch, Swedish, Danish, Norwegian, Finnish,
// Polish, Czech, Croatian, Hungarian, Turkish, Albanian, Russian and Ukrainian in
// Latin and in Cyrillic, Greek, Arabic, Hebrew and Chinese. Roman numerals follow.
// An entry of the lists is folded before it is used, so that it may be written
// with its accents and final letters.
var table = []struct {
	value       uint8
	words, weak string
}{
	{0, "zero cero nula sifir ноль нуль", "null noll nul nulla μηδεν صفر אפס"},
	{1, "one uno eins jeden jedna jedan odin odna bir yksi один одна ενα واحد אחת",
		"um una uma un une unu ein een en et ett egy nje yek edno одно едно אחד 一 i"},
	{2, "two dois duas deux zwei twee kaksi dva dvije ketto два две два δυο اثنان שתיים",
		"dos dues due doi doua duo tva to dwa iki dy tweede dve שניים 二 ii"},
	{3, "three tres trois drei drie kolme trzy harom tri troi τρια три ثلاثه שלוש",
		"tre trei uc טרי tria שלושה 三 iii"},
	{4, "four quatro cuatro quatre quattro patru vier fyra nelja cztery ctyri cetiri negy kater chetyre chotyry четыре чотири τεσσερα اربعه ארבע",
		"catro fire dort 四 iv"},
	{5, "five cinco cinque funf vijf viisi piec piat пять pyat πεντε خمسه חמש",
		"cinc cinq fem pet ot bes pese pente 五 v"},
	{6, "six seis sechs kuusi szesc sest shest шесть шість εξι سته שש",
		"sis sei sase zes sex seks hat alti gjashte exi 六 vi"},
	{7, "seven sete siete sept sette sapte sieben zeven sedem siedem sedam семь επτα سبعه שבע",
		"set sju syv sju seitseman yedi shtate sem hepta efta 七 vii"},
	{8, "eight oito ocho vuit huit acht atta atte kahdeksan osiem osam nyolc sekiz восемь вісім οκτω ثمانيه שמונה",
		"opt otto otte tete osm okto vosem 八 viii"},
	{9, "nine nove nueve neuf neun negen nio yhdeksan dziewiec devet kilenc dokuz devyat девять εννεα تسعه תשע",
		"noua nou ni nente ennea 九 ix"},
	{10, "dez diez dieci zece zehn tien kymmenen dziesiec deset desyat tiz десять δεκα عشره עשר",
		"ten deu dix tio ti on dhjete deka 十 x"},
	{11, "eleven onze undici unsprezece elva elleve yksitoista jedenascie jedanaest tizenegy onbir одиннадцать ενδεκα",
		"once elf xi"},
	{12, "twelve doze doce dotze douze dodici doisprezece zwolf twaalf tolv kaksitoista dwanascie dvanaest tizenketto oniki двенадцать δωδεκα",
		"xii"},
	{20, "twenty vinte veinte vint vingt venti douazeci zwanzig twintig tjugo tyve dwadziescia dvadeset husz yirmi двадцать", "xx"},
	{24, "vierundzwanzig vierentwintig veinticuatro ventiquattro", "xxiv"},
	{100, "hundred hundert honderd hundra hundrede ciento cento cien suta yuz", "cent sto cem сто"},
}
