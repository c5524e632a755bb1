import { deflateRawSync, deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { marksIn } from "../../support/world/marks.ts";

const MARK = "résumé-7f3a";
const bytes = Buffer.from(`before ${MARK} after`);
const utf16 = Buffer.from(`before ${MARK} after`, "utf16le");

/** A ZIP file with one entry, without a central directory. */
function zip(content: Buffer): Buffer {
  const header = Buffer.alloc(30);
  header.writeUInt32LE(0x04034b50);
  header.writeUInt16LE(5, 26);
  return Buffer.concat([header, Buffer.from("a.txt"), deflateRawSync(content)]);
}

test.each([
  ["a text", `a ${MARK}.pdf`],
  ["a text in an object in a list", [{ metadata: { name: MARK } }]],
  ["the name of a property", { [MARK]: 1 }],
  ["a header", new Headers({ "Content-Disposition": encodeURIComponent(MARK) })],
  ["a map", new Map([["name", new Set([MARK])]])],
  ["bytes", new Uint8Array(bytes)],
  ["a part of a buffer", bytes.subarray(3)],
  ["UTF-16", utf16],
  ["UTF-16, big-endian", Buffer.from(utf16).swap16()],
  ["hexadecimal digits", bytes.toString("hex")],
  ["base64", bytes.toString("base64")],
  ["base64, one byte later", bytes.subarray(1).toString("base64")],
  ["base64, two bytes later", bytes.subarray(2).toString("base64")],
  [
    "a compressed stream inside a file",
    Buffer.concat([Buffer.from("stream\n"), deflateSync(bytes), Buffer.from("end")]),
  ],
  ["a ZIP file", zip(bytes)],
  ["a request", new Request(`https://service.example/${encodeURIComponent(MARK)}`)],
])("a mark in %s is found", (_, value) => {
  expect(marksIn(["other", value], [MARK, "absent"])).toEqual([MARK]);
});

test("half of a mark is not found", () => {
  expect(marksIn([MARK.slice(1), deflateSync(bytes).subarray(0, 9), null, 1, undefined], [MARK])).toEqual([]);
});
