// Places for secrets in the content of pages: every way to draw a text.
import { Buffer } from "node:buffer";
import { ADVANCE } from "./glyph-tables.ts";
import { hex, hexOf, literal, octal, type Parts, pdf, stream } from "./raw-pdf.ts";
import { isLatin, type Secret } from "./secrets.ts";
import { hasLigature, ligated, subset, type3 } from "./text-fonts.ts";
import { chars, content, drawn, type Place, range, showing, shown } from "./text-parts.ts";

const hasSpace = ({ needle }: Secret): boolean => needle.includes(" ");
const isWord = ({ needle }: Secret): boolean => /^\p{L}+$/u.test(needle);

const tm = (matrix: string) => (secret: Secret) => content(secret, `BT /F1 12 Tf ${matrix} Tm ${showing(secret)} ET`);
const inText =
  (before: string, after = "") =>
  (secret: Secret) =>
    drawn(secret, `${before} ${showing(secret)} ${after}`);
const around = (before: string, after: string, more?: Parts) => (secret: Secret) =>
  content(secret, `${before} BT /F1 12 Tf 110 700 Td ${showing(secret)} ET ${after}`, more);
const half = (secret: Secret): [string, string] => {
  const middle = Math.ceil(secret.text.length / 2) + 1;
  return [secret.text.slice(0, middle), secret.text.slice(middle)];
};
const atSpace = ({ text, needle }: Secret): [string, string] => {
  const space = text.length - needle.length + needle.indexOf(" ");
  return [text.slice(0, space), text.slice(space + 1)];
};
const advance = (char: string, secret: Secret) =>
  !isLatin(secret) ? 12 : ((ADVANCE[char] ?? (/[A-Z@]/.test(char) ? 680 : 556)) * 12) / 1000;
function placed(secret: Secret): string[] {
  let x = 110;
  return chars(secret).map((char) => {
    const operators = `BT /F1 12 Tf 1 0 0 1 ${x.toFixed(3)} 700 Tm ${shown(char, secret)} Tj ET`;
    x += advance(char, secret);
    return operators;
  });
}

const mapped = (change: (text: string) => string) => (secret: Secret) => {
  const text = change(secret.text);
  const operand = `<${[...Buffer.from(text, "utf16le").swap16()].map(hexOf).join("")}>`;
  return drawn(secret, `0 -50 Td ${operand} Tj`, { isWide: true });
};
const form = (secret: Secret, entries = "", operators = `BT /F1 12 Tf 110 700 Td ${showing(secret)} ET`) =>
  stream(
    operators,
    `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /Font << /F1 5 0 R >> >> ${entries}`,
  );
const inForm =
  (use: string, entries = "", more: Parts = {}) =>
  (secret: Secret) =>
    content(secret, use, {
      resources: "/XObject << /X 10 0 R >>",
      ...more,
      objects: { 10: form(secret, entries), ...more.objects },
    });

const HIDDEN_LAYER: Parts = {
  resources: "/Properties << /L 11 0 R >>",
  catalog: "/OCProperties << /OCGs [11 0 R] /D << /OFF [11 0 R] /Order [11 0 R] >> >>",
  objects: { 11: "<< /Type /OCG /Name (layer) >>" },
};

