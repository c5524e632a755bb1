// Places for secrets outside of the visible content of pages, written as PDF syntax.
import { Buffer } from "node:buffer";
import { deflateSync } from "node:zlib";
import {
  annotation,
  appearance,
  catalog,
  content,
  contentWithImage,
  entities,
  escaped,
  field,
  info,
  jpegWith,
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
import { type Place, shown } from "./text-places.ts";

const FIELDS: readonly Place[] = [
  place("the value of a text field", (text) => field(`/FT /Tx /T (a) /V ${text}`)),
  place("the value and the appearance of a text field", (text, secret) =>
    field(`/FT /Tx /T (a) /V ${text} /DV ${text} /AP << /N 11 0 R >>`, { objects: { 11: appearance(secret) } }),
  ),
  place("the appearance of a text field", (_, secret) =>
    field("/FT /Tx /T (a) /AP << /N 11 0 R >>", { objects: { 11: appearance(secret) } }),
  ),
  place("a down appearance", (_, secret) =>
    field("/FT /Tx /T (a) /AP << /D 11 0 R /R 11 0 R >>", { objects: { 11: appearance(secret) } }),
  ),
  place("the value of a text field as a stream", (_, secret) =>
    field("/FT /Tx /Ff 33554432 /T (a) /V 11 0 R", { objects: { 11: stream(latinOrWide(secret.text)) } }),
  ),
  place("a rich value", (_, secret) =>
    field(
      `/FT /Tx /Ff 33554432 /T (a) /RV ${utf16(`<body xmlns="http://www.w3.org/1999/xhtml"><p>${escaped(secret.text)}</p></body>`)}`,
    ),
  ),
  place("the default value of a field", (text) => field(`/FT /Tx /T (a) /DV ${text}`)),
  place("the tooltip of a field", (text) => field(`/FT /Tx /T (a) /TU ${text}`)),
  place("the name of a field", (text) => field(`/FT /Tx /T ${text}`)),
  place("the export name of a field", (text) => field(`/FT /Tx /T (a) /TM ${text}`)),
  place("the options of a choice field", (text) =>
    field(`/FT /Ch /T (a) /Opt [[${text} (b)] [(c) ${text}] (d)] /V (b)`),
  ),
  place("the chosen option of a list", (text) => field(`/FT /Ch /T (a) /Opt [${text} (d)] /V [${text}] /I [0]`)),
  place("the state of a check box", (_, secret) =>
    field(
      `/FT /Btn /T (a) /V ${name(secret.text)} /AS ${name(secret.text)} /AP << /N << ${name(secret.text)} 11 0 R /Off 11 0 R >> >>`,
      { objects: { 11: stream("", "/Type /XObject /Subtype /Form /BBox [0 0 9 9]") } },
    ),
  ),
  place("the options of a check box", (text) => field(`/FT /Btn /T (a) /Opt [${text}]`)),
  place("the caption of a button", (text) =>
    field(`/FT /Btn /Ff 65536 /T (a) /MK << /CA ${text} /RC ${text} /AC ${text} >>`),
  ),
  place("a comb field", (text) => field(`/FT /Tx /Ff 16777216 /MaxLen 60 /T (a) /V ${text}`)),
  place("a parent field", (text) => ({
    ...annotation("/Subtype /Widget /Parent 11 0 R", {
      objects: { 11: `<< /FT /Tx /T (a) /V ${text} /Kids [10 0 R] >>` },
    }),
    catalog: "/AcroForm << /Fields [11 0 R] >>",
  })),
  place("a field without a widget", (text) =>
    catalog("/AcroForm << /Fields [10 0 R] >>", { 10: `<< /FT /Tx /T (a) /V ${text} >>` }),
  ),
  place("a signature", (text) =>
    field(
      `/FT /Sig /T (a) /V << /Type /Sig /Filter /Adobe.PPKLite /Name ${text} /Reason ${text} /Location ${text} /ContactInfo ${text} >>`,
    ),
  ),
  place("a script of a field", (_, secret) =>
    field(`/FT /Tx /T (a) /AA << /K << /S /JavaScript /JS ${script(secret.text)} >> >>`),
  ),
  place("an XFA form", (_, secret) => ({
    ...catalog("/AcroForm << /Fields [] /XFA [(datasets) 10 0 R] >>", {
      10: stream(
        Buffer.from(
          `<xfa:datasets xmlns:xfa="http://www.xfa.org/schema/xfa-data/1.0/"><xfa:data><a>${escaped(secret.text)}</a></xfa:data></xfa:datasets>`,
        ),
      ),
    }),
  })),
];

const ANNOTATIONS: readonly Place[] = [
  place("the contents of a note", (text) => annotation(`/Subtype /Text /Contents ${text}`)),
  place("the rich contents of a note", (_, secret) =>
    annotation(`/Subtype /Text /RC ${utf16(`<body><p>${escaped(secret.text)}</p></body>`)}`),
  ),
  place("rich contents in entities", (_, secret) =>
    annotation(`/Subtype /Text /RC ${utf16(`<body><p>${entities(secret.text)}</p></body>`)}`),
  ),
  place("rich contents in spans", (_, secret) =>
    annotation(
      `/Subtype /Text /RC ${utf16(`<body><p>${[...secret.text].map((char) => `<span>${escaped(char)}</span>`).join("")}</p></body>`)}`,
    ),
  ),
  place("the author and subject of a note", (text) => annotation(`/Subtype /Text /T ${text} /Subj ${text}`)),
  place("the name of a note", (text) => annotation(`/Subtype /Text /NM ${text}`)),
  place("a pop-up", (text) =>
    annotation("/Subtype /Text /Popup 11 0 R /Contents (b)", {
      page: "/Annots [10 0 R 11 0 R]",
      objects: { 11: `<< /Type /Annot /Subtype /Popup /Parent 10 0 R /Rect [0 0 9 9] /Contents ${text} >>` },
    }),
  ),
  place("a free text with an appearance", (text, secret) =>
    annotation(`/Subtype /FreeText /DA (/Helv 12 Tf) /Contents ${text} /AP << /N 11 0 R >>`, {
      objects: { 11: appearance(secret) },
    }),
  ),
  place("a free text without an appearance", (text) =>
    annotation(`/Subtype /FreeText /DA (/Helv 12 Tf) /Contents ${text}`),
  ),
  place("the style of a free text", (text) => annotation(`/Subtype /FreeText /DS ${text} /Contents (b)`)),
  place("a stamp", (_, secret) =>
    annotation("/Subtype /Stamp /AP << /N 11 0 R >>", {
      objects: { 11: appearance(secret, "/Matrix [0 1 -1 0 0 0]") },
    }),
  ),
  place("the name of a stamp", (_, secret) => annotation(`/Subtype /Stamp /Name ${name(secret.text)}`)),
  place("a hidden annotation", (text, secret) =>
    annotation(`/F 2 /Subtype /Stamp /Contents ${text} /AP << /N 11 0 R >>`, { objects: { 11: appearance(secret) } }),
  ),
  place("a link to an address", (_, secret) =>
    annotation(`/Subtype /Link /A << /S /URI /URI ${literal(`https://a.example/?${secret.text}`)} >>`),
  ),
  place("an encoded address", (_, secret) =>
    annotation(
      `/Subtype /Link /A << /S /URI /URI (https://a.example/?q=${encodeURIComponent(secret.text).replaceAll(/[()]/g, "\\$&")}) >>`,
    ),
  ),
  place("a link to a file", (text) =>
    annotation(`/Subtype /Link /A << /S /GoToR /F << /Type /Filespec /F ${text} /UF ${text} >> /D [0 /Fit] >>`),
  ),
  place("a launched file", (text) =>
    annotation(`/Subtype /Link /A << /S /Launch /F ${text} /Win << /F ${text} /P ${text} >> >>`),
  ),
  place("a link to a destination", (text) => annotation(`/Subtype /Link /Dest ${text}`)),
  place("an overlay of a foreign mark", (text) => annotation(`/Subtype /Redact /OverlayText ${text}`)),
  place("a file annotation", (text, secret) =>
    annotation(
      `/Subtype /FileAttachment /Contents ${text} /FS << /Type /Filespec /F ${text} /UF ${text} /Desc ${text} /EF << /F 11 0 R >> >>`,
      { objects: { 11: stream(Buffer.from(secret.text)) } },
    ),
  ),
  place("an action of an annotation", (_, secret) =>
    annotation(`/Subtype /Screen /T (x) /AA << /E << /S /JavaScript /JS ${script(secret.text)} >> >>`),
  ),
  place("a submitted form", (text) =>
    annotation(`/Subtype /Link /A << /S /SubmitForm /F << /FS /URL /F ${text} >> /Fields [${text}] >>`),
  ),
  place("a sequence of actions", (_, secret) =>
    annotation(
      `/Subtype /Link /A << /S /Named /N /NextPage /Next [<< /S /JavaScript /JS ${script(secret.text)} >>] >>`,
    ),
  ),
  place("a private entry of an annotation", (text) => annotation(`/Subtype /Text /MyEntry << /A [ ${text} ] >>`)),
  place("a group of an annotation", (text) =>
    annotation(`/Subtype /Line /L [0 0 9 9] /Cap true /Contents ${text} /Measure << /R ${text} >>`),
  ),
];

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
