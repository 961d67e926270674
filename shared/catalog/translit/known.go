package translit

import (
	"strings"
	"sync"
	"unicode/utf8"

	"miramundo.dev/shared/catalog/fold"
)

// knownWords are words and phrases of names whose usual spelling differs from
// that of their letters, with their spellings, the most usual first: names of
// places and stations, English words in other letters, and abbreviations spelled
// by the names of English letters.
const knownWords = `
аль джазира=al jazeera|al dzhazira
эхо=ekho|echo|eho
радио=radio
плюс=plus|plyus
релакс=relax|relaks
сити=city|siti
санкт=sankt|saint
петербург=peterburg|petersburg
россия=rossiya|russia|rossiia|rossija
россии=rossii|russia
монте карло=monte carlo
ностальгия=nostalgiya|nostalgia|nostalgie
евроспорт=eurosport|evrosport
дискавери=discovery
дисней=disney
никелодеон=nickelodeon
синема=cinema|sinema
шоу=show|shou
стар=star
макс=max|maks
микс=mix|miks
люкс=lux|luks|lyuks
клуб=club|klub
диско=disco|disko
дэнс=dance
денс=dance|dens
лайф=life
тайм=time
тревел=travel
трэвел=travel
фэшн=fashion
ютуб=youtube
би би си=bbc
си эн эн=cnn
эн ти ви=ntv
эм ти ви=mtv
ти ви=tv
москва=moskva|moscow
москвы=moskvy|moscow
украина=ukraina|ukraine
україна=ukraina|ukraine
київ=kyiv|kiev
європа=evropa|europa|europe
европа=evropa|europa|europe
евро=evro|euro
news=news
ньюс=news|nyus
ไทยพีบีเอส=thai pbs
エヌエイチケイ=nhk
쿨=cool|kul
αντένα=antenna|antena
μεγκα=mega|megka
新聞=news|xinwen
央視=cctv|yangshi
ウェザー=weather
اینترنشنال=international
インターナショナル=international
евроньюс=euronews
хит=hit|khit
хиты=hity|khity
шансон=chanson|shanson
рок=rok|rock
джаз=jazz|dzhaz
классик=classic|klassik
мьюзик=music|myuzik
мюзик=music|myuzik
кидс=kids
фм=fm
ретро=retro
рекорд=record|rekord
дача=dacha
авторадио=avtoradio|autoradio
комеди=comedy|komedi
софия=sofia|sofiya
ραδιο=radio
σπορ=spor|sport
τιβι=tv
τηλεόραση=tileorasi|tv
αθήνα=athina|athens
ελλάδα=ellada|hellas|greece
κύπρος=kypros|cyprus|kipros
θεσσαλονίκη=thessaloniki
ειδήσεις=eidiseis|idisis
μουσική=mousiki|musiki
الجزيرة=al jazeera|aljazeera|al jazira
العربية=al arabiya|alarabiya|al arabia
الحدث=al hadath|alhadath
السعودية=al saudiya|saudia|saudi
الاخبارية=al ikhbariya|al ekhbariya|alekhbariya
الإخبارية=al ikhbariya|al ekhbariya|alekhbariya
الأخبار=al akhbar
الرياضية=al riyadiya|alriyadiah
العراقية=al iraqiya|aliraqia
العراق=al iraq|iraq
الشرقية=al sharqiya|alsharqiya
السومرية=al sumaria|alsumaria
المغربية=al maghribia|almaghribia
الأولى=al oula|al aoula
المنار=al manar|almanar
الميادين=al mayadeen|almayadeen
الكويت=al kuwait|kuwait
القرآن=al quran|quran
القران=al quran|quran
الكريم=al kareem|al karim
الإمارات=al emarat|emarat
اليمن=al yemen|yemen
السودان=al sudan|sudan
الأردن=al urdun|jordan
الكاس=al kass|alkass
الكأس=al kass|alkass
الشرق=al sharq|asharq
السنة=al sunnah|sunnah
الفضائية=al fadaiya|alfadaiya|satellite
رؤيا=roya
مباشر=mubasher|mobasher|mubashir
صوت=sawt|sout
نايل=nile
النيل=al nile|nile
عربية=arabiya|arabia
علي=ali
ميلودي=melody
كوميدي=comedy
ريسينج=racing
المستقبل=al mustaqbal|almustaqbal
تيفي=tv
نسمة=nessma|nesma
الوثائقية=al wathaiqiya|documentary
الدولية=al dawliya|doualiya|international
من=min
البلد=al balad|elbalad
القناة=al qanat|al kanat
الوطنية=al wataniya|watania
المصرية=al masriya|almasriya
الرياض=al riyadh|riyadh
المدينة=al madina|medina
الجديد=al jadeed|aljadeed
المغاربية=al magharibia|magharibia
خراسان=khorasan
فیلم=film
فيلم=film
قناة=qanat|kanat
إذاعة=idhaat|izaat|radio
تلفزيون=televizion|television|tilfizyun
تليفزيون=television
راديو=radio
نيوز=news
سبورت=sport
سبورتس=sports
كيدز=kids
موفيز=movies
دراما=drama
سينما=cinema
ميوزك=music
ميوزيك=music
بلس=plus
بلاس=plus
كلاسيك=classic
تي في=tv
اف ام=fm
إف إم=fm
ام بي سي=mbc
إم بي سي=mbc
بي بي سي=bbc
سي ان ان=cnn
سي بي سي=cbc
ال بي سي=lbc
أم تي في=mtv
ام تي في=mtv
ان بي ان=nbn
أو تي في=otv
سكاي نيوز=sky news
فرانس=france
دبي=dubai
أبوظبي=abu dhabi|abudhabi
أبو ظبي=abu dhabi
الشارقة=al sharqah|sharjah
قطر=qatar
مصر=misr|masr|egypt
لبنان=lebanon|lubnan
بيروت=beirut|bayrut
القاهرة=al qahira|cairo
بغداد=baghdad
دمشق=dimashq|damascus
سوريا=suria|syria
ليبيا=libya
تونس=tunis|tunisia
المغرب=al maghrib|maroc
الجزائر=al jazair|algerie
الجزائرية=al jazairia|algerie
فلسطين=falastin|filistin|palestine
القدس=al quds|alquds
عمان=oman|amman
البحرين=al bahrain|bahrain
روتانا=rotana
النهار=al nahar|ennahar
الحياة=al hayat|alhayat
محمد=muhammad|mohamed
اسلام=islam
خلیج=khalij
شبكة=shabakat
شبکه=shabakeh
خبر=khabar
ورزش=varzesh
تلویزیون=televizyon|television|tv
تهران=tehran
ایران=iran
فارسی=farsi|persian
نمایش=namayesh
پویا=pouya
مستند=mostanad
قرآن=quran
نسیم=nasim
نیوز=news
پاکستان=pakistan
ٹی وی=tv
تی وی=tv
جیو=geo
اے آر وائی=ary
ערוץ=arutz|channel
רדיו=radio
הערוץ=haarutz|channel
טלוויזיה=televizia|television
הטלוויזיה=hatelevizia|television
עברית=ivrit|hebrew
דיסני=disney
קומדי=comedy
דרמה=drama
מוסיקה=musica|muzika
חי=hai|chai
ראשון=rishon
קבלה=kabbalah|kabala
ספורט=sport
ניוז=news
חדשות=hadashot|chadashot
ישראל=israel|yisrael
ירושלים=jerusalem|yerushalayim
תל אביב=tel aviv
כאן=kan
קשת=keshet
רשת=reshet
קול=kol
גלגלצ=galgalatz|glglz|galgalaz
גלגל"צ=galgalatz|glglz|galgalaz
גלי צה"ל=galei tzahal|glz|galatz
גלי צהל=galei tzahal|glz|galatz
גלצ=galatz|glz
גל"צ=galatz|glz
כנסת=knesset
הכנסת=haknesset|knesset
חיפה=haifa
ילדים=yeladim
מוזיקה=musica|muzika
אקו=eco
טי וי=tv
टीवी=tv
टी वी=tv
टिवी=tv
टेलिभिजन=television
न्यूज़=news
न्यूज=news
चैनल=channel
इंडिया=india
दूरदर्शन=doordarshan
रेडियो=radio
आज=aaj
तक=tak
टाइम्स=times
एबीपी=abp
एनडीटीवी=ndtv
टाइम=time
टॉप=top
म्यूजिक=music
लाइव=live
टीव्ही=tv
টিভি=tv
এনটিভি=ntv
নিউজ=news
চ্যানেল=channel
টেলিভিশন=television
বাংলা=bangla
রেডিও=radio
টাইমস=times
டிவி=tv
நியூஸ்=news
தமிழ்=tamil|tamizh
தொலைக்காட்சி=tholaikatchi|tv
சன்=sun
మ్యూజిక్=music
టీవీ=tv
న్యూస్=news
ಟಿವಿ=tv
ಟಿ ವಿ=tv
ನ್ಯೂಸ್=news
ಕನ್ನಡ=kannada
ടി വി=tv
ടിവി=tv
ന്യൂസ്=news
കേരളം=keralam|kerala
ટીવી=tv
ન્યૂઝ=news
ਟੀਵੀ=tv
ਪੰਜਾਬੀ=punjabi
ଟିଭି=tv
ეროვნული=erovnuli
ტვ=tv
რადიო=radio
ռադիո=radio
հը=tv
ալիք=alik
ኢቲቪ=etv
ቲቪ=tv
`

