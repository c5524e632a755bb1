// Builds documents that need too many resources. Each must result in an image or a clear error, within limits of time
// and memory.
import { constants, deflateRawSync, deflateSync } from "node:zlib";

type Piece = string | Uint8Array;

export interface HostilePdf {
  readonly name: string;
  readonly bytes: () => Uint8Array;
}

/** Returns a PDF of numbered objects. The first object is the catalog. The PDF is only as valid as the tests need. */
export function pdfOf(objects: readonly Piece[], trailer = ""): Uint8Array {
  const parts: Uint8Array[] = [Buffer.from("%PDF-1.7\n")];
  const offsets: number[] = [];
  let length = parts[0]!.length;
  const add = (piece: Piece) => {
    const bytes = typeof piece === "string" ? Buffer.from(piece, "latin1") : piece;
    parts.push(bytes);
    length += bytes.length;
  };
  objects.forEach((object, index) => {
    offsets.push(length);
    add(`${index + 1} 0 obj\n`);
    add(object);
    add("\nendobj\n");
  });
  const start = length;
  add(`xref\n0 ${objects.length + 1}\n0000000000 65535 f \n`);
  add(offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join(""));
  add(`trailer\n<</Size ${objects.length + 1}/Root 1 0 R${trailer.replace("XREF", String(start))}>>\n`);
  add(`startxref\n${start}\n%%EOF\n`);
  return new Uint8Array(Buffer.concat(parts));
}

export function stream(data: Piece, entries = ""): Uint8Array {
  const bytes = typeof data === "string" ? Buffer.from(data, "latin1") : data;
  return new Uint8Array(
    Buffer.concat([Buffer.from(`<<${entries}/Length ${bytes.length}>>stream\n`), bytes, Buffer.from("\nendstream")]),
  );
}

/** Compresses at a level below the default, which would take half a minute for a million similar lines. */
const flate = (data: string, entries = "") =>
  stream(deflateSync(Buffer.from(data, "latin1"), { level: 5 }), `${entries}/Filter/FlateDecode`);

/** Returns a document of one letter page. @param more objects from number 5 on */
export function onePage(
  content: Piece,
  resources = "",
  more: readonly Piece[] = [],
  page = "",
  box = "0 0 612 792",
): Uint8Array {
  return pdfOf([
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    `<</Type/Page/Parent 2 0 R/MediaBox[${box}]/Contents 4 0 R/Resources<<${resources}>>${page}>>`,
    typeof content === "string" ? flate(content) : content,
    ...more,
  ]);
}

/**
 * Returns `levels` objects from number 5 on. Each is made from the reference to the next object; the last has no
 * reference.
 */
function chain(levels: number, make: (next: string | undefined) => Piece): Piece[] {
  return Array.from({ length: levels }, (_, level) => make(level + 1 < levels ? `${level + 6} 0 R` : undefined));
}

const FORM = "/Type/XObject/Subtype/Form/BBox[0 0 612 792]";
const TILE = "/Type/Pattern/PatternType 1/PaintType 1/TilingType 1/BBox[0 0 100 100]";
const GROUP = "/Group<</S/Transparency/I true/K true>>";

function nestedForms(levels: number, times: number, entries = ""): Uint8Array {
  const forms = chain(levels, (next) =>
    next
      ? stream("/F Do ".repeat(times), `${FORM}${entries}/Resources<</XObject<</F ${next}>>>>`)
      : stream("0 0 10 10 re f", `${FORM}${entries}`),
  );
  return onePage("/F Do", "/XObject<</F 5 0 R>>", forms);
}

function nestedPatterns(levels: number): Uint8Array {
  const tiles = chain(levels, (next) =>
    stream(
      next ? "/Pattern cs /P scn 0 0 50 50 re f 50 50 50 50 re f" : "1 0 0 rg 0 0 50 50 re f",
      `${TILE}/XStep 60/YStep 60/Matrix[.5 0 0 .5 0 0]/Resources<<${next ? `/Pattern<</P ${next}>>` : ""}>>`,
    ),
  );
  return onePage("/Pattern cs /P scn 0 0 612 792 re f", "/Pattern<</P 5 0 R>>", tiles);
}

function image(
  width: number,
  height: number,
  data: Piece,
  filter: string,
  colorSpace = "/DeviceGray",
  bits = 8,
): Uint8Array {
  const entries = `/Type/XObject/Subtype/Image/Width ${width}/Height ${height}/ColorSpace${colorSpace}/BitsPerComponent ${bits}`;
  return onePage("q 612 0 0 792 0 0 cm /I Do Q", "/XObject<</I 5 0 R>>", [stream(data, `${entries}/Filter${filter}`)]);
}

/**
 * Returns a gray baseline JPEG. Each of its blocks is two zero bits: the code for "no difference", and the code for
 * "end of block".
 */
