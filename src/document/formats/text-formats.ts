// Recognizes machine-readable formats in text files, because a text converter would print their source.

const HEADER = /^[!-9;-~]+:/;
/**
 * Headers of mail and web archives (RFC 5322, 3.6; RFC 2045, 3) that no ordinary memo has, unlike `To:` or `Subject:`.
 */
const OF_MAIL =
  /^(MIME-Version|Message-ID|Received|Return-Path|Delivered-To|DKIM-Signature|Content-(Type|Transfer-Encoding|Disposition)):/im;
const WEB_ARCHIVE = /^Content-Type:\s*(multipart\/(related|alternative)|text\/html)\b/im;

/** Reports whether a file is MIME with HTML: an Office web archive, not mail with attachments. */
export function isWebArchive(start: string): boolean {
  const head = mailHeader(start);
  return head !== undefined && /^MIME-Version:/im.test(head) && WEB_ARCHIVE.test(head);
}

/** Reports whether a text starts with the headers of an e-mail, possibly behind the first line of a mailbox file. */
export const isMailHead = (start: string): boolean => mailHeader(start.replace(/^From [^\n]*\n/, "")) !== undefined;

/** Reports whether a text is machine-readable source instead of prose: mail, JSON, XML, Base64 and others. */
export function isSource(start: string): boolean {
  const text = start.trimStart();
  return (
    FORMATS.some((format) => format.test(text)) || mailHeader(text) !== undefined || isJson(text) || isBase64(text)
  );
}

const HTML_ELEMENT =
  /^<(!doctype\s+html|html|head|body|meta|title|base|link|style|script|table|caption|colgroup|thead|tbody|tfoot|tr|td|th|div|p|h[1-6]|span|font|center|[biu]|strong|em|small|big|br|hr|img|a|ul|ol|li|dl|dt|dd|pre|blockquote|form|section|article|header|footer|main|nav)(\s|\/?>)/i;

/** Reports whether markup starts with an HTML element, as do the fragments that programs write for Office. */
export const isHtmlPart = (markup: string): boolean => HTML_ELEMENT.test(markup);

const FORMATS: readonly RegExp[] = [
  // XML, with or without a declaration.
  /^<\?xml\s/,
  /^<[A-Za-z_][\w.:-]*[\s>][\s\S]*?<\/[A-Za-z_][\w.:-]*>/,
  // PEM (RFC 7468), OpenPGP (RFC 4880), vCard (RFC 6350), iCalendar (RFC 5545).
  /^-----BEGIN [A-Z0-9 ]+-----/,
  /^BEGIN:(VCARD|VCALENDAR)\b/i,
  // A form body or a server response, saved instead of the document in it.
  /^--\S+\r?\nContent-[A-Za-z-]+:/,
  /^HTTP\/\d(\.\d)? \d{3}\b/,
  /^data:[\w.+-]+\/[\w.+-]+[;,]/,
  // Unix-to-Unix encoding, and a Git LFS pointer.
  /^begin [0-7]{3} \S+\r?\n/,
  /^version https:\/\/git-lfs\.github\.com\/spec\//,
];

/** Returns the headers at the start of a text, if they are mail headers. */
function mailHeader(start: string): string | undefined {
  const [head = ""] = start.trimStart().split(/\r?\n\r?\n/, 1);
  // The last line can be truncated.
  const lines = head
    .replace(/\r?\n[ \t]+/g, " ")
    .split(/\r?\n/)
    .slice(0, head.length === start.trimStart().length ? -1 : undefined);
  return lines.length > 0 && lines.every((line) => HEADER.test(line)) && OF_MAIL.test(head) ? head : undefined;
}

const JSON_TOKEN = /\s*(?:[{}[\],:]|"(?:[^"\\\n]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true\b|false\b|null\b)/y;
/** Matches a token that is truncated at the end of the text. */
const CUT_TOKEN = /^\s*(?:"(?:[^"\\\n]|\\.)*\\?|[-+\w.]*)$/;

/** Reports whether a text consists of JSON tokens, starting with an object or array. */
function isJson(text: string): boolean {
  if (!/^(\{\s*["}]|\[\s*["{[\]\d-])/.test(text)) return false;
  JSON_TOKEN.lastIndex = 0;
  let at = 0;
  while (JSON_TOKEN.test(text)) at = JSON_TOKEN.lastIndex;
  return CUT_TOKEN.test(text.slice(at));
}

/** Minimum length of the first line of a Base64 text. A shorter line could be a word. */
const MIN_BASE64 = 60;

/** Reports whether a text is only Base64 (RFC 4648), in one line or in lines of equal length. */
function isBase64(text: string): boolean {
  const lines = text.trimEnd().split(/\r?\n/);
  const [first = ""] = lines;
  const isEven = lines.slice(1, -1).every((line) => line.length === first.length);
  if (first.length < MIN_BASE64 || !isEven) return false;
  if (!lines.every((line) => /^[A-Za-z0-9+/_-]*={0,2}$/.test(line))) return false;
  return [/[A-Z]/, /[a-z]/, /[0-9]/].every((kind) => kind.test(text));
}
