// Reads e-mail of Outlook ([MS-OXMSG]).

import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Mail, MailAttachment, Mailbox } from "../mail/mail.ts";
import { CompoundFile, type Folder } from "../ole/compound.ts";
import { decodeText } from "../text/decode.ts";
import { PROPERTIES } from "./properties.ts";
import { decompressRtf } from "./rtf-compressed.ts";
import { htmlInRtf } from "./rtf-html.ts";

/** Tags of properties ([MS-OXPROPS]). */
const TAG = {
  subject: 0x0037,
  submitTime: 0x0039,
  sentForName: 0x0042,
  sentForAddress: 0x0065,
  recipientKind: 0x0c15,
  senderName: 0x0c1a,
  senderAddress: 0x0c1f,
  deliveryTime: 0x0e06,
  body: 0x1000,
  rtf: 0x1009,
  html: 0x1013,
  displayName: 0x3001,
  address: 0x3003,
  data: 0x3701,
  shortName: 0x3704,
  longName: 0x3707,
  mediaType: 0x370e,
  contentId: 0x3712,
  smtpAddress: 0x39fe,
  codePage: 0x3fde,
  messageCodePage: 0x3ffd,
  senderSmtp: 0x5d01,
  sentForSmtp: 0x5d02,
} as const;
const TYPE = { unicode: "001F", ansi: "001E", binary: "0102", object: "000D" } as const;
const KINDS = { to: 1, cc: 2, bcc: 3 } as const;
/** Size of the header of the properties: of a message, of a message within another one, of a recipient or attachment. */
const HEADER_BYTES = { message: 32, inner: 24, part: 8 };
const PROPERTY_BYTES = 16;
/** Milliseconds between 1601, where the times of Windows begin, and 1970. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000n;
const CODE_PAGES: Readonly<Record<number, string>> = {
  932: "shift_jis",
  936: "gb18030",
  949: "euc-kr",
  950: "big5",
  20866: "koi8-r",
  50220: "iso-2022-jp",
  51932: "euc-jp",
  65001: "utf-8",
};

/** @throws EngineFailure `unsupported` for a file that is damaged, `too-complex` for too many parts */
export function readMsg(bytes: Uint8Array): Mail {
  const { root } = new CompoundFile(bytes);
  if (!root.stream(PROPERTIES)) throw new EngineFailure("unsupported", "no Outlook item");
  return mailOf(root, HEADER_BYTES.message, 0);
}

function mailOf(folder: Folder, headerBytes: number, depth: number): Mail {
  const item = new Item(folder, headerBytes);
  const names = folder.folderNames();
  if (names.length > LIMITS.mailParts) throw new EngineFailure("too-complex", "too many attachments and recipients");
  const people = names
    .filter((name) => name.startsWith("__recip_"))
    .map((name) => recipientOf(folder.folder(name)!, item));
  const of = (kind: number) => people.filter((one) => one.kind === kind).map(({ mailbox }) => mailbox);
  const html = htmlOf(item);
  const text = item.text(TAG.body);
  const date = (item.time(TAG.submitTime) ?? item.time(TAG.deliveryTime))?.toUTCString();
  return {
    from: senderOf(item),
    ...{ to: of(KINDS.to), cc: of(KINDS.cc), bcc: of(KINDS.bcc) },
    ...(date === undefined ? {} : { date }),
    subject: item.text(TAG.subject) ?? "",
    ...(html === undefined ? {} : { html }),
    ...(text === undefined ? {} : { text }),
    attachments: names
      .filter((name) => name.startsWith("__attach_"))
      .map((name) => attachmentOf(folder.folder(name)!, item, depth)),
  };
}

/** A message, recipient or attachment, with its properties. */
class Item {
  readonly folder: Folder;
  readonly #fixed: Buffer;
  readonly encoding: string | undefined;

  constructor(folder: Folder, headerBytes: number, outer?: Item) {
    this.folder = folder;
    this.#fixed = (folder.stream(PROPERTIES) ?? Buffer.alloc(0)).subarray(headerBytes);
    const page = this.number(TAG.messageCodePage) ?? this.number(TAG.codePage);
    this.encoding = page === undefined ? outer?.encoding : (CODE_PAGES[page] ?? `windows-${page}`);
  }

  text(tag: number): string | undefined {
    const unicode = this.#stream(tag, TYPE.unicode);
    const text = unicode ? unicode.toString("utf16le") : this.#ansi(tag);
    // Programs end strings with a zero that does not belong to them.
    return text?.replace(/\0+$/, "");
  }