// joinedWords are words of scripts that do not part words by spaces, or not
// always. They are looked for inside a text, the longest first. A hyphen in a
// spelling is a space.
const joinedWords = `
电视台=dianshitai 電視台=dianshitai 电视=dianshi 電視=dianshi 卫视=weishi|tv 衛視=weishi|tv 频道=pindao|channel 頻道=pindao|channel
新闻=xinwen|news 新聞=xinwen|news 综合=zonghe 綜合=zonghe 体育=tiyu|sports 體育=tiyu|sports 广播=guangbo|radio 廣播=guangbo|radio
电台=diantai|radio 電台=diantai|radio 音乐=yinyue|music 音樂=yinyue|music 中央=zhongyang 央视=yangshi|cctv 交通=jiaotong|traffic 都市=dushi
经济=jingji 經濟=jingji 财经=caijing|finance 財經=caijing|finance 生活=shenghuo 影视=yingshi 电影=dianying|movie 電影=dianying|movie
戏曲=xiqu 少儿=shaoer 科教=kejiao 公共=gonggong 文艺=wenyi 中国=zhongguo|china 中國=zhongguo|china 人民=renmin 国际=guoji 國際=guoji
北京=beijing 上海=shanghai 广东=guangdong 湖南=hunan 湖北=hubei 浙江=zhejiang 江苏=jiangsu 山东=shandong 四川=sichuan 重庆=chongqing
天津=tianjin 深圳=shenzhen 广州=guangzhou 河南=henan 河北=hebei 福建=fujian 东方=dongfang|dragon 东南=dongnan 云南=yunnan 西藏=xizang
新疆=xinjiang 黑龙江=heilongjiang 吉林=jilin 辽宁=liaoning 安徽=anhui 江西=jiangxi 广西=guangxi 贵州=guizhou 海南=hainan 陕西=shaanxi
山西=shanxi 甘肃=gansu 青海=qinghai 宁夏=ningxia 内蒙古=neimenggu 香港=xianggang|hong-kong 台湾=taiwan 臺灣=taiwan 台北=taipei|taibei
凤凰=fenghuang|phoenix 鳳凰=fenghuang|phoenix 翡翠=feicui|jade 中文=zhongwen 台視=taishi|ttv 中視=zhongshi|ctv 華視=huashi|cts
民視=minshi|ftv 公視=gongshi|pts 東森=dongsen|ebc 三立=sanli|set 無線=wuxian 长沙=changsha 长春=changchun 大湾区=dawanqu
東京=tokyo 日本=nihon|nippon|japan 大阪=osaka 朝日=asahi 放送=hoso 毎日=mainichi 読売=yomiuri 札幌=sapporo 京都=kyoto 北海道=hokkaido
福岡=fukuoka 名古屋=nagoya 映画=eiga 時代劇=jidaigeki 総合=sogo 格闘=kakuto
テレビ=tv|terebi テレビジョン=television テレ=tele チャンネル=channel ニュース=news ラジオ=radio|rajio スポーツ=sports アニメ=anime ミュージック=music ショップ=shop
シネマ=cinema ゴルフ=golf キッズ=kids プラス=plus ドラマ=drama ライブ=live ワールド=world プライム=prime ショッピング=shopping
ファミリー=family クラシック=classic スター=star ディスカバリー=discovery アニマル=animal プラネット=planet ヒストリー=history
ジャパン=japan フジ=fuji ムービー=movie エンタメ=entame グルメ=gourmet スーパー=super ネットワーク=network エフエム=fm
ทีวี=tv เอชดี=hd นิวส์=news ช่อง=chong|channel ไทย=thai ไทยรัฐ=thairath สถานี=sathani|station โทรทัศน์=thorathat|tv ฟุตบอล=football พรีเมียร์=premier วิทยุ=witthayu|radio ข่าว=khao|news สด=sot เนชั่น=nation
เวิร์คพอยท์=workpoint อมรินทร์=amarin โมโน=mono วัน=one ทรู=true โฟร์=four สปอร์ต=sport มิวสิค=music เรดิโอ=radio เอฟเอ็ม=fm แชนแนล=channel
กรุงเทพ=krungthep|bangkok พีพีทีวี=pptv สปริง=spring
뉴스=news|nyuseu 라디오=radio 스포츠=sports 티비=tv 텔레비전=television|tv 티브이=tv 골프=golf 무비=movie 시네마=cinema 채널=channel|chaeneol
드라마=drama 키즈=kids 플러스=plus 라이프=life 애니=ani 뮤직=music 클래식=classic 애니맥스=animax 케이블=cable 엠넷=mnet
서울=seoul 홈쇼핑=home-shopping 쇼핑=shopping 방송=bangsong 한국=hanguk 코리아=korea 조선=chosun|joseon 스카이=sky
엠비씨=mbc 엠비시=mbc 케이비에스=kbs 에스비에스=sbs 와이티엔=ytn 월드=world 필름=film 스테이션=station 교통=gyotong
문화방송=munhwa-bangsong|mbc 가톨릭=catholic 평화=pyeonghwa
`