function flatJpeg(width: number, height: number): Uint8Array {
  const marker = (code: number, body: number[]) => [
    0xff,
    code,
    (body.length + 2) >> 8,
    (body.length + 2) & 0xff,
    ...body,
  ];
  const oneCode = (table: number) => marker(0xc4, [table, 1, ...Array<number>(15).fill(0), 0]);
  const size = [height >> 8, height & 0xff, width >> 8, width & 0xff];
  const head = [
    ...[0xff, 0xd8, ...marker(0xdb, [0, ...Array<number>(64).fill(1)]), ...marker(0xc0, [8, ...size, 1, 1, 0x11, 0])],
    ...[...oneCode(0x00), ...oneCode(0x10), ...marker(0xda, [1, 1, 0, 0, 63, 0])],
  ];
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  return new Uint8Array(
    Buffer.concat([Buffer.from(head), Buffer.alloc(Math.ceil(blocks / 4)), Buffer.from([0xff, 0xd9])]),
  );
}

function pageTree(pages: readonly string[]): Uint8Array {
  return pdfOf(["<</Type/Catalog/Pages 2 0 R>>", ...pages]);
}

function deepPageTree(levels: number): Uint8Array {
  const nodes = Array.from({ length: levels }, (_, level) => {
    const parent = level > 0 ? `/Parent ${level + 1} 0 R` : "";
    return `<</Type/Pages/Kids[${level + 3} 0 R]/Count 1${parent}>>`;
  });
  return pageTree([...nodes, `<</Type/Page/Parent ${levels + 1} 0 R/MediaBox[0 0 100 100]>>`]);
}

function mesh(triangles: number): Uint8Array {
  const vertices = Buffer.alloc(triangles * 3 * 12);
  for (let index = 0; index < vertices.length; index++)
    vertices[index] = index % 12 === 0 ? 0 : (index * 2654435761) >>> 24;
  const shading =
    "/ShadingType 4/ColorSpace/DeviceRGB/BitsPerCoordinate 32/BitsPerComponent 8/BitsPerFlag 8/Decode[0 612 " +
    "0 792 0 1 0 1 0 1]";
  return onePage("/S sh", "/Shading<</S 5 0 R>>", [flate(vertices.toString("latin1"), shading)]);
}

function typeThree(): Uint8Array {
  const font =
    "<</Type/Font/Subtype/Type3/FontBBox[0 0 1000 1000]/FontMatrix[.001 0 0 .001 0 0]/CharProcs<</a 6 0 " +
    "R>>/FirstChar 97/LastChar 97" +
    "/Widths[1000]/Encoding<</Differences[97/a]>>/Resources<</Font<</F 5 0 R>>>>>>";
  const glyph = stream("1000 0 d0 BT /F 500 Tf (aaaaaaaaaa) Tj ET 0 0 500 500 re f");
  return onePage("BT /F 100 Tf 50 300 Td (aaaa) Tj ET", "/Font<</F 5 0 R>>", [font, glyph]);
}

/**
 * Compresses a run of one byte without having it in memory. Fast, because connections to the service would close during
 * seconds of computing.
 * @param length a multiple of a MiB
 */
