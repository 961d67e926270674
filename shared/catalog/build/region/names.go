package region

// otherNames lists, one subdivision a line, names that the list of subdivisions
// lacks: in English and other languages, abbreviations, older romanizations and
// native scripts. Names are compared folded, and without the words of genericWords.
const otherNames = `
AE-AZ abu dhabi
AE-DU dubai
AE-SH sharjah
AE-FU fujairah
AE-RK ras al khaimah
AE-UQ umm al quwain
AR-C caba, capital federal, ciudad de buenos aires, buenos aires caba, ciudad autonoma de buenos aires
AT-1 burgenland
AT-2 carinthia
AT-3 lower austria, niederoesterreich, noe
AT-4 upper austria, oberoesterreich, ooe
AT-6 styria
AT-7 tyrol
AT-9 vienna
BA-SRP republic of srpska, srpska, republika srpska
BE-BRU brussels, bruxelles, brussel
BE-VLG flanders, vlaanderen, flandre
BE-WAL wallonia, wallonie, wallonië
BE-WBR walloon brabant
BE-WLG liege, luik
BG-22 sofia city, sofia grad
BR-DF brasilia, distrito federal
BR-SP são paulo, sampa
CA-NL newfoundland, labrador
CA-QC quebec, qc
CA-PE pei
CA-YT yukon territory
CH-BE berne
CH-BS basel, bale
CH-GE geneva, genf, genève
CH-GR graubunden, grisons, grigioni
CH-LU lucerne
CH-SG st gallen, saint gall
CH-TI tessin
CH-VD waadt
CH-VS wallis
CH-ZH zürich, zuerich
CL-AI aysen, aisen
CL-AR araucania
CL-LI ohiggins
CL-RM metropolitana, santiago de chile, metropolitana de santiago
CN-AH anhwei, 安徽
CN-BJ peking, 北京
CN-CQ chungking, 重庆
CN-FJ fukien, 福建
CN-GD kwangtung, canton, 广东
CN-GS kansu, 甘肃
CN-GX kwangsi, guangxi, 广西
CN-GZ kweichow, 贵州
CN-HA honan, 河南
CN-HB hupei, hupeh, 湖北
CN-HE hopei, hopeh, 河北
CN-HI 海南
CN-HL heilungkiang, amur river, 黑龙江
CN-HN 湖南
CN-JL kirin, 吉林
CN-JS kiangsu, 江苏
CN-JX kiangsi, 江西
CN-LN 辽宁
CN-NM inner mongolia, 内蒙古
CN-NX ningsia, ningxia, 宁夏
CN-QH tsinghai, chinghai, 青海
CN-SC szechuan, szechwan, 四川
CN-SD shantung, 山东
CN-SH 上海
CN-SN shensi, 陕西
CN-SX shansi, 山西
CN-TJ tientsin, 天津
CN-XJ sinkiang, xinjiang, 新疆
CN-XZ tibet, 西藏
CN-YN 云南
CN-ZJ chekiang, 浙江
CO-DC bogota, bogota d c, bogota dc, bogota distrito capital
CO-VAC valle
CZ-10 prague, hlavni mesto praha
CZ-20 central bohemia, stredocesky
CZ-31 south bohemia, jihocesky
CZ-64 south moravia, jihomoravsky
CZ-80 moravia silesia, moravskoslezsky
DE-BB brandenburg
DE-BW baden württemberg, baden wuerttemberg, baden wuertemberg, bawü, badenwürttemberg
DE-BY bavaria, bayern, baviera, münchen, munich, muenchen, franken, franconia
DE-HE hesse
DE-MV mecklenburg western pomerania, meck pomm, mecklenburg vorpommern, mecklenburg
DE-NI lower saxony, niedersachsen
DE-NW nrw, cologne, köln, koeln, north rhine westphalia, nordrhine westfalia, northrhine westphalia, nordrhein westfahlen, northrhine westfalia
DE-RP rlp, rhineland palatinate, rheinland pfalz
DE-SH schleswig holtstein
DE-SN saxony, saxonia, sachsen
DE-ST saxony anhalt
DE-TH thuringia, thueringen
DK-82 midtjylland, central jutland
DK-84 copenhagen, kobenhavn, københavn, copenhague
ES-A alacant
ES-AN andalusia, andalucia
ES-BI vizcaya
ES-C la coruña, coruna
ES-CB santander
ES-CN canary islands, islas canarias, canaries
ES-CL castilla leon, castile and leon
ES-CM castilla la mancha
ES-CT catalonia, cataluña, catalogne
ES-GA galiza
ES-GI gerona
ES-IB balearic islands, islas baleares, baleares
ES-L lerida
ES-MC region of murcia
ES-OR orense
ES-PV basque country, euskadi, euskal herria, vasco
ES-SS guipuzcoa, gipuzcoa
ES-VC valencian community, comunitat valenciana, comunidad valenciana, pais valencia, regne de valencia
ES-VI araba
FR-ARA rhone alpes, auvergne
FR-20R corsica
FR-BFC bourgogne, franche comte, burgundy
FR-BRE brittany
FR-CVL centre
FR-GES grand est, alsace, lorraine, champagne ardenne
FR-HDF nord pas de calais, picardie
FR-IDF ile de france, idf
FR-NAQ aquitaine, limousin, poitou charentes
FR-NOR normandy, haute normandie, basse normandie
FR-OCC languedoc roussillon, midi pyrenees
FR-PAC paca, provence, provence alpes cote d azur
FR-PDL pays de la loire
GB-ENG england
GB-SCT scotland
GB-WLS wales, cymru
GB-NIR northern ireland
GR-A eastern macedonia and thrace, thrace, evros, thraki, orestiada
GR-B central macedonia, pieria, chalkidiki, halkidiki
GR-C western macedonia
GR-D epirus, preveza
GR-E thessaly
GR-F ionian islands, corfu, kerkyra, kefalonia, lefkada, zakynthos
GR-G western greece, patra, patras, agrinio
GR-H central greece, chalkida
GR-I attica, athens greece, athina
GR-J peloponnese, tripoli, argolida, argolis
GR-K north aegean, lesvos, chios, samos, limnos
GR-L south aegean, cyclades, santorini, syros, rhodes, dodecanese
GR-M crete, kreta, heraclion, heraklion, rethimno
HR-18 istria, istra
HR-21 zagreb
ID-JB west java
ID-JI east java
ID-JK dki jakarta, jakarta
ID-JT central java
ID-SB west sumatra
ID-SU north sumatra, north sumatera
ID-YO jogja, di yogyakarta, jogjakarta
IE-D dublin
IL-JM jerusalem
IL-TA tel aviv
IN-AP andra pradesh
IN-DL new delhi, nct of delhi
IN-KA bangalore
IN-MH bombay
IN-TN tamilnadu, madras
IN-OD orissa
IN-UK uttaranchal
IN-WB calcutta, bengal
IR-23 tehran, tahran
IT-21 piedmont
IT-25 lombardy
IT-32 south tyrol, alto adige, trentino
IT-52 tuscany
IT-75 apulia
IT-82 sicily
IT-88 sardinia
IT-FI florence
IT-GE genoa
IT-MI milan
IT-NA naples
IT-RM rome
IT-TO turin
IT-VE venice
JP-01 北海道
JP-02 青森
JP-03 岩手
JP-04 宮城
JP-05 秋田
JP-06 山形
JP-07 福島
JP-08 茨城
JP-09 栃木
JP-10 群馬
JP-11 埼玉
JP-12 千葉
JP-13 東京
JP-14 神奈川
JP-15 新潟
JP-16 富山
JP-17 石川
JP-18 福井
JP-19 山梨
JP-20 長野
JP-21 岐阜
JP-22 静岡
JP-23 愛知
JP-24 三重
JP-25 滋賀
JP-26 京都
JP-27 大阪
JP-28 兵庫
JP-29 奈良
JP-30 和歌山
JP-31 鳥取
JP-32 島根
JP-33 岡山
JP-34 広島
JP-35 山口
JP-36 徳島
JP-37 香川
JP-38 愛媛
JP-39 高知
JP-40 福岡
JP-41 佐賀
JP-42 長崎
JP-43 熊本
JP-44 大分
JP-45 宮崎
JP-46 鹿児島
JP-47 沖縄
KR-11 seoul, 서울
KW-KU kuwait city
LT-KL klaipėdos
LT-VL vilniaus m
MX-COA coahuila
MX-CMX mexico city, distrito federal, cdmx, df, d f, ciudad de mexico
MX-MEX estado de mexico, edomex, edo mex, edo de mexico
MX-MIC michoacan
MX-NLE nuevo leon
MX-VER veracruz
NL-FR friesland
NL-LI limburg
NL-NB brabant, north brabant
NL-NH north holland
NL-ZH south holland
NO-03 oslo
NZ-HKB hawkes bay
NZ-MWT manawatu, whanganui
PH-00 ncr, metro manila
PL-02 lower silesia, dolny slask, dolnyslask
PL-04 kujawy pomorze
PL-12 malopolska, lesser poland
PL-14 mazowsze, masovia, warszawa, warsaw
PL-18 podkarpacie, subcarpathia
PL-20 podlasie
PL-22 pomorze, pomerania
PL-24 slask, silesia, upper silesia, gorny slask
PL-28 warmia mazury, mazury
PL-30 wielkopolska, greater poland
PL-32 west pomerania, pomorze zachodnie
PT-11 lisbon
PT-20 azores, acores
PT-30 madeira
RO-B bucharest, bucuresti
RU-AL altai republic
RU-ALT altai krai
RU-BA bashkortostan, башкортостан
RU-CE chechen, chechnya
RU-DA dagestan, дагестан
RU-KDA krasnodar, краснодар
RU-KEM kuzbass, кемеровская
RU-KR karelia
RU-MOS moscow region, moscow oblast, московская
RU-MOW moscow, москва, moskow, mosscow
RU-NVS novosibirsk, новосибирск
RU-PER perm, пермь
RU-PRI primorye
RU-ROS rostov, ростов на дону
RU-SA yakutia, sakha
RU-SAM samara, самара
RU-SAR saratov, саратов
RU-SPE saint petersburg, st petersburg, spb, санкт петербург, спб, petersburg
RU-SVE екатеринбург, ekaterinburg, yekaterinburg, sverdlovsk
RU-TA tatarstan, татарстан, казань
RU-TVE tver, тверь
RU-TYU tyumen, тюмень
RU-UD udmurtia, удмуртия, ижевск
RU-ULY ulyanovsk, ульяновск
RU-VGG volgograd, волгоград
RU-VOR voronezh, воронеж
RU-CHE chelyabinsk, челябинск
RU-OMS omsk, омск
RU-PNZ пенза
RU-KGD kaliningrad, калининград
RU-KHA khabarovsk, хабаровск
RU-ARK arkhangelsk, архангельск
RU-NIZ nizhny novgorod, нижнии новгород
RU-KYA krasnoyarsk, красноярск
RU-IRK irkutsk, иркутск
RU-KLU kaluga
SA-01 riyadh
SA-02 mecca, makkah, jeddah
SA-03 medina
SA-04 eastern province
SA-07 tabuk
SE-AB stockholm
SE-M skåne, scania, malmoe, malmö
SE-N halland
SE-O västra götaland, göteborg, gothenburg
SE-U västmanland
SE-W dalarna
SI-061 osrednjeslovenska
TR-34 istambul, constantinople
TR-35 smyrna
UA-12 dnipro, dnepr, dnipropetrovsk
UA-14 donetsk, донецк
UA-30 kiev, kyiv, київ, киев
UA-43 crimea, крым, krym
UA-46 lviv, львів
UA-51 odessa, odesa, одеса, одесса
UA-63 kharkiv, kharkov, харків, харьков
US-DC district of columbia, washington dc, washington d c
US-CA kalifornien, northern california, southern california
US-TN tennesee
US-VA virgina
US-NY new york city, nyc, brooklyn
`

// genericWords are words for a kind of place, and prepositions, which people
// add to a name and leave out as they like.
const genericWords = `province provincia provincie provinsi provinz prov region regiao regione regija región state estado stat land
oblast oblasts krai kray kraj okrug zupanija wojewodztwo county judet judetul departamento department departement district distrito
prefecture ken governorate muhafazat comunidad autonoma autonomous autonomo republic respublika republica kanton canton municipality
metropolitan of de del do da la the di y область краи республика область облясть län lan apskritis m miestas`