// A dictionary is the two tables, read.
type dictionary struct {
	// phrases has the spellings of knownWords by their folded texts, and segments
	// those of joinedWords.
	phrases, segments map[string][]string
	longestPhrase     int // in words
	longestSegment    int // in letters
}

// readDictionary reads the tables when it is first called.
var readDictionary = sync.OnceValue(func() *dictionary {
	d := &dictionary{phrases: map[string][]string{}, segments: map[string][]string{}}
	for line := range strings.Lines(knownWords) {
		word, spellings, _ := strings.Cut(strings.TrimSpace(line), "=")
		if word != "" {
			d.phrases[fold.Words(word)] = strings.Split(spellings, "|")
			d.longestPhrase = max(d.longestPhrase, 1+strings.Count(word, " "))
		}
	}
	for entry := range strings.FieldsSeq(joinedWords) {
		word, spellings, _ := strings.Cut(entry, "=")
		d.segments[word] = strings.Split(strings.ReplaceAll(spellings, "-", " "), "|")
		d.longestSegment = max(d.longestSegment, utf8.RuneCountInString(word))
	}
	return d
})

// known replaces known words and phrases among tokens by tokens with their
// spellings.
func known(tokens []token) []token {
	d := readDictionary()
	var out []token
	for i := 0; i < len(tokens); {
		t := tokens[i]
		if joined(t.script) {
			out = append(out, d.split(t)...)
			i++
			continue
		}
		n, spellings := d.phrase(tokens[i:])
		if spellings != nil {
			t.spellings = spellings
		}
		out = append(out, t)
		i += n
	}
	return out
}

