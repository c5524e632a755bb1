// An e-mail, independent of the format in which it is stored.

/** A person or list, as a header names it. */
export interface Mailbox {
  /** Empty if the header has only an address. */
  readonly name: string;
  /** Empty for the name of a group. */
  readonly address: string;
}

export interface MailAttachment {
  /** Empty if the attachment has no name. */
  readonly name: string;
  /** Media type that the e-mail declares. */
  readonly type: string;
  /** Content-ID without angle brackets, by which the text refers to an image. @default none */
  readonly contentId?: string;
  readonly bytes: Uint8Array;
  /** The e-mail that is attached, if its format stores it in parts, not as a file. @default `bytes` are the file */
  readonly mail?: Mail;
}

export interface Mail {
  readonly from: readonly Mailbox[];
  readonly to: readonly Mailbox[];
  readonly cc: readonly Mailbox[];
  readonly bcc: readonly Mailbox[];
  /** The time of sending as the e-mail writes it. @default unknown */
  readonly date?: string;
  readonly subject: string;
  /** @default the text is the body */
  readonly html?: string;
  readonly text?: string;
  readonly attachments: readonly MailAttachment[];
}