export const TEXT_PLACES: readonly Place[] = [
  { name: "a string", plant: (secret) => drawn(secret, showing(secret)) },
  { name: "a hexadecimal string", fits: isLatin, plant: (secret) => drawn(secret, `${hex(secret.text)} Tj`) },
  { name: "octal escapes", fits: isLatin, plant: (secret) => drawn(secret, `${octal(secret.text)} Tj`) },
  {
    name: "single glyphs with kerning",
    plant: (secret) =>
      drawn(
        secret,
        `[${chars(secret)
          .map((char, index) => `${shown(char, secret)} ${(index % 5) * 9 - 18}`)
          .join(" ")}] TJ`,
      ),
  },
  { name: "single glyphs in text objects", plant: (secret) => content(secret, placed(secret).join("\n")) },
  { name: "glyphs in reverse order", plant: (secret) => content(secret, placed(secret).reverse().join("\n")) },
  {
    name: "glyphs in shuffled order",
    plant: (secret) =>
      content(
        secret,
        placed(secret)
          .map((glyph, index) => [(index * 7919) % 101, glyph] as const)
          .sort(([a], [b]) => a - b)
          .map(([, glyph]) => glyph)
          .join("\n"),
      ),
  },
  { name: "the quote operators", plant: (secret) => drawn(secret, `0 0 ${shown(secret.text, secret)} "`) },
  {
    name: "a line end at a space",
    fits: hasSpace,
    plant: (secret) =>
      drawn(secret, `${shown(atSpace(secret)[0], secret)} Tj 0 -40 Td ${shown(atSpace(secret)[1], secret)} Tj`),
  },
  {
    name: "a hyphen at a line end",
    fits: (secret) => isWord(secret) && isLatin(secret),
    plant: (secret) => drawn(secret, `${literal(`${half(secret)[0]}-`)} Tj -20 -40 Td ${literal(half(secret)[1])} Tj`),
  },
  {
    name: "a soft hyphen at a line end",
    fits: (secret) => isWord(secret) && isLatin(secret),
    plant: (secret) =>
      drawn(secret, `${literal(`${half(secret)[0]}\xad`)} Tj -20 -40 Td ${literal(half(secret)[1])} Tj`),
  },
  {
    name: "two columns",
    fits: (secret) => hasSpace(secret) && !/[\u0590-\u06ff]/.test(secret.needle),
    plant: (secret) => {
      const column = (x: number, lines: readonly string[]) =>
        lines.map((line, index) => `BT /F1 10 Tf ${x} ${600 - index * 12} Td ${shown(line, secret)} Tj ET`).join("\n");
      const filler = (text: string) =>
        range(1, 12).map((line) => (isLatin(secret) ? `${text} ${line} of the column` : "列列列列"));
      return content(
        secret,
        `${column(72, [...filler("left"), atSpace(secret)[0]])} ${column(320, [atSpace(secret)[1], ...filler("right")])}`,
      );
    },
  },
  {
    name: "two fonts and sizes",
    plant: (secret) =>
      drawn(secret, `${shown(half(secret)[0], secret)} Tj /F1 9 Tf ${shown(half(secret)[1], secret)} Tj`),
  },
  {
    name: "superscript",
    plant: (secret) =>
      drawn(secret, `${shown(half(secret)[0], secret)} Tj /F1 10 Tf 2 Ts ${shown(half(secret)[1], secret)} Tj`),
  },
  {
    name: "spaces without glyphs",
    fits: hasSpace,
    plant: (secret) =>
      drawn(
        secret,
        `[${secret.text
          .split(" ")
          .map((word) => shown(word, secret))
          .join(" -300 ")}] TJ`,
      ),
  },
  { name: "two overlapping copies", plant: (secret) => drawn(secret, `${showing(secret)} .3 0 Td ${showing(secret)}`) },
  { name: "a shadow", plant: (secret) => drawn(secret, `${showing(secret)} 1.5 -1.5 Td ${showing(secret)}`) },
  { name: "spaced letters", plant: inText("1.2 Tc") },
  { name: "narrow letters", plant: inText("60 Tz -.2 Tc") },
  { name: "tiny letters", plant: inText("/F1 .2 Tf") },
  { name: "huge letters", plant: tm("4 0 0 4 20 500") },
  { name: "invisible letters", plant: inText("3 Tr") },
  {
    name: "letters that clip",
    plant: (secret) => content(secret, `q BT 7 Tr /F1 12 Tf 110 700 Td ${showing(secret)} ET 0 0 612 792 re f Q`),
  },
  { name: "white letters", plant: around("1 g", "0 g") },
  { name: "letters under a box", plant: around("", "0 g 100 690 400 30 re f") },
  { name: "letters outside of the clip", plant: around("q 0 0 10 10 re W n", "Q") },
  {
    name: "letters outside of the crop box",
    plant: (secret) =>
      pdf({
        isWide: !isLatin(secret),
        page: "/CropBox [0 0 300 300]",
        content: `BT /F1 12 Tf 110 700 Td ${showing(secret)} ET`,
      }),
  },
  { name: "letters outside of the media box", plant: tm("1 0 0 1 700 900") },
  { name: "letters turned by 90 degrees", plant: tm("0 1 -1 0 200 100") },
  { name: "letters turned by 30 degrees", plant: tm(".866 .5 -.5 .866 200 300") },
  { name: "letters upside down", plant: tm("-1 0 0 -1 400 500") },
  { name: "mirrored letters", plant: tm("-1 0 0 1 500 500") },
  { name: "flipped letters", plant: tm("1 0 0 -1 100 500") },
  { name: "slanted letters", plant: tm("1 0 .4 1 100 500") },
  { name: "a turned page", plant: (secret) => drawn(secret, showing(secret), { page: "/Rotate 90" }) },
  {
    name: "a moved page with large units",
    plant: (secret) => drawn(secret, showing(secret), { page: "/UserUnit 2.5", mediaBox: "[-50 -60 650 800]" }),
  },
  {
    name: "a hidden layer",
    plant: (secret) => content(secret, `/OC /L BDC BT /F1 12 Tf 110 700 Td ${showing(secret)} ET EMC`, HIDDEN_LAYER),
  },
  {
    name: "a form of a hidden layer",
    plant: inForm("/X Do", "/OC 11 0 R", { catalog: HIDDEN_LAYER.catalog!, objects: HIDDEN_LAYER.objects! }),
  },
  { name: "a form", plant: inForm("/X Do") },
  { name: "a form drawn twice", plant: inForm("/X Do q .5 0 0 .5 50 50 cm /X Do Q") },
  {
    name: "a form within a form",
    plant: inForm("/Y Do", "", {
      resources: "/XObject << /Y 11 0 R >>",
      objects: {
        11: stream(
          "q 1 0 0 1 5 -50 cm /X Do Q",
          "/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << /XObject << /X 10 0 R >> >>",
        ),
      },
    }),
  },
  {
    name: "a form that two pages share",
    plant: inForm("/X Do", "", {
      objects: {
        2: "<< /Type /Pages /Kids [3 0 R 12 0 R] /Count 2 >>",
        12: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 13 0 R /Resources << /XObject << /X 10 0 R >> >> >>",
        13: stream("q .4 0 0 .4 0 0 cm /X Do Q"),
      },
    }),
  },
  {
    name: "half on the page, half in a form",
    fits: isLatin,
    plant: (secret) => {
      const [first, second] = half(secret);
      const at = 110 + [...first].reduce((sum, char) => sum + advance(char, secret), 0);
      return content(secret, `BT /F1 12 Tf 110 700 Td ${literal(first)} Tj ET /X Do`, {
        resources: "/XObject << /X 10 0 R >>",
        objects: { 10: form(secret, "", `BT /F1 12 Tf ${at} 700 Td ${literal(second)} Tj ET`) },
      });
    },
  },
  {
    name: "content in two streams",
    plant: (secret) =>
      pdf({
        isWide: !isLatin(secret),
        content: `BT /F1 12 Tf 110 700 Td [${shown(half(secret)[0], secret)}`,
        objects: {
          3: `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [4 0 R 10 0 R] /Resources << /Font << /F1 5 0 R >> >> >>`,
          10: stream(`${shown(half(secret)[1], secret)}] TJ ET`),
        },
      }),
  },
  { name: "a form that no page draws", plant: inForm("") },
  {
    name: "a pattern",
    plant: (secret) =>
      content(secret, "/Pattern cs /P scn 100 100 400 400 re f", {
        resources: "/Pattern << /P 10 0 R >>",
        objects: {
          10: stream(
            `BT /F1 12 Tf 10 30 Td ${showing(secret)} ET`,
            "/Type /Pattern /PatternType 1 /PaintType 1 /TilingType 1 /BBox [0 0 300 60] /XStep 300 /YStep 60 /Resources << /Font << /F1 5 0 R >> >>",
          ),
        },
      }),
  },
  {
    name: "a soft mask",
    plant: (secret) =>
      content(secret, "/G gs 0 0 612 792 re f", {
        resources: "/ExtGState << /G << /SMask << /S /Luminosity /G 10 0 R >> >> >>",
        objects: { 10: form(secret, "/Group << /S /Transparency /CS /DeviceGray >>") },
      }),
  },
  {
    name: "a glyph that draws a text",
    plant: (secret) =>
      content(secret, "BT /F3 10 Tf 100 400 Td <01> Tj ET", {
        objects: {
          3: "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R /F2 6 0 R /F3 10 0 R >> >> >>",
          10: "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 400 20] /FontMatrix [.1 0 0 .1 0 0] /FirstChar 1 /LastChar 1 /Widths [400] /CharProcs << /a 11 0 R >> /Encoding << /Differences [1 /a] >> /Resources << /Font << /F1 5 0 R >> >> >>",
          11: stream(`400 0 d0 BT /F1 12 Tf ${showing(secret)} ET`),
        },
      }),
  },
  { name: "a font with glyph names and its own codes", fits: isLatin, plant: subset(false) },
  { name: "a font with a Unicode map in the order of use", fits: isLatin, plant: subset(true) },
  { name: "a Type 3 font with a Unicode map", fits: isLatin, plant: type3(true) },
  { name: "a Type 3 font with glyph names", fits: isLatin, plant: type3(false) },
  { name: "ligatures that map to letters", fits: hasLigature, plant: ligated((ligature) => ligature) },
  {
    name: "ligatures that map to ligatures",
    fits: hasLigature,
    plant: ligated((_, index) => String.fromCharCode([0xfb03, 0xfb04, 0xfb00, 0xfb01, 0xfb02][index]!)),
  },
  {
    name: "decomposed letters",
    fits: ({ needle }) => needle.includes("ü"),
    plant: mapped((text) => text.normalize("NFD")),
  },
  {
    name: "full-width letters",
    fits: isLatin,
    plant: mapped((text) => text.replaceAll(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0))),
  },
  { name: "spaces that do not break", fits: hasSpace, plant: mapped((text) => text.replaceAll(" ", "\u{a0}")) },
  { name: "thin spaces", fits: hasSpace, plant: mapped((text) => text.replaceAll(" ", "\u{2009}")) },
  {
    name: "other hyphens",
    fits: ({ needle }) => needle.includes("-"),
    plant: mapped((text) => text.replaceAll("-", "\u{2011}")),
  },
  { name: "zero-width characters", plant: mapped((text) => [...text].join("\u{200b}")) },
  { name: "soft hyphens within", plant: mapped((text) => [...text].join("\u{ad}")) },
  {
    name: "marks of direction",
    plant: mapped((text) => `\u{202a}${text.slice(0, 4)}\u{200e}${text.slice(4)}\u{202c}`),
  },
  {
    name: "vertical writing",
    fits: (secret) => !isLatin(secret),
    plant: (secret) =>
      drawn(secret, `200 -50 Td ${showing(secret)}`, {
        font: "<< /Type /Font /Subtype /Type0 /BaseFont /Wide /Encoding /Identity-V /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>",
      }),
  },
  {
    name: "a predefined map of codes",
    fits: ({ needle }) => needle.includes("極"),
    plant: (secret) =>
      drawn(secret, showing(secret), {
        font: "<< /Type /Font /Subtype /Type0 /BaseFont /Ryumin /Encoding /UniJIS-UCS2-H /DescendantFonts [10 0 R] >>",
        objects: {
          10: "<< /Type /Font /Subtype /CIDFontType0 /BaseFont /Ryumin /CIDSystemInfo << /Registry (Adobe) /Ordering (Japan1) /Supplement 6 >> /FontDescriptor 9 0 R /DW 1000 >>",
        },
      }),
  },
  {
    name: "right-to-left letters in visual order",
    fits: ({ needle }) => /[\u0590-\u06ff]/.test(needle),
    plant: mapped((text) => [...text].reverse().join("")),
  },
  {
    name: "right-to-left letters placed one by one",
    fits: ({ needle }) => /[\u0590-\u06ff]/.test(needle),
    plant: (secret) =>
      content(
        secret,
        chars(secret)
          .map((char, index) => `BT /F1 12 Tf ${400 - 12 * index} 600 Td ${shown(char, secret)} Tj ET`)
          .join("\n"),
      ),
  },
];
