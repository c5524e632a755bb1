// Places for secrets outside of the visible content of pages, written as PDF syntax.
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import { ANNOTATIONS, FIELDS } from "./annotation-places.ts";
import {
  catalog,
  content,
  contentWithImage,
  entities,
  escaped,
  info,
  jpegWith,
  jpxWith,
  latinOrWide,
  metadata,
  onImage,
  outline,
  packet,
  page,
  place,
  script,
  tags,
  title,
} from "./hidden-parts.ts";
import { hex, latin, literal, name, stream, utf16 } from "./raw-pdf.ts";
import { isLatin } from "./secrets.ts";
import { type Place, shown } from "./text-parts.ts";

const DOCUMENT: readonly Place[] = [
  place("a bookmark", (text) => outline(`/Title ${text}`)),
  place("the address of a bookmark", (_, secret) =>
    outline(`/Title (b) /A << /S /URI /URI ${literal(secret.text)} >>`),
  ),
  place("a named destination", (text) =>
    outline(`/Title (b) /Dest ${text}`, {
      catalog: "/Names << /Dests 12 0 R >>",
      objects: { 12: `<< /Names [${text} [3 0 R /Fit]] /Limits [${text} ${text}] >>` },
    }),
  ),
  place("an old destination", (_, secret) => catalog(`/Dests << ${name(secret.text)} [3 0 R /Fit] >>`)),
  place("page labels", (text) => catalog(`/PageLabels << /Nums [0 << /S /D /P ${text} >>] >>`)),
  place("the title", (text) => info(`/Title ${text}`)),
  place("author, subject and keywords", (text) => info(`/Author ${text} /Subject ${text} /Keywords ${text}`)),
  place("creator and producer", (text) => info(`/Creator ${text} /Producer ${text}`)),
  place("an entry of the document's own", (text) => info(`/Client ${text}`)),
  place("the name of an entry", (_, secret) => info(`${name(secret.text)} (b)`)),
  place("metadata", (_, secret) => metadata(Buffer.from(title(escaped(secret.text))))),
  place("compressed metadata", (_, secret) =>
    metadata(deflateSync(Buffer.from(title(escaped(secret.text)))), "/Filter /FlateDecode"),
  ),
  place("metadata in UTF-16", (_, secret) => metadata(Buffer.from(title(escaped(secret.text)), "utf16le").swap16())),
  place("little-endian metadata", (_, secret) => metadata(Buffer.from(title(escaped(secret.text)), "utf16le"))),
  place("metadata in entities", (_, secret) => metadata(Buffer.from(title(entities(secret.text))))),
  place("metadata in a section of characters", (_, secret) =>
    metadata(Buffer.from(title(`<![CDATA[${secret.text}]]>`))),
  ),
  place("an attribute of metadata", (_, secret) =>
    metadata(Buffer.from(packet("").replace('about=""', `about="" my:a="${escaped(secret.text)}"`))),
  ),
  place("a comment of metadata", (_, secret) =>
    metadata(Buffer.from(packet(`<!-- ${secret.text.replaceAll("--", "-")} -->`))),
  ),
  place("the space behind metadata", (_, secret) => metadata(Buffer.from(`${title("b")}\n${secret.text}`))),
  place("metadata of a page", (_, secret) =>
    page("/Metadata 10 0 R", { 10: stream(Buffer.from(title(escaped(secret.text))), "/Type /Metadata /Subtype /XML") }),
  ),
  place("metadata of an image", (_, secret) =>
    onImage("/Metadata 11 0 R", {
      11: stream(Buffer.from(title(escaped(secret.text))), "/Type /Metadata /Subtype /XML"),
    }),
  ),
  place("the replacement text of a tag", (text) => tags(`/ActualText ${text}`)),
  place("the description of a tag", (text) => tags(`/Alt ${text}`)),
  place("the expansion of a tag", (text) => tags(`/E ${text}`)),
  place("the title of a tag", (text) => tags(`/T ${text}`)),
  place("the identifier of a tag", (text) => tags(`/ID ${text}`, `/IDTree << /Names [${text} 11 0 R] >>`)),
  place("an attribute of a tag", (text) => tags(`/A << /O /Table /Summary ${text} >>`)),
  place("a user property of a tag", (text) =>
    tags(`/A << /O /UserProperties /P [<< /N ${text} /V ${text} /F ${text} >>] >>`),
  ),
  place("a class of tags", (text) => tags("/C /c", `/ClassMap << /c << /O /Table /Summary ${text} >> >>`)),
  place("the role of a tag", (_, secret) =>
    tags(`/S ${name(secret.text)}`.replace("/S", "/C"), `/RoleMap << ${name(secret.text)} /P >>`),
  ),
  place("a namespace of tags", (text) => tags("", `/Namespaces [<< /Type /Namespace /NS ${text} >>]`)),
  place("the name of a layer", (text) =>
    catalog("/OCProperties << /OCGs [10 0 R] /D << /Order [(x) 10 0 R] >> >>", {
      10: `<< /Type /OCG /Name ${text} >>`,
    }),
  ),
  place("a configuration of layers", (text) =>
    catalog(`/OCProperties << /OCGs [10 0 R] /D << /Name ${text} /Creator ${text} /Order [[${text} 10 0 R]] >> >>`, {
      10: "<< /Type /OCG /Name (l) /Usage << /CreatorInfo << /Creator (x) /Subtype /Artwork >> >> >>",
    }),
  ),
  place("the usage of a layer", (text) =>
    catalog("/OCProperties << /OCGs [10 0 R] /D << >> >>", {
      10: `<< /Type /OCG /Name (l) /Usage << /CreatorInfo << /Creator ${text} >> /User << /Type /Ind /Name ${text} >> >> >>`,
    }),
  ),
  place("an attached file", (text, secret) =>
    catalog(
      `/Names << /EmbeddedFiles << /Names [${text} << /Type /Filespec /F ${text} /UF ${text} /Desc ${text} /EF << /F 10 0 R >> /CI << /a ${text} >> >>] >> >>`,
      { 10: stream(Buffer.from(secret.text), "/Type /EmbeddedFile") },
    ),
  ),
  place("a compressed attached file", (_, secret) =>
    catalog("/Names << /EmbeddedFiles << /Names [(a) << /Type /Filespec /F (a) /EF << /F 10 0 R >> >>] >> >>", {
      10: stream(deflateSync(Buffer.from(secret.text)), "/Filter /FlateDecode"),
    }),
  ),
  place("an associated file", (text, secret) =>
    page(`/AF [<< /Type /Filespec /F (a) /Desc ${text} /AFRelationship /Data /EF << /F 10 0 R >> >>]`, {
      10: stream(Buffer.from(secret.text)),
    }),
  ),
  place("a portfolio", (text) =>
    catalog(
      `/Collection << /Type /Collection /D ${text} /Schema << /a << /Type /CollectionField /Subtype /S /N ${text} >> >> >>`,
    ),
  ),
  place("a script of the document", (_, secret) =>
    catalog(`/Names << /JavaScript << /Names [(a) << /S /JavaScript /JS ${script(secret.text)} >>] >> >>`),
  ),
  place("the name of a script", (text) =>
    catalog(`/Names << /JavaScript << /Names [${text} << /S /JavaScript /JS (1) >>] >> >>`),
  ),
  place("a script as a stream", (_, secret) =>
    catalog("/OpenAction << /S /JavaScript /JS 10 0 R >>", { 10: stream(latinOrWide(secret.text)) }),
  ),
  place("an action of the document", (_, secret) =>
    catalog(`/AA << /WC << /S /JavaScript /JS ${script(secret.text)} >> >>`),
  ),
  place("an action of a page", (_, secret) => page(`/AA << /O << /S /URI /URI ${literal(secret.text)} >> >>`)),
  place("the base of addresses", (_, secret) => catalog(`/URI << /Base ${literal(secret.text)} >>`)),
  place("an article", (text) =>
    catalog("/Threads [10 0 R]", {
      10: `<< /Type /Thread /I << /Title ${text} /Author ${text} >> /F 11 0 R >>`,
      11: "<< /Type /Bead /T 10 0 R /N 11 0 R /V 11 0 R /P 3 0 R /R [0 0 99 99] >>",
    }),
  ),
  place("an output intent", (text) =>
    catalog(
      `/OutputIntents [<< /Type /OutputIntent /S /GTS_PDFX /OutputConditionIdentifier (x) /Info ${text} /OutputCondition ${text} >>]`,
    ),
  ),
  place("private data of a program", (text) =>
    page(`/PieceInfo << /Prog << /LastModified (D:2020) /Private << /A ${text} >> >> >>`),
  ),
  place("private data of the document", (text) => catalog(`/PieceInfo << /Prog << /Private ${text} >> >>`)),
  place("private data of a form", (text) =>
    content("/X Do", {
      resources: "/XObject << /X 10 0 R >>",
      objects: {
        10: stream("", `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /PieceInfo << /P << /Private ${text} >> >>`),
      },
    }),
  ),
  place("captured web pages", (text) =>
    catalog(
      `/SpiderInfo << /V 1.0 /C [<< /URL ${text} >>] >> /Names << /URLS << /Names [${text} 3 0 R] >> /IDS << /Names [${text} 3 0 R] >> >>`,
    ),
  ),
  place("named pages and templates", (text) =>
    catalog(
      `/Names << /Pages << /Names [${text} 3 0 R] >> /Templates << /Names [${text} 3 0 R] >> /AP << /Names [${text} 3 0 R] >> >>`,
    ),
  ),
  place("a viewport", (text) =>
    page(`/VP [<< /Type /Viewport /BBox [0 0 9 9] /Name ${text} /Measure << /Type /Measure /R ${text} >> >>]`),
  ),
  place("an unknown entry of the catalog", (text) => catalog(`/MyEntry [<< /A ${text} >>]`)),
  place("an unknown entry of a page", (text) => page(`/MyEntry ${text}`)),
  place("an unknown entry of a stream", (text) => ({ ...content(""), contentEntries: `/MyEntry ${text}` })),
  place("an unknown name of the catalog", (_, secret) => catalog(`/MyEntry ${name(secret.text)}`)),
  place("an unknown key of the catalog", (_, secret) => catalog(`/MyEntry << ${name(secret.text)} 1 >>`)),
  place("the name of an embedded font", (_, secret) => ({
    resources: "/MyFonts << /F9 10 0 R >>",
    objects: {
      10: `<< /Type /Font /Subtype /TrueType /BaseFont ${name(`ABCDEF+${secret.text}`)} /FontDescriptor 11 0 R >>`,
      11: `<< /Type /FontDescriptor /FontName ${name(`ABCDEF+${secret.text}`)} /FontFamily ${utf16(secret.text)} /FontFile2 12 0 R >>`,
      12: stream("none"),
    },
  })),
  place("the language", (text) => catalog(`/Lang ${text}`)),
  place("the trailer", (text) => ({ trailer: `/MyEntry ${text}` })),
  place("the identifier of the document", (_, secret) => ({
    trailer: `/ID [${hex(secret.text)} ${hex(secret.text)}]`,
  })),
  place("an object that nothing uses", (text) => ({ objects: { 10: `<< /A ${text} >>`, 11: text } })),
  place("a stream that nothing uses", (_, secret) => ({ objects: { 10: stream(latinOrWide(secret.text)) } })),
  place("a page outside of the tree", (_, secret) => ({
    objects: {
      10: "<< /Type /Page /MediaBox [0 0 612 792] /Contents 11 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
      11: stream(`BT /F1 12 Tf 72 700 Td ${shown(secret.text, secret)} Tj ET`),
    },
  })),
  place("a comment behind the header", (_, secret) => ({ afterHeader: Buffer.from(`% ${secret.text}\n`) })),
  place("bytes between objects", (_, secret) => ({ betweenObjects: Buffer.from(`% ${secret.text}\n`) })),
  place("bytes behind the end", (_, secret) => ({ afterEnd: Buffer.from(`% ${secret.text}\n`) })),
  place("a thumbnail", (_, secret) =>
    page("/Thumb 10 0 R", {
      10: stream(
        latinOrWide(secret.text),
        `/Width ${latinOrWide(secret.text).length} /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8`,
      ),
    }),
  ),
];

