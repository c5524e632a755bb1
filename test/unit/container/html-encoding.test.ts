// Tests the encoding of HTML files: labels that the HTML standard recognizes (13.2.3.2), and files without a label.
// Contract: docs/api.md#pdf
import { describe, expect, test } from "vitest";
import { charsetOf } from "../../../container/operations/html-encoding.ts";

/** Bytes that are UTF-8 and not ASCII. */
const TEXT = "Größe 日本";
const of = (html: string, encoding: BufferEncoding = "utf8") => charsetOf(Buffer.from(html, encoding));

describe("a label", () => {
  test.each([
    ["<meta charset=koi8-r>", "koi8-r"],
    ["<META/CHARSET = 'Shift_JIS' >", "shift_jis"],
    [`<meta name=a charset="latin1" charset=utf-8>`, "windows-1252"],
    [`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">`, "windows-1251"],
    [`<meta content='text/html; charset = "gb2312"' http-equiv=content-type>`, "gbk"],
    [`<meta content="charset; charset=big5" http-equiv=content-type>`, "big5"],
    ["<meta charset=utf-16>", "utf-8"],
    ["<meta charset=x-user-defined>", "windows-1252"],
    ["<meta charset=iso-8859-16>", "iso-8859-16"],
    ["<meta charset=of-no-kind><meta charset=euc-kr>", "euc-kr"],
    ["<!--><meta charset=koi8-r>-->", "koi8-r"],
    ["a < b <? <!doctype html> </x y='>'> <p title='>'><meta charset=koi8-r>", "koi8-r"],
    [`<?xml version="1.0" encoding="windows-1251"?><html>`, "windows-1251"],
    [`<?xml version='1.0' encoding='windows-1251'?><meta charset=koi8-r>`, "koi8-r"],
  ])("%s", (html, expected) => {
    expect(of(`${html}${TEXT}`)).toBe(expected);
    expect(of(`${html}\xfc`, "latin1")).toBe(expected);
  });
});

test.each([
  "<form accept-charset=koi8-r>",
  "<script charset=koi8-r></script>",
  `<link rel=stylesheet charset="koi8-r" href=a.css>`,
  "<style>@charset 'koi8-r'</style>",
  "<!-- charset=koi8-r <meta charset=koi8-r> -->",
  `<meta name=description content="text; charset=koi8-r">`,
  `<meta http-equiv=refresh content="9; url=a?charset=koi8-r">`,
  `<link rel=icon href="data:image/svg+xml;charset=koi8-r,x">`,
  `<script>const page = "<meta charset=koi8-r>"</script>`,
  "<title><meta charset=koi8-r></title>",
  "<textarea><meta charset=koi8-r>",
  `<p title="<meta charset=koi8-r>">`,
  "<metadata charset=koi8-r>",
  "</meta charset=koi8-r>",
  "<meta charset=of-no-kind>",
  `<?xml version="1.0"?><p title="encoding='koi8-r'">`,
  "<meta charset='koi8-r",
  "",
])("no label, but UTF-8: %s", (html) => {
  // Puts the text first, where it cannot be inside an unclosed element.
  expect(of(`<head>${html.startsWith("<?xml") ? "" : TEXT}${html}`)).toBe("utf-8");
  expect(of(`${html}\xfc`, "latin1")).not.toBe("utf-8");
});

test("a label behind 1024 bytes counts in the head alone", () => {
  const filler = `<style>${"/* <p> */".repeat(200)}</style>`;
  const label = `<script>"<p>"</script><title><p></title><meta charset=iso-2022-jp>`;
  expect(of(`<head>${filler}${label}`)).toBe("iso-2022-jp");
  expect(of(`<head><p>${label}${filler}`)).toBe("iso-2022-jp");
  expect(of(`<head></head><body>${filler}${label}${TEXT}`)).toBe("utf-8");
});

describe("a file without a label", () => {
  test("in another encoding is left to the browser", () => {
    expect(of("<p>Gr\xfc\xdfe", "latin1")).toBeUndefined();
  });

  test("whose start ends within a character", () => {
    expect(charsetOf(Buffer.from(TEXT).subarray(0, -1))).toBe("utf-8");
  });

  test("in ASCII, or in Japanese as ASCII", () => {
    expect(of("<p>plain")).toBe("utf-8");
    expect(of("<p>\x1b$B@A5a=q\x1b(B")).toBe("iso-2022-jp");
  });

  test("in UTF-16", () => {
    const html = Buffer.from(`<?xml version="1.0"?><p>${TEXT}`, "utf16le");
    expect(charsetOf(html)).toBe("utf-16le");
    expect(charsetOf(html.swap16())).toBe("utf-16be");
  });

  test("with a byte order mark, which overrules labels", () => {
    for (const mark of ["\xef\xbb\xbf", "\xff\xfe", "\xfe\xff"])
      expect(of(`${mark}<meta charset=koi8-r>`, "latin1")).toBeUndefined();
  });
});

test("hostile files are read in time that grows with their size", () => {
  for (const part of ["<", "<meta ", "<a a", " ", "<!--", "<script>", "<p a=", "<?xml encoding"])
    expect(of(`<meta ${part.repeat(2 ** 20 / part.length)}`)).toBe("utf-8");
});
