// Reads e-mail in MIME (RFC 5322, RFC 2045).

import PostalMime, { type Address, type Email } from "postal-mime";
import { EngineFailure } from "../../contract/failure.ts";
import { LIMITS } from "../../contract/limits.ts";
import type { Mail, MailAttachment, Mailbox } from "./mail.ts";

/** First line of a mailbox file (RFC 4155), which precedes the headers. */
const MAILBOX_LINE = /^From [^\n]*\n/;
const HEAD_BYTES = 2 ** 16;

/** @throws EngineFailure `too-complex` for more parts, or deeper ones, than the limits */
export async function readMail(bytes: Uint8Array): Promise<Mail> {
  const email = await parse(withoutMailboxLine(bytes));
  const attachments = await Promise.all(email.attachments.map(attachmentOf));
  const date = email.headers.find(({ key }) => key === "date")?.value;
  return {
    from: mailboxesOf(email.from ? [email.from] : email.sender ? [email.sender] : []),
    to: mailboxesOf(email.to),
    cc: mailboxesOf(email.cc),
    bcc: mailboxesOf(email.bcc),
    ...(date === undefined ? {} : { date }),
    subject: email.subject ?? "",
    ...(email.html === undefined ? {} : { html: email.html }),
    ...(email.text === undefined ? {} : { text: email.text }),
    attachments,
  };
}

async function parse(bytes: Uint8Array): Promise<Email> {
  if (partCount(bytes) > LIMITS.mailParts) throw tooManyParts();
  try {
    return await PostalMime.parse(bytes, {
      maxNestingDepth: LIMITS.mailDepth,
      maxRfc822NestingDepth: LIMITS.mailsInMail,
    });
  } catch (error) {
    // The parser throws only for headers or parts beyond its limits.
    throw new EngineFailure("too-complex", String(error), { cause: error });
  }
}

const tooManyParts = () =>
  new EngineFailure("too-complex", "too many parts", {
    why: `An e-mail can have at most ${LIMITS.mailParts.toLocaleString("en-US")} parts.`,
  });

/** Counts the lines that can be boundaries of parts and have headers behind them. */
function partCount(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  let count = 0;
  for (let at = text.indexOf("\n--"); at >= 0; at = text.indexOf("\n--", at + 3)) count++;
  return count;
}

/** Returns the message without a line for a mailbox file, and without a byte order mark. */
function withoutMailboxLine(bytes: Uint8Array): Uint8Array {
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const whole = isMarked ? bytes.subarray(3) : bytes;
  const [line = ""] = MAILBOX_LINE.exec(Buffer.from(whole.subarray(0, HEAD_BYTES)).toString("latin1")) ?? [];
  return whole.subarray(line.length);
}

async function attachmentOf(attachment: Email["attachments"][number]): Promise<MailAttachment> {
  const { filename, mimeType, contentId, content } = attachment;
  const id = contentId?.trim().replace(/^<|>$/g, "");
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : new Uint8Array(content);
  const isUnnamedMail = !filename && mimeType === "message/rfc822";
  return {
    name: isUnnamedMail ? await nameOfMail(bytes) : (filename ?? ""),
    type: mimeType,
    ...(id ? { contentId: id } : {}),
    bytes,
  };
}

/** Returns the subject as the name of a file; empty without a subject. */
async function nameOfMail(bytes: Uint8Array): Promise<string> {
  const [headers = ""] = Buffer.from(bytes.subarray(0, HEAD_BYTES))
    .toString("latin1")
    .split(/\r?\n\r?\n/, 1);
  const { subject } = await parse(Buffer.from(headers, "latin1"));
  return subject ? `${subject}.eml` : "";
}

const mailboxesOf = (addresses: readonly Address[] = []): Mailbox[] =>
  addresses.flatMap(({ name, address, group }): Mailbox[] =>
    group ? [{ name, address: "" }, ...mailboxesOf(group)] : [{ name: legible(name), address: address ?? "" }],
  );

/** Decodes a name in UTF-8 whose bytes were read as Latin-1. */
function legible(name: string): string {
  if (!/[\u0080-\u00ff]/.test(name) || /[\u0100-\uffff]/.test(name)) return name;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(Buffer.from(name, "latin1"));
  } catch {
    return name;
  }
}
