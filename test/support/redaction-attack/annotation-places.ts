// Places for secrets in form fields and annotations, written as PDF syntax.
import { Buffer } from "node:buffer";
import {
  annotation,
  appearance,
  catalog,
  entities,
  escaped,
  field,
  latinOrWide,
  place,
  script,
} from "./hidden-parts.ts";
import { literal, name, stream, utf16 } from "./raw-pdf.ts";
import type { Place } from "./text-parts.ts";

export const FIELDS: readonly Place[] = [
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

export const ANNOTATIONS: readonly Place[] = [
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
