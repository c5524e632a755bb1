// Tests the readers of Outlook items with damaged and hostile data.
import { describe, expect, test } from "vitest";
import { readMsg } from "../../../../../src/document/formats/msg/read.ts";
import { decompressRtf } from "../../../../../src/document/formats/msg/rtf-compressed.ts";
import { htmlInRtf } from "../../../../../src/document/formats/msg/rtf-html.ts";
import { CompoundFile } from "../../../../../src/document/formats/ole/compound.ts";

/** Returns a header of a compound file with 512-byte sectors, and `sectors` further sectors. */
function compound(sectors: readonly Buffer[], { directory = 1, small = 0xfffffffe } = {}): Buffer {
  const header = Buffer.alloc(512, 0xff);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(header);
  header.writeUInt16LE(9, 30);
  header.writeUInt16LE(6, 32);
  header.writeUInt32LE(directory, 48);
  header.writeUInt32LE(4096, 56);
  header.writeUInt32LE(small, 60);
  header.writeUInt32LE(0, 76);
  return Buffer.concat([header, ...sectors]);
}

describe("compound files", () => {
  const table = (...numbers: readonly number[]) => {
    const sector = Buffer.alloc(512, 0xff);
    for (const [index, number] of numbers.entries()) sector.writeUInt32LE(number, 4 * index);
    return sector;
  };

  test.each([
    ["no file", Buffer.alloc(0)],
    ["only a signature", Buffer.from("d0cf11e0a1b11ae1", "hex")],
    ["zeros", Buffer.alloc(2000)],
    ["a chain that is a circle", compound([table(0xfffffffd, 2, 1), Buffer.alloc(512), Buffer.alloc(512)])],
    ["a list of tables that is a circle", compound([table(0xfffffffd)], { directory: 0 })],
    ["no item of Outlook", compound([table(0xfffffffd, 0xfffffffe), Buffer.alloc(512)])],
  ])("%s", (_, bytes) => expect(() => readMsg(bytes)).toThrow("unsupported"));

  test("folders that contain themselves end", () => {
    const directory = Buffer.alloc(512);
    for (const at of [0, 128]) {
      directory.write("R", at, "utf16le");
      directory.writeUInt16LE(4, at + 64);
      directory[at + 66] = at === 0 ? 5 : 1;
      for (const link of [68, 72, 76]) directory.writeUInt32LE(1, at + link);
      directory.writeUInt32LE(0xfffffffe, at + 116);
    }
    const { root } = new CompoundFile(compound([table(0xfffffffd, 0xfffffffe), directory]));
    expect(root.folderNames()).toEqual(["R"]);
    expect(root.folder("R")!.folderNames()).toEqual([]);
  });
});

describe("compressed RTF", () => {
  // [MS-OXRTFCP] 3.1.1 and 3.2.1: the examples of the specification.
  const simple = "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af86800206e0e5000206b77b020" + "09d0";

  test("damaged data ends", () => {
    const data = Buffer.from(simple, "hex");
    for (let length = 0; length <= data.length; length++) {
      expect(decompressRtf(data.subarray(0, length))?.length ?? 0).toBeLessThan(100);
    }
  });

  test("a declared size beyond the limit is rejected", () => {
    const data = Buffer.from(simple, "hex");
    data.writeUInt32LE(0x7fffffff, 4);
    expect(decompressRtf(data)).toBeUndefined();
  });

  test("stored data stay", () => {
    const text = "{\\rtf1}";
    const header = Buffer.alloc(16);
    header.writeUInt32LE(text.length, 4);
    header.writeUInt32LE(0x414c454d, 8);
    expect(decompressRtf(Buffer.concat([header, Buffer.from(text)]))!.toString()).toBe(text);
  });
});

describe("HTML within RTF", () => {
  const html = (body: string) => htmlInRtf(`{\\rtf1\\ansi\\ansicpg1251\\fromhtml1 {\\fonttbl{\\f0 Arial;}}${body}}`);

  test.each([
    [
      "tags and text",
      "{\\*\\htmltag64 <p>}\\htmlrtf {\\b\\htmlrtf0 a\\htmlrtf }\\htmlrtf0{\\*\\htmltag72 </p>}",
      "<p>a</p>",
    ],
    ["escaped bytes", "\\'cf\\'f0", "Пр"],
    ["characters with substitutes", "\\u1055 ?b", "Пb"],
    ["braces", "\\{a\\}", "{a}"],
    ["a group that is not closed", "{\\*\\htmltag64 <p>", "<p>"],
    ["too many ends", "}}}a", "a"],
  ])("%s", (_, rtf, expected) => expect(html(rtf)).toBe(expected));

  test("RTF without HTML has none", () => expect(htmlInRtf("{\\rtf1\\ansi a}")).toBeUndefined());
});
