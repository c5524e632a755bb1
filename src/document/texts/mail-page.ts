// Prints an e-mail: its headers, its text with the images that came with it, and a list of its attachments.

import type { Mail, MailAttachment, Mailbox } from "../formats/mail/mail.ts";
import { IMAGE_DATA, imageUrl } from "./images.ts";
import { escaped, type Typography, textRule } from "./page.ts";
import { plainTextBody } from "./plain-text.ts";
import { sanitized } from "./sanitize.ts";

export interface MailPage {
  readonly body: Iterable<string>;
  /** Number of images that did not come with the e-mail, or that browsers do not show. */
  readonly missingImages: number;
  /** Attachments that are not shown in the text. */
  readonly attachments: readonly MailAttachment[];
}

const SIZE_PT = 10.5;

export const mailStyles = (typography: Typography): string => `${textRule("body", typography, SIZE_PT)}
  body { line-height: 1.4; }
  .headers { border-collapse: collapse; margin-bottom: 10pt; width: 100%; border-bottom: 1pt solid #b8bec7; }
  .headers th { text-align: left; vertical-align: top; color: #57606a; font-weight: normal; padding: 0 10pt 3pt 0;
    white-space: nowrap; width: 1%; }
  .headers td { padding: 0 0 3pt; unicode-bidi: plaintext; }
  .headers tr:last-child th, .headers tr:last-child td { padding-bottom: 8pt; }
  .subject { font-size: 1.25em; font-weight: bold; }
  .body { position: relative; transform: translate(0); overflow-wrap: break-word; }
  .attachments { border-top: 1pt solid #b8bec7; margin-top: 14pt; padding-top: 6pt; break-inside: avoid-page; }
  .attachments p { margin: 0 0 3pt; font-weight: bold; color: #57606a; }
  .attachments ul { margin: 0; padding-left: 14pt; }
  pre { font: inherit; white-space: pre-wrap; margin: 0; unicode-bidi: plaintext; overflow-wrap: anywhere; }`;

/** Styles of the text itself, which the rules of the e-mail can override. */
const TEXT_STYLES = "img { max-width: 100%; height: auto; } pre { white-space: pre-wrap; }";

export function mailPage(mail: Mail): MailPage {
  const shown = new Set<MailAttachment>();
  let missingImages = 0;
  const byId = new Map(
    mail.attachments.flatMap((one) => (one.contentId ? [[one.contentId.toLowerCase(), one] as const] : [])),
  );
  const source = (address: string): string | undefined => {
    if (IMAGE_DATA.test(address)) return address;
    const id = /^\s*cid:(.*)$/is.exec(address)?.[1];
    const attachment = id === undefined ? undefined : byId.get(decoded(id.trim()).toLowerCase());
    const url = attachment && imageUrl(attachment.bytes);
    if (url !== undefined) shown.add(attachment!);
    // An image without an address, as editors leave it behind, shows nothing in other programs either.
    else if (address.trim() !== "") missingImages++;
    return url;
  };
  const hasHtml = mail.html !== undefined && mail.html.trim() !== "";
  const html = hasHtml ? htmlBody(mail.html!, source) : "";
  const body = function* (): Generator<string> {
    yield headersOf(mail);
    if (hasHtml) yield html;
    else yield* plainTextBody(mail.text ?? "", false);
    yield listOf(rest);
  };
  const rest = mail.attachments.filter((attachment) => !shown.has(attachment));
  return { body: body(), missingImages, attachments: rest };
}

/**
 * Returns the text in a shadow tree, whose style sheets do not reach the headers. Its box contains all positioned
 * elements, so that none covers the headers.
 */
function htmlBody(html: string, source: (address: string) => string | undefined): string {
  const inner = sanitized(html, {
    keepsStyles: true,
    image: (address) => {
      const url = source(address);
      return url === undefined ? undefined : { source: url };
    },
    style: (css) =>
      withoutPages(css).replace(LOADED, (whole, _, address: string | undefined) => {
        if (address === undefined || /^(?:#|data:)/i.test(address)) return whole;
        const url = source(address);
        return url === undefined ? "none" : `url("${url}")`;
      }),
  });
  return `<div class="body"><template shadowrootmode="open"><style>${TEXT_STYLES}</style>${inner}</template></div>`;
}

/** Matches what a style loads; the address is that of an image. Fonts and other style sheets are left to the browser. */
const LOADED = /@font-face\s*\{[^}]*\}|@import[^;]*;|url\(\s*(["']?)([^"')]+)\1\s*\)/gi;

/** Removes the rules of pages, with which programs would print the text alone. A named page would start a new one. */
const withoutPages = (css: string): string =>
  css.replace(/@page\b[^{}]*\{[^{}]*\}/gi, "").replace(/(^|[;{\s])page\s*:[^;}]*/gi, "$1");

function decoded(id: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    return id;
  }
}

function headersOf({ from, to, cc, bcc, date, subject }: Mail): string {
  const rows: [string, string][] = [
    ["From", peopleIn(from)],
    ["To", peopleIn(to)],
    ["Cc", peopleIn(cc)],
    ["Bcc", peopleIn(bcc)],
    ["Date", date ?? ""],
  ];
  const lines = rows.filter(([, value]) => value !== "");
  const shown = lines.map(([name, value]) => `<tr><th>${name}</th><td>${escaped(value)}</td></tr>`).join("");
  return `<table class="headers">${shown}<tr><th>Subject</th><td class="subject">${escaped(subject)}</td></tr></table>\n`;
}

/** People that are named; more are counted. */
const MOST_PEOPLE = 500;

function peopleIn(people: readonly Mailbox[]): string {
  const named = people
    .slice(0, MOST_PEOPLE)
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : name ? name : address));
  const more = people.length > MOST_PEOPLE ? [`and ${people.length - MOST_PEOPLE} more`] : [];
  return [...named, ...more].join(", ");
}

/** Returns the list of attachments; empty if there are none. */
function listOf(attachments: readonly MailAttachment[]): string {
  if (attachments.length === 0) return "";
  const items = attachments.map((one) => `<li>${escaped(nameOf(one))} <span>(${sizeOf(one)})</span></li>`);
  return `<div class="attachments"><p>${attachments.length === 1 ? "1 attachment" : `${attachments.length} attachments`}</p><ul>${items.join("")}</ul></div>`;
}

/** Returns the name under which an attachment is listed. */
const nameOf = ({ name, type }: MailAttachment): string => name.trim() || `unnamed (${type})`;

function sizeOf({ bytes, mail }: MailAttachment): string {
  if (mail) return "e-mail";
  const { length } = bytes;
  if (length < 1000) return length === 1 ? "1 byte" : `${length} bytes`;
  return length < 1_000_000 ? `${(length / 1000).toFixed(0)} KB` : `${(length / 1_000_000).toFixed(1)} MB`;
}
