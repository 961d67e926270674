package password

// commonWords are words that people make passwords from, in the languages of the
// site, in lower case.
const commonWords = `
password senha qwerty admin welcome abc iloveyou letmein monkey dragon master football login princess sunshine shadow
superman batman baseball michael hello freedom whatever trustno secret summer winter spring autumn test user pass root
contraseña contrasena passwort motdepasse hola bonjour hallo ola amor teamo teamomucho tequiero jetaime loulou doudou chouchou
brasil brazil flamengo corinthians palmeiras saopaulo vasco gremio santos barcelona realmadrid benfica sporting porto juventus liverpool
chelsea arsenal manchester bayern dortmund schalke marseille boca river futbol futebol fussball soccer hockey basketball tennis golf
january february march april may june july august september october november december
janeiro fevereiro marco abril maio junho julho agosto setembro outubro novembro dezembro
enero febrero marzo mayo junio julio septiembre octubre noviembre diciembre
janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre
januar februar maerz juni juli oktober dezember
monday tuesday wednesday thursday friday saturday sunday segunda domingo lunes viernes lundi montag sonntag
verao inverno outono primavera verano invierno otono ete hiver printemps automne sommer herbst fruehling
love lover lovely baby babygirl angel angels heart forever flower butterfly purple orange yellow green black white silver golden
blue red pink diamond crystal chocolate cookie cheese pepper banana apple cherry peaches coffee sugar candy honey pumpkin
tiger lion eagle wolf panther horse dolphin rabbit kitty kitten puppy doggy monster snoopy mickey pokemon pikachu naruto minecraft
mustang ferrari porsche mercedes corvette toyota honda yamaha harley camaro jordan ranger killer hunter warrior soldier knight
computer internet windows google facebook instagram samsung android iphone apple microsoft linux oracle cisco server system network
access default change changeme guest public private security office company business manager support service temp temporary demo
jesus jesuscristo deus deusefiel deusebom cristo god dios dieu gott faith blessed church heaven angelito virgem maria
andrea daniel jessica ashley nicole anthony thomas robert charlie jennifer andrew joshua matthew michelle amanda samantha george
gabriel rafael lucas felipe fernando eduardo carlos antonio jose francisco roberto ricardo marcelo juliana mariana fernanda camila beatriz
alejandro sebastian valentina sofia isabella camille nicolas julien alexandre sandrine stefan andreas alexander sandra claudia martina
familia family mother father mommy daddy brother sister friend friends amigo amigos amiga mama papa vida minhavida miamor bonita princesa
estrella estrela sol luna lua cielo mar playa praia casa perro gato cachorro gatinho mariposa borboleta corazon coracao coeur herz liebe schatz
soleil etoile chocolat chien chat cheval fleur papillon sonne sterne hund katze blume engel prinzessin schmetterling
starwars matrix gandalf hobbit harrypotter spiderman superstar rockstar metallica nirvana slipknot guitar music musica piano dance dancer
television televisao televisor radio canal channel netflix youtube spotify stream streaming player movie cinema
fuckyou asshole bitch fucker pussy biteme merde putain scheisse arschloch mierda pendejo puta caralho porra merda
something nothing everything nobody anything together number one two three lucky magic power thunder phoenix legend hacker ninja pirate
passw passwd pwd mypassword mysecret newpassword oldpassword minhasenha misecreto meinpasswort geheim secreto segredo segredo
london paris berlin madrid lisboa newyork chicago dallas texas america canada mexico argentina colombia espana portugal france deutschland
italia europa africa china japan russia india australia california florida boston denver
sunday1 starlight moonlight midnight rainbow hurricane tornado ocean mountain island beach holiday vacation christmas natal navidad noel weihnachten
`
