// Tests the detection of encodings.
import { expect, test } from "vitest";
import { decodeText, encodingOf } from "../../../../../src/document/formats/text/decode.ts";

const RUSSIAN = "Широкая электрификация южных губерний даст мощный толчок подъёму сельского хозяйства.";

/** Encodes a text of the Cyrillic block in windows-1251, which Node decodes, but does not encode. */
const cyrillic = (text: string) =>
  Uint8Array.from(text, (letter) => {
    const code = letter.codePointAt(0)!;
    if (code < 0x80) return code;
    return letter === "ё" ? 0xb8 : code - 0x410 + 0xc0;
  });

test.each([
  ["UTF-8", Buffer.from("Grüße, 世界"), "Grüße, 世界"],
  ["UTF-8 with a byte order mark", Buffer.from("\ufeffGrüße"), "Grüße"],
  ["UTF-16 with a byte order mark", Buffer.from("\ufeffGrüße", "utf16le"), "Grüße"],
  ["UTF-16 without one", Buffer.from("Hello, world", "utf16le"), "Hello, world"],
  ["UTF-16BE without one", Buffer.from("Hello, world", "utf16le").swap16(), "Hello, world"],
  ["windows-1251", cyrillic(RUSSIAN), RUSSIAN],
  ["Shift_JIS", Buffer.from("82b182f182c982bf82cd90a28a458142".repeat(4), "hex"), "こんにちは世界。".repeat(4)],
  ["EUC-JP", Buffer.from("a4b3a4f3a4cba4c1a4cfc0a4b3a6a1a3".repeat(4), "hex"), "こんにちは世界。".repeat(4)],
  ["ISO-2022-JP", Buffer.from("\u001b$B$3$s$K$A$O\u001b(B\n", "latin1"), "こんにちは\n"],
  [
    "windows-1252",
    Buffer.from("Die Größe überrascht uns \x96 f\xfcr \x80 5", "latin1"),
    "Die Größe überrascht uns – für € 5",
  ],
])("%s", (_, bytes, text) => expect(decodeText(bytes)).toBe(text));

test("a declared encoding counts, unless a byte order mark contradicts", () => {
  expect(decodeText(Buffer.from("e4", "hex"), "koi8-r")).toBe("Д");
  expect(decodeText(Buffer.from("\ufeffä"), "koi8-r")).toBe("ä");
  expect(encodingOf(Buffer.from("a"), "no-encoding")).toBe("utf-8");
});

/** Encodes a text with one or two bytes for a character, which Node decodes, but does not encode. */
function encoded(text: string, encoding: string): Uint8Array {
  const decoder = new TextDecoder(encoding);
  const bytesOf = new Map<string, number[]>();
  for (let first = 0xff; first >= 0; first--) {
    for (let second = 0xfe; second >= 0x40 && first > 0x80; second--) {
      const character = decoder.decode(Uint8Array.of(first, second));
      if (character.length === 1) bytesOf.set(character, [first, second]);
    }
    bytesOf.set(decoder.decode(Uint8Array.of(first)), [first]);
  }
  return Uint8Array.from([...text].flatMap((character) => bytesOf.get(character)!));
}

test.each([
  ["windows-1250", "Jméno;Město;Částka\nToupalík;Ťahanovce;5"],
  ["windows-1250", "Příjmení;Žádost\nŠťastný;ne"],
  ["windows-1250", "Imię;Nazwisko;Miasto\nŁukasz;Wójcik;Łódź\nMałgorzata;Dąbrowska;Poznań"],
  ["windows-1250", "Wartość całkowita"],
  ["windows-1250", "Név;Település\nSzűcs Győző;Hódmezővásárhely"],
  ["iso-8859-2", "Příjmení;Město\nŠťastný;Žďár nad Sázavou"],
  ["iso-8859-2", "Imię;Miasto\nŚwiętosław;Łódź"],
  ["windows-1251", "Имя;Город\nИванов Иван;Москва"],
  ["windows-1251", "иванов,москва"],
  ["windows-1251", "Ім’я;Місто\nОлексій Шевченко;Київ"],
  ["koi8-r", "Имя;Город\nПетрова Анна;Санкт-Петербург"],
  ["koi8-u", "Прізвище;Місто\nЄвген Їжакевич;Чернівці"],
  ["iso-8859-5", "Фамилия;Сумма\nСидоров;100"],
  ["windows-1253", "Όνομα;Πόλη\nΓιώργος Παπαδόπουλος;Αθήνα"],
  ["windows-1253", "Σύνολο"],
  ["windows-1254", "Adı;Şehir\nAyşe Yıldız;İstanbul\nÇağlar Öztürk;Muğla"],
  ["windows-1254", "Müşteri ödemesi yapıldı"],
  ["windows-1255", "שם;עיר\nדוד כהן;ירושלים"],
  ["windows-1255", "שלום עולם"],
  ["windows-1256", "الاسم;المدينة\nمحمد أحمد;القاهرة"],
  ["windows-1256", "مرحبا بالعالم"],
  ["windows-874", "ชื่อ;จังหวัด\nสมชาย ใจดี;เชียงใหม่"],
  ["windows-874", "สวัสดีครับ"],
  ["shift_jis", "氏名,都市\n鈴木一郎,名古屋\n佐藤花子,札幌"],
  ["shift_jis", "鈴木一郎,名古屋"],
  ["shift_jis", "お問い合わせはこちら"],
  ["euc-jp", "氏名,都市\n高橋健太,横浜\n田中美咲,大阪"],
  ["euc-jp", "これはテストです"],
  ["euc-kr", "안양"],
  ["euc-kr", "이름,도시\n김민수,서울\n박지영,부산"],
  ["gb18030", "姓名,城市\n王小明,北京\n李娜,上海"],
  ["gb18030", "订单金额,备注"],
  ["big5", "姓名,城市\n陳怡君,台北\n林志明,高雄"],
  ["big5", "訂單編號,數量"],
  ["windows-1252", "Straße;Größe\nMüllerstraße 5;groß"],
  ["windows-1252", "Übersicht für „Käufer“ – 5 €"],
  ["windows-1252", "Prénom;Ville\nFrançois;Besançon\nHélène;Nîmes"],
  ["windows-1252", "L’été à l’hôtel « Cœur »"],
  ["windows-1252", "Año;Población\n1999;Logroño\n2000;A Coruña"],
  ["windows-1252", "¿Qué tal, señor Núñez?"],
  ["windows-1252", "São João;Conceição"],
  ["windows-1252", "Malmö;Århus;Tromsø"],
])("a short text in %s: %s", (encoding, text) => expect(decodeText(encoded(text, encoding))).toBe(text));

test("a byte that is wrong does not change how the others are read", () => {
  const bytes = [...encoded("氏名,都市\n鈴木一郎,名古屋\n", "shift_jis"), 0xff, ...encoded("札幌", "shift_jis")];
  expect(decodeText(Uint8Array.from(bytes))).toBe("氏名,都市\n鈴木一郎,名古屋\n\ufffd札幌");
});

test("a text whose last letter is outside ASCII is not cut", () => {
  expect(decodeText(encoded("Menù caffè", "windows-1252"))).toBe("Menù caffè");
});
