// Recognizes static HTML: documents without scripts, references, forms, fonts and motion, which can share a renderer
// (decision 83). Allows what is known to be harmless; unknown content is not static.

import { type Token, Tokenizer, TokenizerMode } from "parse5";
import { CONTAINER_LIMITS } from "../limits.ts";

const words = (text: string) => new Set(text.split(" "));

const ELEMENTS = words(
  "html head body title style meta link h1 h2 h3 h4 h5 h6 p br hr div span pre blockquote address center " +
    "section article header footer main nav aside hgroup figure figcaption ul ol li dl dt dd menu dir " +
    "table caption colgroup col thead tbody tfoot tr th td a b i u s em strong small big sub sup tt code kbd samp var " +
    "cite dfn abbr acronym q ins del strike mark time data bdi bdo wbr font img map area ruby rt rp rb rtc " +
    // SVG, in the tokenizer's spelling
    "svg g path rect circle ellipse line polyline polygon text tspan defs use symbol desc lineargradient " +
    "radialgradient stop clippath mask pattern marker",
);

const ATTRIBUTES = words(
  "id class style title lang dir name role href rel rev type media charset content http-equiv property " +
    "itemprop itemscope itemtype src alt width height border align valign char charoff abbr axis headers scope " +
    "rowspan colspan cellpadding cellspacing frame rules summary span nowrap bgcolor color face size start value " +
    "reversed compact clear noshade hspace vspace text link vlink alink cite datetime hreflang target shape coords " +
    "usemap xmlns xml:lang xml:space xmlns:xlink xlink:href version epub:type " +
    "viewbox preserveaspectratio x y x1 y1 x2 y2 dx dy cx cy fx fy r rx ry d points offset rotate transform fill " +
    "fill-opacity fill-rule stroke stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray " +
    "stroke-dashoffset stroke-opacity opacity stop-color stop-opacity gradientunits gradienttransform spreadmethod " +
    "clip-path clip-rule clippathunits mask maskunits maskcontentunits patternunits patterncontentunits " +
    "patterntransform marker-start marker-mid marker-end markerunits markerwidth markerheight refx refy orient " +
    "font-family font-size font-weight font-style letter-spacing text-anchor dominant-baseline baseline-shift " +
    "shape-rendering text-rendering vector-effect display visibility overflow",
);
const OTHER_ATTRIBUTES = /^(?:data|aria)-[a-z0-9_-]+$/;
/** Attributes whose value is text, not CSS. */
const TEXTS = words("title alt content summary value id class");

/** Links that the browser does not follow by itself. */
const PASSIVE_LINKS = words(
  "next prev previous up top home first last start begin end contents toc index glossary copyright chapter section " +
    "subsection appendix help author license canonical bookmark made shortlink generator child parent",
);
const PASSIVE_META = words("content-type content-language content-style-type content-script-type x-ua-compatible");
/** A picture in one of three formats. The first characters tell the format; the browser ignores the declared one. */
const PICTURE = /^data:image\/(?:png|jpeg|gif);base64,(?:iVBORw0KGgo|\/9j\/|R0lGOD)[A-Za-z0-9+/=\s]*$/;

