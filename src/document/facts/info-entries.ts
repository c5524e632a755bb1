// Names the standard entries of the Info dictionary (ISO 32000-1, 14.3.3), and the properties of XMP that mean the same.

const DC = "http://purl.org/dc/elements/1.1/";
const PDF = "http://ns.adobe.com/pdf/1.3/";
const XMP = "http://ns.adobe.com/xap/1.0/";
/** Standard entries of the Info dictionary, with the equivalent XMP properties (ISO 19005-1, 6.7.3, table 1). */
export const INFO_ENTRIES = {
  Title: `${DC} title`,
  Author: `${DC} creator`,
  Subject: `${DC} description`,
  Keywords: `${PDF} Keywords`,
  Creator: `${XMP} CreatorTool`,
  Producer: `${PDF} Producer`,
  CreationDate: `${XMP} CreateDate`,
  ModDate: `${XMP} ModifyDate`,
} as const;
export type InfoEntry = keyof typeof INFO_ENTRIES;
/** The entries with texts, by their names in requests and responses. */
export const TEXT_ENTRIES = {
  title: "Title",
  author: "Author",
  subject: "Subject",
  keywords: "Keywords",
  creator: "Creator",
  producer: "Producer",
} as const satisfies Readonly<Record<string, InfoEntry>>;
export const IN_XMP: ReadonlySet<string> = new Set(Object.values(INFO_ENTRIES));
export const KNOWN_ENTRIES: ReadonlySet<string> = new Set([...Object.keys(INFO_ENTRIES), "Trapped"]);
