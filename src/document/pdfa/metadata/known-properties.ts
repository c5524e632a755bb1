// Properties of the XMP specifications that PDF/A refers to: the edition of 2004 for part 1, and the edition of 2005
// for parts 2 and 3.
import { LATER } from "./extension-schemas.ts";
import { NAMESPACES } from "./xmp-syntax.ts";

/** Syntax of a property value (XMP specification, part 1, 7.5 to 7.7). */
export type Shape = "text" | "date" | "rating" | "Alt" | "Bag" | "Seq" | "reference" | "events";

/** Allowed fields of structured values (XMP specification of 2004, which part 1 refers to). */
export const PARTS = {
  reference: {
    prefix: "stRef",
    names: "instanceID documentID versionID renditionClass renditionParams manager managerVariant manageTo manageUI",
  },
  events: { prefix: "stEvt", names: "action instanceID parameters softwareAgent when" },
} as const;

const PREFIXES = ["dc", "xmpRights", "xmpMM", "pdf", "xmp", "photoshop"] as const;
/** Syntax of properties by prefix and name. For some properties, the Info dictionary takes precedence. */
const SHAPES: Readonly<Record<(typeof PREFIXES)[number], Readonly<Record<string, Shape>>>> = {
  dc: {
    contributor: "Bag",
    coverage: "text",
    creator: "Seq",
    date: "Seq",
    description: "Alt",
    format: "text",
    identifier: "text",
    language: "Bag",
    publisher: "Bag",
    relation: "Bag",
    rights: "Alt",
    source: "text",
    subject: "Bag",
    title: "Alt",
    type: "Bag",
  },
  xmpRights: { Certificate: "text", Marked: "text", Owner: "Bag", UsageTerms: "Alt", WebStatement: "text" },
  xmpMM: {
    DerivedFrom: "reference",
    DocumentID: "text",
    History: "events",
    InstanceID: "text",
    ManagedFrom: "reference",
    RenditionClass: "text",
    RenditionOf: "reference",
    VersionID: "text",
  },
  pdf: { Keywords: "text", PDFVersion: "text", Producer: "text" },
  xmp: {
    Advisory: "Bag",
    BaseURL: "text",
    CreateDate: "date",
    CreatorTool: "text",
    Identifier: "Bag",
    Label: "text",
    MetadataDate: "date",
    ModifyDate: "date",
    Nickname: "text",
    Rating: "rating",
  },
  photoshop: {
    AuthorsPosition: "text",
    CaptionWriter: "text",
    Category: "text",
    City: "text",
    Country: "text",
    Credit: "text",
    DateCreated: "date",
    Headline: "text",
    Instructions: "text",
    Source: "text",
    State: "text",
    SupplementalCategories: "Bag",
    TransmissionReference: "text",
  },
};
/** Qualified name and syntax of known properties, by namespace and name. */
const KNOWN = new Map<string, { readonly name: string; readonly shape: Shape }>();
for (const prefix of PREFIXES) {
  for (const [name, shape] of Object.entries(SHAPES[prefix])) {
    KNOWN.set(`${NAMESPACES[prefix]} ${name}`, { name: `${prefix}:${name}`, shape });
  }
}

/** @returns the property, if the specification for this part defines it */
export const knownProperty = (property: string, part: number) =>
  part === 1 && LATER.has(property) ? undefined : KNOWN.get(property);