const CONTENT: readonly Place[] = [
  place("a comment of content", (_, secret) => content(`% ${secret.text}\n`)),
  place("a replacement text in content", (text) =>
    content(`/Span << /ActualText ${text} >> BDC BT /F2 12 Tf 72 300 Td (other) Tj ET EMC`),
  ),
  place("a description in content", (text) => content(`/Figure << /Alt ${text} /E ${text} >> BDC 0 0 9 9 re f EMC`)),
  place("properties of content", (text) =>
    content("/Span /P1 BDC 0 0 9 9 re f EMC", {
      resources: "/Properties << /P1 10 0 R >>",
      objects: { 10: `<< /ActualText ${text} >>` },
    }),
  ),
  place("unknown properties of content", (text) =>
    content(`/My << /Data [${text}] >> BDC 0 0 9 9 re f EMC /My << /Data ${text} >> DP`),
  ),
  place("a tag of content", (_, secret) =>
    content(`${name(secret.text)} BMC 0 0 9 9 re f EMC ${name(secret.text)} MP`),
  ),
  place("a replacement text in a form", (text) =>
    content("/X Do", {
      resources: "/XObject << /X 10 0 R >>",
      objects: {
        10: stream(
          `/Span << /ActualText ${text} >> BDC 0 0 9 9 re f EMC`,
          "/Type /XObject /Subtype /Form /BBox [0 0 99 99]",
        ),
      },
    }),
  ),
  place("compatible operators", (text) => content(`BX ${text} unknown EX`)),
  place("operands without an operator", (text) => content(`${text}`)),
  place("the data of an inline image", (_, secret) => contentWithImage(secret)),
  place("the name of a resource", (_, secret) =>
    content(`${name(secret.text)} gs`, { resources: `/ExtGState << ${name(secret.text)} << /CA 1 >> >>` }),
  ),
  place("the name of a resource that nothing uses", (_, secret) => ({
    resources: `/XObject << ${name(secret.text)} 10 0 R >>`,
    objects: { 10: stream("", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]") },
  })),
  place("the name of a colorant", (_, secret) =>
    content("/C cs 1 scn 0 0 9 9 re f", {
      resources: `/ColorSpace << /C [/Separation ${name(secret.text)} /DeviceGray << /FunctionType 2 /Domain [0 1] /C0 [1] /C1 [0] /N 1 >>] >>`,
    }),
  ),
  place("a comment of a JPEG", (_, secret) => onImage("", {}, jpegWith(secret.text), "/Filter /DCTDecode")),
  place("metadata of a JPEG", (_, secret) =>
    onImage(
      "",
      {},
      jpegWith(`http://ns.adobe.com/xap/1.0/\0${title(escaped(secret.text))}`, 0xe1),
      "/Filter /DCTDecode",
    ),
  ),
  place("a comment of a JPEG within another filter", (_, secret) =>
    onImage("", {}, deflateSync(jpegWith(secret.text)), "/Filter [/FlateDecode /DCTDecode]"),
  ),
  place("bytes behind a JPEG", (_, secret) =>
    onImage("", {}, Buffer.concat([jpegWith("b"), Buffer.from(secret.text)]), "/Filter /DCTDecode"),
  ),
  place("metadata of a JPEG 2000 image", (_, secret) => onImage("", {}, jpxWith(secret.text), "/Filter /JPXDecode")),
  place("bytes behind the data of an image", (_, secret) =>
    onImage("", {}, Buffer.concat([Buffer.from("\x7f"), latinOrWide(secret.text)])),
  ),
  place("bytes behind compressed data", (_, secret) => ({
    content: Buffer.concat([
      deflateSync(latin("BT /F2 12 Tf 72 700 Td (A page without it) Tj ET")),
      latinOrWide(secret.text),
    ]),
    contentEntries: "/Filter /FlateDecode",
  })),
];

/** Strings of bytes instead of characters. */
const OF_BYTES = new Set(["the address of a bookmark", "the identifier of the document", "rich contents in spans"]);

export const HIDDEN_PLACES: readonly Place[] = [...FIELDS, ...ANNOTATIONS, ...DOCUMENT, ...CONTENT].map((one) =>
  OF_BYTES.has(one.name) ? { ...one, fits: isLatin } : one,
);
