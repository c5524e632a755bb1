// Decides what a text is: by its content, and if that fits several types, by its name.

import { behindComments } from "../../../document/contract/media-type.ts";
import { isMailHead, isSource, isWebArchive } from "../../../document/formats/text-formats.ts";
import type { TextKind } from "../../../operations/to-pdf/text-to-html.ts";

/** Names that decide about a text. The content decides about a text of another name. */
const BY_NAME: readonly (readonly [RegExp, TextKind])[] = [
  [/\.(?:md|markdown|mdown|mkd|mkdn)$/i, "markdown"],
  [/\.(?:csv|tsv|tab)$/i, "table"],
  [/\.(?:json|jsonl|ndjson|geojson|webmanifest|ipynb)$/i, "json"],
  [/\.(?:txt|text|log)$/i, "text"],
  [/\.(?:mht|mhtml)$/i, "web-archive"],
  [/\.(?:eml|mbox|mbx)$/i, "mail"],
];
/** Names of formats that are not text, or whose programs would not read it as such. */
const OTHER_NAME =
  /\.(?:docx?|dotx?|docm|xlsx?|xlsm|xltx?|pptx?|pptm|potx?|ppsx?|od[tspgf]|ot[tspg]|fod[tspg]|rtf|pdf|ps|eps|zip|gz|tar|7z|rar|png|jpe?g|gif|tiff?|bmp|webp|heic|heif|avif|svgz?|msg|exe|dll|mp[34]|html?)$/i;
const OTHER_XML = /<(?:svg)[\s>]/i;
/** First line of an e-mail, whose headers can be damaged, or of a mailbox file. */
const FIRST_HEADER = /^\s*(?:From |[!-9;-~]+[ \t]*:)/;
/** Headers of a message from a person or a server, which web archives lack. */
const OF_MESSAGE = /^(?:From|To|Received|Message-ID):/im;
/** Headers with which browsers mark web archives. */
const OF_BROWSER = /^(?:Snapshot-Content-Location:|From:\s*<?Saved by )/im;

/** Returns the kind of a text that is no document of Office, HTML or PostScript; undefined if it is none. */
export function textKindOf(text: string, name: string): TextKind | undefined {
  if (text === "" || isBinary(text)) return undefined;
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (named === "web-archive" || named === "mail") return FIRST_HEADER.test(text) ? named : undefined;
  if (named) return named;
  if (OTHER_NAME.test(name)) return undefined;
  if (isWebArchive(text) && (OF_BROWSER.test(text) || !OF_MESSAGE.test(text))) return "web-archive";
  if (isMailHead(text)) return "mail";
  if (/\.(?:xml|xsd|xsl|xslt|rss|atom|kml|gpx|plist|xbrl)$/i.test(name) || isXmlStart(text)) return "xml";
  return isSource(text) && /^\s*[[{]/.test(text) ? "json" : "text";
}

/** Part of the characters beyond which controls are no slips of a text. */
const MOST_CONTROLS = 0.03;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is counted
const CONTROLS = /[\u0001-\u0007\u000b\u000e-\u0019\u001c-\u001f]/g;

const isBinary = (text: string): boolean => (text.match(CONTROLS)?.length ?? 0) > text.length * MOST_CONTROLS;

/** Reports whether the name alone makes a text one of these kinds, whatever elements it starts with. */
export const isNamedText = (name: string): boolean => BY_NAME.slice(0, 4).some(([pattern]) => pattern.test(name));

function isXmlStart(text: string): boolean {
  const markup = behindComments(text);
  return /^<\?xml\s/.test(markup) && !OTHER_XML.test(markup);
}
