// Parts of the places outside of the visible content of pages, as PDF syntax. cspell:disable
import { Buffer } from "node:buffer";
import { hex, latin, literal, octal, type Parts, pdf, stream, utf8, utf16, utf16Little } from "./raw-pdf.ts";
import { isLatin, type Secret } from "./secrets.ts";
import { type Place, shown } from "./text-parts.ts";

/** A text string, in one of the encodings of ISO 32000-2, 7.9.2.2. */
export type Encode = (text: string) => string;
const ENCODINGS: Readonly<Record<string, Encode>> = {
  "UTF-16": utf16,
  PDFDocEncoding: literal,
  "UTF-8": utf8,
  octal: octal,
  "little-endian": utf16Little,
  hexadecimal: hex,
};
const NARROW = new Set<Encode>([literal, octal, hex]);

export type Fill = (text: string, secret: Secret) => Parts;

/** Makes a place; its strings take the encodings in turn, so that all of them occur in a run over all places. */
export const place = (label: string, fill: Fill): Place => ({
  name: label,
  plant: (secret) => {
    const encodings = Object.values(ENCODINGS).filter((encode) => isLatin(secret) || !NARROW.has(encode));
    const encode = encodings[(label.length + secret.text.length) % encodings.length]!;
    return build(fill(encode(`see ${secret.text} there`), secret), secret);
  },
});
const build = (parts: Parts, secret: Secret): Buffer =>
  pdf({ isWide: !isLatin(secret), content: "BT /F2 12 Tf 72 700 Td (A page without it) Tj ET", ...parts });

export const annotation = (entries: string, more: Parts = {}): Parts => ({
  ...{ page: "/Annots [10 0 R]", ...more },
  objects: { 10: `<< /Type /Annot /Rect [72 600 300 640] ${entries} >>`, ...more.objects },
});
export const field = (entries: string, more: Parts = {}): Parts => ({
  ...annotation(`/Subtype /Widget /P 3 0 R ${entries}`, more),
  catalog: `/AcroForm << /Fields [10 0 R] /DA (/Helv 12 Tf 0 g) /DR << /Font << /Helv 6 0 R >> >> >> ${more.catalog ?? ""}`,
});
export const appearance = (secret: Secret, entries = "") =>
  stream(
    `/Tx BMC BT /F1 10 Tf 2 5 Td ${shown(secret.text, secret)} Tj ET EMC`,
    `/Type /XObject /Subtype /Form /BBox [0 0 228 40] /Resources << /Font << /F1 5 0 R >> >> ${entries}`,
  );
export const catalog = (entries: string, objects: Parts["objects"] = {}): Parts => ({ catalog: entries, objects });
export const page = (entries: string, objects: Parts["objects"] = {}): Parts => ({ page: entries, objects });
export const info = (entries: string): Parts => ({ trailer: "/Info 10 0 R", objects: { 10: `<< ${entries} >>` } });
export const tags = (entries: string, root = "", objects: Parts["objects"] = {}): Parts => ({
  catalog: "/StructTreeRoot 10 0 R /MarkInfo << /Marked true >>",
  page: "/StructParents 0",
  content: "/P << /MCID 0 >> BDC BT /F2 12 Tf 72 700 Td (A page without it) Tj ET EMC",
  objects: {
    10: `<< /Type /StructTreeRoot /K 11 0 R /ParentTree << /Nums [0 [11 0 R]] >> ${root} >>`,
    11: `<< /Type /StructElem /S /P /P 10 0 R /Pg 3 0 R /K 0 ${entries} >>`,
    ...objects,
  },
});
export const outline = (entries: string, more: Parts = {}): Parts => ({
  catalog: `/Outlines 10 0 R ${more.catalog ?? ""}`,
  objects: {
    10: "<< /Type /Outlines /First 11 0 R /Last 11 0 R /Count 1 >>",
    11: `<< /Parent 10 0 R ${entries} >>`,
    ...more.objects,
  },
});
export const content = (operators: string, more: Parts = {}): Parts => ({
  ...more,
  content: `BT /F2 12 Tf 72 700 Td (A page without it) Tj ET ${operators}`,
});

export const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
export const entities = (text: string) => [...text].map((char) => `&#x${char.codePointAt(0)!.toString(16)};`).join("");
export const packet = (inner: string) =>
  `<?xpacket begin="\u{feff}" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:my="http://my.example/">${inner}</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`;
export const title = (text: string) =>
  packet(`<dc:title><rdf:Alt><rdf:li xml:lang="x-default">${text}</rdf:li></rdf:Alt></dc:title>`);
export const metadata = (bytes: Buffer, entries = ""): Parts =>
  catalog("/Metadata 10 0 R", { 10: stream(bytes, `/Type /Metadata /Subtype /XML ${entries}`) });
export const onImage = (
  entries: string,
  objects: Parts["objects"] = {},
  data: string | Buffer = "\x7f",
  kind = "",
): Parts =>
  content("q 50 0 0 50 72 300 cm /I Do Q", {
    resources: "/XObject << /I 10 0 R >>",
    objects: {
      10: stream(
        data,
        `/Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 ${kind} ${entries}`,
      ),
      ...objects,
    },
  });

export const script = (text: string) => {
  const code = `app.alert("${text.replaceAll("\\", "\\\\")}")`;
  return /^[\0-\xff]*$/.test(code) ? literal(code) : utf16(code);
};

export const latinOrWide = (text: string): Buffer => (/^[\0-\xff]*$/.test(text) ? latin(text) : Buffer.from(text));
export function contentWithImage(secret: Secret): Parts {
  const data = latinOrWide(secret.text);
  return {
    content: Buffer.concat([
      latin(`q 50 0 0 50 72 300 cm BI /W ${data.length} /H 1 /CS /G /BPC 8 ID `),
      data,
      latin("\nEI Q"),
    ]),
  };
}

/** A JPEG of one gray pixel, with a segment that contains the text. */
export function jpegWith(text: string, marker = 0xfe): Buffer {
  const body = Buffer.from(text, "utf8");
  const segment = Buffer.from([0xff, marker, (body.length + 2) >> 8, (body.length + 2) & 255]);
  return Buffer.concat([GRAY_JPEG.subarray(0, 2), segment, body, GRAY_JPEG.subarray(2)]);
}
const GRAY_JPEG = Buffer.from(
  "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABALDA4MChAODQ4SERATGCgaGBYWGDEjJR0oOjM9PDkzODdASFxOQERXRTc4UG1RV19iZ2hnPk1xeXBkeFxlZ2P/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAAAf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AH//Z",
  "base64",
);

/** The start of a JPEG 2000 file with two boxes that contain the text, and a comment in its codes. */
export function jpxWith(text: string): Buffer {
  const body = Buffer.from(text, "utf8");
  const box = (kind: string, data: Buffer) => {
    const head = Buffer.from(`\0\0\0\0${kind}`, "latin1");
    head.writeUInt32BE(8 + data.length);
    return Buffer.concat([head, data]);
  };
  const comment = Buffer.from([0xff, 0x4f, 0xff, 0x64, (body.length + 4) >> 8, (body.length + 4) & 255, 0, 1]);
  return Buffer.concat([
    box("jP  ", Buffer.from("0d0a870a", "hex")),
    box("ftyp", latin("jp2 \0\0\0\0jp2 ")),
    ...[box("xml ", body), box("uuid", Buffer.concat([Buffer.alloc(16), body]))],
    box("jp2c", Buffer.concat([comment, body, latin("\xff\xd9")])),
  ]);
}
