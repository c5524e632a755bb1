// Encodings with one or two bytes for a character, and the letters that their languages use most.

/** Letters outside ASCII in lower case, the most frequent ones first: one text for each language. */
type Letters = readonly string[];

const WESTERN: Letters = [
  "üäößé",
  "éèàêôîçâïëùûœæüÿ",
  "óáíúéñü",
  "èàòéùì",
  "ãçáíéóúêõâàôü",
  "äöåé",
  "æøåéöäòó",
  "íáóúéöæðýþ",
  "éëïáíäóèöüê",
  "óàéíèòçúïü",
  "õäüö",
];
const CENTRAL: Letters = ["íářéčýžěšůúóňťďü", "łżęąśćóńźéü", "éáóíöőüúű", "ăţîâş", "čšžćđ", "áčíýéúťžšľóäňôĺďŕ"];
const RUSSIAN = "еоаинтрслвкпдмуязыьбгйчжхцшщюфэёъ";
const UKRAINIAN = "аонвирітеклсдмупбязьгйчхцжєшїюфщґ";
const CYRILLIC: Letters = [
  RUSSIAN,
  UKRAINIAN,
  "аеионтрсвдкплзмъябучгжйцфшщхюьѝ",
  "аеионртскупдвмјлзбгшчњцљжхћфђџќѓѕ",
  "анркіслыетядмувопэцзбьгўчйхшфжюё",
];
const GREEK: Letters = ["αοτενιρσμηκπυλςίγδήέάόχωθύφβώζξψϊϋΐΰ"];
const TURKISH: Letters = ["ışçüğöİâî", ...WESTERN];
const BALTIC: Letters = ["ųšėžįąčūęõ", "āēīšļņūžķčģŗō", "õäüöšž"];
const HEBREW: Letters = ["יוהלארתבמשםנעדחקןפכטגזצסךץף"];
const ARABIC: Letters = ["اليمروةتندفسبعكحقجصأهطخغشإزذضىثئءظؤـآ", "اینرودهتمبسلکشپجزگفخعقصحطچآغظئذضژثأءؤ"];
const THAI: Letters = ["ารอมนเก่ล้ดงตัสิีบ์ยวแุไู็คขทำปหจะโพืชซฟใึถณภผ๊ษ๋ธฐฮญศฉฤฝๆฏฑฬๅ๐๑๒๓๔๕๖๗๘๙"];

/** Hiragana and katakana. */
const KANA = String.fromCodePoint(...Array.from({ length: 0x30fd - 0x3041 }, (_, index) => 0x3041 + index));
const JAPANESE: Letters = [
  KANA +
    "のンにたいをるとしはでーすがなてスルトイアクッリラれ日本人大一国中年会出上行分田山川木井村東京都市区町県名北海道" +
    "府阪島野藤佐高橋渡辺伊鈴小林加吉松清水郎美子恵健次三二太原西南石森池和岡福神奈横浜沢崎屋古谷住所氏電話番号金額合計" +
    "商品数量単価円税込個月火土曜時間社株式用不定成全部新入力表示要設文字語正前後内外通員方法物手書見明",
];
const SIMPLIFIED: Letters = [
  "的一是不了人我在有他这为之大来以个中上们到说国和地也子时道出而要于就下得可你年生自会那后能对着事其里所去行过家十用" +
    "发天如然作方成者多日都三小军二无同么经法当起与好看学进种将还分此心前面又定见只主没公从王李张刘陈杨黄赵周吴徐孙胡朱" +
    "林何郭马罗北京海广州深圳省市区县路号姓名电话地址金额数量单价合计商品城南东西江山河湖安德利亚尼斯加克拉尔",
];
const TRADITIONAL: Letters = [
  "的一是不了人我在有他這為之大來以個中上們到說國和地也子時道出而要於就下得可你年生自會那後能對著事其里所去行過家十用" +
    "發天如然作方成者多日都三小軍二無同麼經法當起與好看學進種將還分此心前面又定見只主沒公從王李張劉陳楊黃趙周吳徐孫胡朱" +
    "林何郭馬羅北臺台灣高雄新竹桃園市區縣路號姓名電話址金額數量單價合計商品城南東西江山河湖香港安德利亞尼斯加克拉爾語文",
];
const KOREAN: Letters = [
  "이다는에의을가고하한지사기로도를은인나정시서자아수그대리어해있스일라부제보여상전원장화동구주안신경성조비만우트공과용미" +
    "유소금세요모위오계마물무방관개연문선업습국니두드표심타면명호양음내명름울산광남북천박김최강윤임한영민준현진철희숙번지길" +
    "읍군청회팀품량합단가액격총체크르프레파테합반려말거게것등와들때할없중않건급입출력치실데생재료녕",
];

/** An encoding that texts rarely declare. The first ones are preferred if several ones are as likely. */
export interface LegacyEncoding {
  readonly name: string;
  readonly letters: Letters;
  /** How much rarer it is than the encodings without this number, in bits. */
  readonly rarity?: number;
  /** The characters of an encoding with two bytes for a character, and the first bytes of those that are usual. */
  readonly wide?: { readonly script: RegExp; readonly first: number; readonly last: number };
}

const KANJI = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー々]/u;
const HAN = /\p{Script=Han}/u;
const HANGUL = /\p{Script=Hangul}/u;

export const LEGACY_ENCODINGS: readonly LegacyEncoding[] = [
  // ISO 8859-1 is a part of it.
  { name: "windows-1252", letters: WESTERN },
  { name: "windows-1250", rarity: 1, letters: CENTRAL },
  { name: "iso-8859-2", rarity: 5, letters: CENTRAL },
  { name: "windows-1251", letters: CYRILLIC },
  { name: "koi8-r", rarity: 2, letters: [RUSSIAN] },
  { name: "koi8-u", rarity: 3, letters: [UKRAINIAN, RUSSIAN] },
  { name: "iso-8859-5", rarity: 8, letters: CYRILLIC },
  { name: "windows-1253", letters: GREEK },
  { name: "iso-8859-7", rarity: 3, letters: GREEK },
  { name: "windows-1254", rarity: 1, letters: TURKISH },
  { name: "windows-1255", letters: HEBREW },
  { name: "windows-1256", letters: ARABIC },
  { name: "iso-8859-6", rarity: 8, letters: ARABIC },
  { name: "windows-1257", rarity: 10, letters: BALTIC },
  { name: "windows-874", letters: THAI },
  { name: "shift_jis", letters: JAPANESE, wide: { script: KANJI, first: 0x81, last: 0x97 } },
  { name: "euc-jp", rarity: 6, letters: JAPANESE, wide: { script: KANJI, first: 0xa1, last: 0xcf } },
  { name: "gb18030", letters: SIMPLIFIED, wide: { script: HAN, first: 0xa1, last: 0xd7 } },
  { name: "big5", letters: TRADITIONAL, wide: { script: HAN, first: 0xa1, last: 0xc6 } },
  { name: "euc-kr", letters: KOREAN, wide: { script: HANGUL, first: 0xa1, last: 0xc8 } },
];