// phrase returns how many of the first tokens make the longest known
// phrase, and its spellings; one and nil when none does.
func (d *dictionary) phrase(tokens []token) (n int, spellings []string) {
	n = 1
	if tokens[0].script == latin {
		return n, nil
	}
	var text []rune
	for i, t := range tokens[:min(d.longestPhrase, len(tokens))] {
		if i > 0 {
			if !t.spaced {
				break
			}
			text = append(text, ' ')
		}
		text = append(text, t.text...)
		key := fold.AppendWords(nil, strings.ReplaceAll(string(text), `"`, ""))
		if s, ok := d.phrases[string(key)]; ok {
			n, spellings = i+1, s
		}
	}
	return n, spellings
}

// split splits a token around the known words in it.
func (d *dictionary) split(t token) []token {
	var out []token
	add := func(text []rune, spellings []string) {
		if len(text) > 0 {
			out = append(out, token{text: text, script: t.script, language: t.language, spaced: true, spellings: spellings})
		}
	}
	start := 0
	for i := 0; i < len(t.text); {
		end := min(i+d.longestSegment, len(t.text))
		for end > i+1 && d.segments[string(t.text[i:end])] == nil {
			end--
		}
		if end == i+1 {
			i++
			continue
		}
		add(t.text[start:i], nil)
		add(t.text[i:end], d.segments[string(t.text[i:end])])
		start, i = end, end
	}
	add(t.text[start:], nil)
	return out
}