/** CSS that loads or moves something. Inexact, because the proxy refuses what such a document loads. */
const ACTIVE_CSS =
  /@(?:import|font-face|namespace|keyframes|-webkit-keyframes|property|view-transition)|animation|transition|image-set|(?:src|element|paint)\(/i;
const CSS_URL = /url\(\s*["']?([^"')]*)/gi;
const CSS_ESCAPE = /\\(?:([0-9a-f]{1,6})(?:\r\n|\s)?|([^\n]))/gi;

/** Encodings in which `<` and `>` are always these characters, and nothing else is. */
const PLAIN_ENCODINGS = /^(?:utf-8|windows-125\d|iso-8859-\d+|koi8-[ru])$/;
/** Number of characters after which the time is checked: a tag with many attributes takes quadratic time. */
const CHUNK_LENGTH = 4096;

/**
 * @param bytes the whole document
 * @param charset the charset with which it is sent to the browser
 */
export function isStaticPage(bytes: Buffer, charset: string | undefined): boolean {
  if (bytes.length > CONTAINER_LIMITS.staticPageBytes || !PLAIN_ENCODINGS.test(charset ?? "")) return false;
  const text = new TextDecoder(charset).decode(bytes);
  const judge = new Judge();
  const tokenizer = new Tokenizer({}, judge);
  judge.tokenizer = tokenizer;
  const since = process.threadCpuUsage();
  const isLate = () => process.threadCpuUsage(since).user > 1000 * CONTAINER_LIMITS.staticPageMs;
  for (let at = 0; at < text.length; at += CHUNK_LENGTH) {
    tokenizer.write(text.slice(at, at + CHUNK_LENGTH), at + CHUNK_LENGTH >= text.length);
    if (!judge.isStatic || isLate()) return false;
  }
  return true;
}

/** Element whose content is text up to its end tag. */
interface TextElement {
  readonly name: string;
  text: string;
}

class Judge {
  isStatic = true;
  tokenizer!: Tokenizer;
  #inside: TextElement | undefined;

  onStartTag(token: Token.TagToken): void {
    const { tagName: name } = token;
    if (!ELEMENTS.has(name) || !token.attrs.every(({ name: key, value }) => isPassive(name, key, value))) {
      this.isStatic = false;
    } else if (name === "link") this.isStatic &&= isPassiveLink(token);
    else if (name === "style" || name === "title") {
      this.#inside = { name, text: "" };
      this.tokenizer.state = name === "style" ? TokenizerMode.RAWTEXT : TokenizerMode.RCDATA;
    }
  }

  onEndTag({ tagName }: Token.TagToken): void {
    if (this.#inside?.name !== tagName) return;
    this.#endText(this.#inside);
    this.#inside = undefined;
  }

  onCharacter({ chars }: Token.CharacterToken): void {
    if (this.#inside) this.#inside.text += chars;
  }

  onWhitespaceCharacter(token: Token.CharacterToken): void {
    this.onCharacter(token);
  }

  onNullCharacter(): void {
    this.isStatic = false;
  }

  /** A comment is one in each state, except for CDATA sections of SVG, which end elsewhere. */
  onComment({ data }: Token.CommentToken): void {
    if (data.startsWith("[CDATA[")) this.isStatic = false;
  }

  onDoctype(): void {}

  onEof(): void {
    if (this.#inside) this.#endText(this.#inside);
  }

  /**
   * In SVG and in lists, the browser reads this text like any other, so it must not contain the start of a tag, and
   * CSS no character reference.
   */
  #endText({ name, text }: TextElement): void {
    if (text.includes("<") || (name === "style" && (text.includes("&") || isActiveCss(text)))) this.isStatic = false;
  }
}

function isPassive(element: string, name: string, value: string): boolean {
  if (!ATTRIBUTES.has(name) && !OTHER_ATTRIBUTES.test(name)) return false;
  switch (name) {
    case "src":
      return element === "img" && PICTURE.test(value);
    case "name":
      // The browser creates a script context for the property of the document with the name of a picture.
      return element !== "img";
    case "http-equiv":
      return PASSIVE_META.has(value.trim().toLowerCase());
    case "href":
    case "xlink:href":
      return ["a", "area", "link"].includes(element) || value.startsWith("#");
    default:
      return TEXTS.has(name) || !isActiveCss(value);
  }
}

function isPassiveLink({ attrs }: Token.TagToken): boolean {
  const rel =
    attrs
      .find(({ name }) => name === "rel")
      ?.value.toLowerCase()
      .trim() ?? "";
  return rel.split(/\s+/).every((type) => PASSIVE_LINKS.has(type));
}

function isActiveCss(css: string): boolean {
  const plain = css.replace(CSS_ESCAPE, (_, code?: string, character?: string) => {
    const point = Number.parseInt(code ?? "", 16);
    return character ?? (point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd");
  });
  const urls = Array.from(plain.matchAll(CSS_URL), ([, url = ""]) => url);
  return ACTIVE_CSS.test(plain) || !urls.every((url) => url.startsWith("#") || PICTURE.test(url));
}