  #ansi(tag: number): string | undefined {
    const bytes = this.#stream(tag, TYPE.ansi);
    if (!bytes) return undefined;
    // The declared encoding can be that of another part.
    return decodeText(bytes, this.encoding === "utf-8" ? undefined : this.encoding);
  }

  binary(tag: number): Buffer | undefined {
    return this.#stream(tag, TYPE.binary);
  }

  number(tag: number): number | undefined {
    return this.#valueAt(tag)?.readUInt32LE(0);
  }

  time(tag: number): Date | undefined {
    const value = this.#valueAt(tag)?.readBigUInt64LE(0);
    if (value === undefined || value === 0n) return undefined;
    const time = new Date(Number(value / 10_000n - WINDOWS_EPOCH_MS));
    return Number.isNaN(time.getTime()) ? undefined : time;
  }

  inner(tag: number): Folder | undefined {
    return this.folder.folder(`__substg1.0_${hex(tag)}${TYPE.object}`);
  }

  #stream(tag: number, type: string): Buffer | undefined {
    return this.folder.stream(`__substg1.0_${hex(tag)}${type}`);
  }

  /** Returns the eight bytes of a property of fixed size (2.4.2.1). */
  #valueAt(tag: number): Buffer | undefined {
    for (let at = 0; at + PROPERTY_BYTES <= this.#fixed.length; at += PROPERTY_BYTES) {
      if (this.#fixed.readUInt16LE(at + 2) === tag) return this.#fixed.subarray(at + 8, at + PROPERTY_BYTES);
    }
    return undefined;
  }
}

const hex = (tag: number): string => tag.toString(16).toUpperCase().padStart(4, "0");

/** Returns the HTML of a message: its own, or the one within its RTF. */
function htmlOf(item: Item): string | undefined {
  const bytes = item.binary(TAG.html);
  if (bytes) return decodeText(bytes, charsetIn(bytes) ?? item.encoding);
  const text = item.text(TAG.html);
  if (text !== undefined) return text;
  const compressed = item.binary(TAG.rtf);
  const rtf = compressed && decompressRtf(compressed);
  return rtf && htmlInRtf(rtf.toString("latin1"));
}

const charsetIn = (html: Buffer): string | undefined =>
  /charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(html.toString("latin1", 0, 4096))?.[1];

function senderOf(item: Item): Mailbox[] {
  const name = item.text(TAG.sentForName) ?? item.text(TAG.senderName) ?? "";
  const addresses = [TAG.sentForSmtp, TAG.sentForAddress, TAG.senderSmtp, TAG.senderAddress].map((tag) =>
    item.text(tag),
  );
  const address = addresses.find((one) => one?.includes("@")) ?? "";
  return name === "" && address === "" ? [] : [{ name: name === address ? "" : name, address }];
}

function recipientOf(folder: Folder, outer: Item): { readonly kind: number; readonly mailbox: Mailbox } {
  const item = new Item(folder, HEADER_BYTES.part, outer);
  const name = item.text(TAG.displayName) ?? "";
  const addresses = [item.text(TAG.smtpAddress), item.text(TAG.address), name.replace(/^'|'$/g, "")];
  const address = addresses.find((one) => one?.includes("@")) ?? "";
  const isSame = name.replace(/^'|'$/g, "") === address;
  return { kind: (item.number(TAG.recipientKind) ?? KINDS.to) & 0xf, mailbox: { name: isSame ? "" : name, address } };
}

function attachmentOf(folder: Folder, outer: Item, depth: number): MailAttachment {
  const item = new Item(folder, HEADER_BYTES.part, outer);
  const id = item.text(TAG.contentId)?.replace(/^<|>$/g, "");
  const inner = item.inner(TAG.data);
  const name = item.text(TAG.longName) ?? item.text(TAG.displayName) ?? item.text(TAG.shortName) ?? "";
  const mail =
    inner?.stream(PROPERTIES) && depth < LIMITS.mailsInMail ? mailOf(inner, HEADER_BYTES.inner, depth + 1) : undefined;
  return {
    name: mail && !/\.msg$/i.test(name) ? `${name || mail.subject}.msg` : name,
    type: item.text(TAG.mediaType) ?? (mail ? "application/vnd.ms-outlook" : "application/octet-stream"),
    ...(id ? { contentId: id } : {}),
    bytes: item.binary(TAG.data) ?? new Uint8Array(),
    ...(mail ? { mail } : {}),
  };
}