function deflatedRun(byte: string, length: number): Uint8Array {
  const chunkBytes = 2 ** 20;
  const chunk = deflateRawSync(Buffer.alloc(chunkBytes, byte, "latin1"), {
    level: 9,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  // Adler-32 (RFC 1950). For equal bytes, a formula replaces the loop.
  const [count, value] = [BigInt(length), BigInt(byte.charCodeAt(0))];
  const sums = [count + (value * count * (count + 1n)) / 2n, 1n + value * count];
  const checksum = Buffer.alloc(4);
  for (const [index, sum] of sums.entries()) checksum.writeUInt16BE(Number(sum % 65521n), 2 * index);
  const chunks = Array.from({ length: length / chunkBytes }, () => chunk);
  return Buffer.concat([Buffer.of(0x78, 0xda), ...chunks, deflateRawSync(""), checksum]);
}

function doublyDeflated(length: number): Uint8Array {
  const once = deflatedRun(" ", length);
  return onePage(stream(new Uint8Array(deflateSync(once, { level: 9 })), "/Filter[/FlateDecode/FlateDecode]"));
}

function calculated(): Uint8Array {
  const body = `{ ${"2 copy mul sin cos exp ln sqrt ".repeat(2000)} pop }`;
  const code = stream(body, "/FunctionType 4/Domain[0 1 0 1]/Range[0 1]");
  const shading = "<</ShadingType 1/ColorSpace/DeviceGray/Domain[0 1 0 1]/Matrix[612 0 0 792 0 0]/Function 6 0 R>>";
  return onePage("/S sh", "/Shading<</S 5 0 R>>", [shading, code]);
}

const MILLION = 1_000_000;
/** Size of a gray image of 30,000 x 30,000 pixels, rounded up to whole MiB. */
const IMAGE_BYTES = Math.ceil((900 * MILLION) / 2 ** 20) * 2 ** 20;

function segments(count: number, paint: string): string {
  const parts = ["0 0 m"];
  for (let index = 0; index < count; index++) parts.push(`${(index * 7919) % 612} ${(index * 104729) % 792} l`);
  return `${parts.join("\n")}\n${paint}`;
}

const DOCUMENTS: readonly HostilePdf[] = [
  {
    name: "a form that calls itself",
    bytes: () =>
      onePage("/F Do", "/XObject<</F 5 0 R>>", [
        stream("/F Do 0 0 9 9 re f", `${FORM}/Resources<</XObject<</F 5 0 R>>>>`),
      ]),
  },
  { name: "forms that call the next ten times, ten deep", bytes: () => nestedForms(10, 10) },
  { name: "transparency groups 60 deep", bytes: () => nestedForms(60, 1, GROUP) },
  { name: "transparency groups that call the next four times", bytes: () => nestedForms(12, 4, GROUP) },
  { name: "forms 20,000 deep", bytes: () => nestedForms(20_000, 1) },
  { name: "patterns of patterns, 12 deep", bytes: () => nestedPatterns(12) },
  {
    name: "a pattern with steps of a thousandth",
    bytes: () =>
      onePage("/Pattern cs /P scn 0 0 612 792 re f", "/Pattern<</P 5 0 R>>", [
        stream("0 0 99 99 re f", `${TILE}/XStep .001/YStep .001/Resources<<>>`),
      ]),
  },
  { name: "a Type 3 glyph that shows itself", bytes: typeThree },
  { name: "a path of a million segments, filled", bytes: () => onePage(segments(MILLION, "f*")) },
  {
    name: "a path of 200,000 segments, stroked with round joins",
    bytes: () => onePage(`40 w 1 j 1 J ${segments(200_000, "S")}`),
  },
  { name: "a line of a billion dashes", bytes: () => onePage("[.000001] 0 d 1 w 0 0 m 612 792 l S") },
  { name: "100,000 full-page rectangles", bytes: () => onePage("0 0 612 792 re f ".repeat(100_000)) },
  { name: "100,000 q without Q", bytes: () => onePage("q 1 0 0 1 0 0 cm ".repeat(100_000)) },
  { name: "100,000 nested clips", bytes: () => onePage("q 0 0 m 612 0 l 300 792 l h W n ".repeat(100_000)) },
  { name: "an array 100,000 deep in the content", bytes: () => onePage("[".repeat(100_000)) },
  {
    name: "an array 100,000 deep in the catalog",
    bytes: () => pdfOf([`<</Type/Catalog/Pages ${"[".repeat(100_000)}>>`]),
  },
  { name: "a content of 1 GB of spaces", bytes: () => doublyDeflated(1024 * 1024 * 1024) },
  {
    name: "an image of 30,000 x 30,000 in flate",
    bytes: () => image(30_000, 30_000, deflatedRun("\0", IMAGE_BYTES), "/FlateDecode"),
  },
  {
    name: "an image of 30,000 x 30,000 in JPEG",
    bytes: () => image(30_000, 30_000, flatJpeg(30_000, 30_000), "/DCTDecode"),
  },
  {
    name: "an image that claims 2 billion pixels a side",
    bytes: () => image(2_000_000_000, 2_000_000_000, "", "/FlateDecode", "/DeviceCMYK", 16),
  },
  { name: "a mesh of 300,000 triangles", bytes: () => mesh(300_000) },
  { name: "a shading that calculates 12,000 operators a point", bytes: calculated },
  { name: "a page of 14,400 points", bytes: () => onePage("0 0 14400 14400 re f", "", [], "", "0 0 14400 14400") },
  { name: "a page tree 5,000 deep", bytes: () => deepPageTree(5_000) },
  {
    name: "a page tree that claims 2 billion pages",
    bytes: () =>
      pageTree(["<</Type/Pages/Kids[3 0 R]/Count 2000000000>>", "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>"]),
  },
  {
    name: "a page tree that is its own kid",
    bytes: () => pageTree(["<</Type/Pages/Kids[2 0 R]/Count 5/Parent 2 0 R>>"]),
  },
  {
    name: "a cross-reference table whose previous one is itself",
    bytes: () =>
      pdfOf(
        [
          "<</Type/Catalog/Pages 2 0 R>>",
          "<</Type/Pages/Kids[3 0 R]/Count 1>>",
          "<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>",
        ],
        "/Prev XREF",
      ),
  },
];

/** Builds each document once, because many files use it. */
export const HOSTILE_PDFS: readonly HostilePdf[] = DOCUMENTS.map(({ name, bytes }) => {
  let built: Uint8Array | undefined;
  const build = () => {
    built ??= bytes();
    return built.slice();
  };
  return { name, bytes: build };
});
