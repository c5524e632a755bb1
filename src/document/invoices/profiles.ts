// Standards of electronic invoices in PDFs, and their profiles (Factur-X 1.0 and ZUGFeRD 2, which are the same;
// ZUGFeRD 1.0).

/** Profiles, from the fewest to the most data. */
export const PROFILES = ["minimum", "basic-wl", "basic", "en16931", "extended", "xrechnung"] as const;
export type Profile = (typeof PROFILES)[number];

export type Standard = "factur-x" | "zugferd-1";

/** The properties of an invoice on which its place in a PDF depends. */
export interface InvoiceKind {
  readonly standard: Standard;
  readonly profile: Profile;
  /** Version of the data, in the words of the standard's metadata. */
  readonly version: string;
}

/** Guidelines (BT-24) in invoices of Factur-X and ZUGFeRD 2. The first that matches counts. */
const GUIDELINES: readonly (readonly [RegExp, Profile])[] = [
  [/:xrechnung_\d/, "xrechnung"],
  [/:1p0:minimum$|:2p0:minimum$/, "minimum"],
  [/:1p0:basicwl$|:2p0:basicwl$/, "basic-wl"],
  [/:1p0:basic$|:2p0:basic$/, "basic"],
  // Extensions of EN 16931, and usage specifications, which restrict it.
  [/^urn:cen\.eu:en16931:2017#conformant#/, "extended"],
  [/^urn:cen\.eu:en16931:2017(?:#compliant#|$)/, "en16931"],
];
const FIRST_GUIDELINES: Readonly<Record<string, Profile>> = {
  "urn:ferd:CrossIndustryDocument:invoice:1p0:basic": "basic",
  "urn:ferd:CrossIndustryDocument:invoice:1p0:comfort": "en16931",
  "urn:ferd:CrossIndustryDocument:invoice:1p0:extended": "extended",
};
const XRECHNUNG_VERSION = /:xrechnung_(\d+\.\d+)/;

/** @returns undefined for an unknown guideline */
export function kindOf(standard: Standard, guideline: string): InvoiceKind | undefined {
  if (standard === "zugferd-1") {
    const profile = FIRST_GUIDELINES[guideline];
    return profile && { standard, profile, version: "1.0" };
  }
  const profile = GUIDELINES.find(([pattern]) => pattern.test(guideline))?.[1];
  const version = (profile === "xrechnung" && XRECHNUNG_VERSION.exec(guideline)?.[1]) || "1.0";
  return profile && { standard, profile, version };
}

/** Returns the profile of a guideline in any standard; undefined for an unknown guideline. */
export const profileOf = (guideline: string): Profile | undefined =>
  (kindOf("zugferd-1", guideline) ?? kindOf("factur-x", guideline))?.profile;
