// Guesses the encoding of names that do not declare one: that of the machine that made the archive (APPNOTE.TXT, appendix
// D). A wrong guess is worse than none, so an encoding must fit all names, and their characters must be usual in it.

/** Encodings with two bytes for most characters, in which names of other languages are often valid by chance. */
const WIDE = ["shift_jis", "gbk", "euc-kr"] as const;
type Encoding = (typeof WIDE)[number] | "ibm866";
/** Least mean plausibility of the characters of all names. */
const PLAUSIBLE = 0.5;

/** Frequent characters of file names, which tell Chinese and Korean apart. */
const CHINESE = new Set(
  "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心" +
    "多天而能好都然没日于起还发成事只作当想看文无开手用主行方又如前所本见经头面公同三已老从动两长知民样现分将" +
    "外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重" +
    "被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市眼体别处总才场师书比" +
    "住员九笑性通目华报立马命张活难神数件安表原车白应路期叫死常提感金何更反合放做系计或司利受光王果亲界及今京" +
    "务制解各任至清物台象记边共风战干接它许八特觉望直服毛林题建南度统色字请交爱让认算论百吃义科怎元社术结六功" +
    "指思非流每青管夫连远资队跟带花快条院变联言权往展该领传近留红治决周保达办运武半候七必城父强步完革深区即求" +
    "品士转量空甚众技轻程告江语英基派满式李息写呢识极令黄德收脸钱党倒未持取设始版双历越史商千片容研像找友孩站" +
    "广改议形委早房音火际则首单据导影失拿网香似斯专石若兵弟谁校读志飞观争究包组造落视济喜离虽坏兴响食克兰击效" +
    "支票简图照财格备份录乐频桌档案册码编订购销售客户签证营",
);
const KOREAN = new Set(
  "이다는의에을가를고하은지도한로사기리어자시대나인서해부정일보수그스주상제아전장안구라것들만과으원여조유성" +
    "소공신문계동관경연세비화선민위미용국내마음생무실학방치면중있없말때년월물체결약견적진회록폴더파새명복업력" +
    "료첨본작발급표매뉴얼목차산",
);
const IS_FREQUENT: Readonly<Record<(typeof WIDE)[number], (character: string) => boolean>> = {
  shift_jis: (character) => /[\u3040-\u30ff]/.test(character),
  gbk: (character) => CHINESE.has(character),
  "euc-kr": (character) => KOREAN.has(character),
};

/** Returns the encoding of names; undefined if none is likely. */
export function likelyEncoding(names: readonly Buffer[]): Encoding | undefined {
  const scores = [...WIDE, "ibm866" as const].map((encoding) => ({ encoding, score: scoreIn(encoding, names) }));
  const [best] = scores.toSorted((one, other) => other.score - one.score);
  return best!.score >= PLAUSIBLE ? best!.encoding : undefined;
}

/** Returns the mean plausibility of the names' characters beyond ASCII, from 0 to 1. */
function scoreIn(encoding: Encoding, names: readonly Buffer[]): number {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: false });
  let [sum, count] = [0, 0];
  try {
    for (const name of names) {
      const characters = encoding === "ibm866" ? cyrillicIn(decoder.decode(name)) : wideIn(name, encoding, decoder);
      for (const value of characters) [sum, count] = [sum + value, count + 1];
    }
  } catch {
    return 0;
  }
  return sum / Math.max(1, count);
}

/** Yields the plausibility of each character beyond ASCII. */
function* cyrillicIn(text: string): Generator<number> {
  for (const [word] of text.matchAll(/[\p{L}\u0080-\uffff]+/gu)) {
    // In code page 437, the same bytes are accented letters between those of ASCII.
    const isTitle = /^№?\p{Lu}?\p{Ll}+$/u.test(word) && word.length > 1;
    const isUpper = /^№?\p{Lu}+$/u.test(word);
    const isShort = word.length < 4;
    const value = /^№?\p{Script=Cyrillic}*$/u.test(word) ? (isTitle ? 0.9 : isUpper && !isShort ? 0.6 : 0.2) : 0;
    for (const letter of word) if (letter > "\u007f") yield value;
  }
}

function* wideIn(name: Buffer, encoding: (typeof WIDE)[number], decoder: TextDecoder): Generator<number> {
  const text = decoder.decode(name);
  let at = 0;
  for (const [index, character] of [...text].entries()) {
    const length = character.charCodeAt(0) < 0x80 || isHalfWidth(character) ? 1 : 2;
    const [lead, trail] = [name[at]!, name[at + 1]!];
    at += length;
    if (character.charCodeAt(0) < 0x80) continue;
    // A single character between Latin letters is a letter with an accent, and the letter after it.
    const isAlone = !isWide(text[index - 1]) && !isWide(text[index + 1]);
    const isInWord = /[a-z]/i.test(`${text[index - 1] ?? ""}${text[index + 1] ?? ""}`);
    if (isAlone && (isInWord || trail < 0x80)) yield 0;
    else if (IS_FREQUENT[encoding](character)) yield 1;
    else yield length === 1 ? 0.1 : USUAL[encoding](lead, trail);
  }
}

const isWide = (character: string | undefined): boolean => character !== undefined && character > "\u007f";
const isHalfWidth = (character: string): boolean => character >= "\uff61" && character <= "\uff9f";

/** The plausibility of a character by the bytes of its code: sets of usual characters come first in each standard. */
const USUAL: Readonly<Record<(typeof WIDE)[number], (lead: number, trail: number) => number>> = {
  /** Level 1 of JIS X 0208, its symbols, and level 2. */
  shift_jis: (lead, trail) =>
    lead >= 0x88 && lead <= 0x98 ? 0.7 : lead === 0x81 || (lead === 0x82 && trail < 0x60) ? 0.5 : 0.1,
  /** Level 1 of GB 2312, level 2, and the characters of GBK. */
  gbk: (lead, trail) => (trail < 0xa1 || lead < 0xa1 ? 0.05 : lead >= 0xb0 && lead <= 0xd7 ? 0.6 : 0.3),
  /** Syllables of KS X 1001, its symbols, Chinese characters, and the syllables of Windows. */
  "euc-kr": (lead, trail) => (trail < 0xa1 || lead < 0xa1 ? 0.05 : lead >= 0xb0 && lead <= 0xc8 ? 0.6 : 0.2),
};
