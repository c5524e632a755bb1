// Returns the HTML that Outlook hides in RTF ([MS-OXRTFEX]).

/** Groups whose text is not part of the document. */
const IGNORED = new Set([
  "fonttbl",
  "colortbl",
  "stylesheet",
  "info",
  "pict",
  "object",
  "themedata",
  "listtable",
  "pntext",
]);
const CODE_PAGES: Readonly<Record<string, string>> = {
  "932": "shift_jis",
  "936": "gbk",
  "949": "euc-kr",
  "950": "big5",
  "874": "windows-874",
  "65001": "utf-8",
};
const TOKEN = /\\([a-z]{1,32})(-?\d{1,10})?[ ]?|\\'([0-9a-f]{2})|\\([^a-z])|([{}])|([^\\{}\r\n]+)|[\r\n]+/gi;

interface Group {
  /** True within a destination whose text does not belong to the HTML. */
  isIgnored: boolean;
  /** True behind \htmlrtf: this RTF stands for what the HTML says itself. */
  isRtfOnly: boolean;
  isTag: boolean;
  /** Characters that follow \u, which are its substitute. */
  substitutes: number;
}

/** Returns the HTML; undefined if the RTF contains none. @param rtf text in Latin-1 */
export function htmlInRtf(rtf: string): string | undefined {
  if (!/^\{\\rtf1?[^{]{0,500}\\fromhtml1\b/.test(rtf)) return undefined;
  return new HtmlReader(rtf).html;
}

class HtmlReader {
  readonly html: string;
  readonly #parts: string[] = [];
  readonly #groups: Group[] = [];
  #group: Group = { isIgnored: false, isRtfOnly: false, isTag: false, substitutes: 1 };
  #decoder = new TextDecoder("windows-1252");
  #bytes: number[] = [];
  #toSkip = 0;
  #isStarred = false;

  constructor(rtf: string) {
    for (const [, word, number, hex, symbol, brace, text] of rtf.matchAll(TOKEN)) {
      if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
      else if (brace) this.#brace(brace);
      else if (word !== undefined) this.#word(word.toLowerCase(), number);
      else if (symbol !== undefined) this.#symbol(symbol);
      else if (text !== undefined) this.#text(text);
    }
    this.#flush();
    this.html = this.#parts.join("");
  }

  get #isShown(): boolean {
    return !this.#group.isIgnored && (!this.#group.isRtfOnly || this.#group.isTag);
  }

  #brace(brace: string): void {
    this.#flush();
    this.#isStarred = false;
    if (brace === "{") {
      this.#groups.push(this.#group);
      this.#group = { ...this.#group };
    } else this.#group = this.#groups.pop() ?? this.#group;
  }

  #symbol(symbol: string): void {
    if (symbol === "*") this.#isStarred = true;
    else if ("{}\\".includes(symbol)) this.#text(symbol);
    else if (symbol === "~") this.#text("\u00a0");
    else if (symbol === "_") this.#text("\u2011");
  }

  #word(word: string, number: string | undefined): void {
    this.#flush();
    const starred = this.#isStarred;
    this.#isStarred = false;
    if (word === "htmlrtf") this.#group.isRtfOnly = number !== "0";
    else if (word === "htmltag") this.#group.isTag = true;
    else if (word === "mhtmltag" || IGNORED.has(word) || (starred && word !== "htmltag")) this.#group.isIgnored = true;
    else if (word === "ansicpg") this.#setCodePage(number ?? "1252");
    else if (word === "uc") this.#group.substitutes = Number(number ?? 1);
    else if (word === "u") {
      const code = Number(number ?? 0);
      if (this.#isShown) this.#parts.push(String.fromCharCode(code < 0 ? code + 0x10000 : code));
      this.#toSkip = this.#group.substitutes;
    } else if (word === "par" || word === "line") this.#text("\r\n");
    else if (word === "tab") this.#text("\t");
    else if (CHARACTERS[word] !== undefined) this.#text(CHARACTERS[word]);
  }

  #setCodePage(page: string): void {
    try {
      this.#decoder = new TextDecoder(CODE_PAGES[page] ?? `windows-${page}`);
    } catch {
      // An unknown code page: the text stays in that of Western Windows.
    }
  }

  #text(text: string): void {
    const shown = text.slice(this.#toSkip);
    this.#toSkip = Math.max(0, this.#toSkip - text.length);
    if (shown === "" || !this.#isShown) return;
    this.#flush();
    this.#parts.push(shown);
  }

  #byte(byte: number): void {
    if (this.#toSkip > 0) this.#toSkip--;
    else if (this.#isShown) this.#bytes.push(byte);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    this.#parts.push(this.#decoder.decode(Uint8Array.from(this.#bytes)));
    this.#bytes = [];
  }
}

const CHARACTERS: Readonly<Record<string, string>> = {
  lquote: "\u2018",
  rquote: "\u2019",
  ldblquote: "\u201c",
  rdblquote: "\u201d",
  bullet: "\u2022",
  endash: "\u2013",
  emdash: "\u2014",
  emspace: "\u2003",
  enspace: "\u2002",
};
