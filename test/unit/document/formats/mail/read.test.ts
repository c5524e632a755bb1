// Tests the reader of e-mail in MIME.
import { expect, test } from "vitest";
import { readMail } from "../../../../../src/document/formats/mail/read.ts";

test("an attached e-mail without a file name is called by its subject", async () => {
  const part = (headers: string, body: string) =>
    `--x\r\n${headers}Content-Type: message/rfc822\r\nContent-Disposition: attachment\r\n\r\n${body}\r\n`;
  const { attachments } = await readMail(
    Buffer.from(
      'Subject: Outer\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary="x"\r\n\r\n' +
        part("", "From: a@example.com\r\nSubject: =?utf-8?q?Caf=C3=A9?= prices\r\n\r\nSubject: No header") +
        part("", "From: a@example.com\r\n\r\nText") +
        part("Content-Description: y\r\n", "Subject:\r\n\r\nText") +
        "--x--\r\n",
    ),
  );
  expect(attachments.map(({ name }) => name)).toEqual(["Café prices.eml", "", ""]);
});
