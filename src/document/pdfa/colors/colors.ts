// Defines the device colors of a document (ISO 19005-1, 6.2.2 and 6.2.3; -2, 6.2.3 and 6.2.4). An output intent defines
// one device space; ICC-based spaces replace the other device space. Colors do not change.
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfString, Reference, type Value } from "../../objects/values.ts";
import type { ContentUses } from "../content/content-uses.ts";
import type { PdfaDocument } from "../pdfa-document.ts";
import { writeBackdrops } from "./initial-colors.ts";
import type { DeviceSpace, Profiles } from "./profiles.ts";

/** Index of the base or alternate space in the array of a color space, by family. */
const BASES: Readonly<Record<string, number>> = { Indexed: 1, I: 1, Separation: 2, DeviceN: 2, Pattern: 1 };
const MAX_PARTS = 5;
const SRGB = "sRGB IEC61966-2.1";
/** Identifier of the printing condition for which the CMYK profile was made. */
const SWOP = "CGATS TR 001";

export function repairColors(document: PdfaDocument, uses: ContentUses, profiles: Profiles): void {
  profiles.repair();
  const { file } = document;
  const holders = findHolders(document);
  const used = new Set<DeviceSpace>(uses.deviceSpaces);
  const inGroups = new Set<DeviceSpace>();
  for (const { get, isGroup } of holders) {
    const device = deviceOf(file, get());
    if (device) (isGroup ? inGroups : used).add(device);
  }
  const intent = chooseIntent(document, used, profiles);
  writeIntent(document, intent);
  // The intent does not define this device space, so every occurrence needs an ICC-based replacement.
  const foreign = intent.space === "CMYK" ? "DeviceRGB" : intent.space === "RGB " ? "DeviceCMYK" : undefined;
  if (!foreign || !(used.has(foreign) || inGroups.has(foreign))) return;
  const space = profiles.space(foreign, intent.other);
  if (foreign === "DeviceCMYK") writeBackdrops(document);
  for (const { get, set } of holders) if (deviceOf(file, get()) === foreign) set(space);
  // Overprint mode 1 would have another meaning with an ICC-based CMYK space (ISO 19005-2, 6.2.4.2).
  if (foreign === "DeviceCMYK") {
    for (const { dictionary } of document.places) if (dictionary.get("OPM") === 1) dictionary.set("OPM", 0);
  }
  if (!used.has(foreign)) return;
  const name = foreign === "DeviceRGB" ? "DefaultRGB" : "DefaultCMYK";
  for (const resources of uses.resources) addDefault(document, resources, name, space);
  if (foreign === "DeviceRGB" && document.level.part > 1)
    for (const page of document.pages) giveBlendingSpace(document, document.page(page), space);
}

/** Reports whether the output intent is RGB. Annotations can keep their colors only then (ISO 19005-1, 6.5.3). */
export function hasRgbIntent({ file }: PdfaDocument): boolean {
  const intent = file.dictionary((file.array(file.catalog.get("OutputIntents")) ?? [])[0]);
  return file.number(file.stream(intent?.get("DestOutputProfile"))?.dictionary.get("N")) === 3;
}

interface Intent {
  readonly space: "RGB " | "CMYK" | "GRAY";
  readonly profile: Reference;
  readonly dictionary: Dictionary;
  /** The document's own profile for the device space that the intent does not define. */
  readonly other?: Reference;
}

/**
 * Chooses an intent that shifts no colors, even if the document has both RGB and CMYK device colors. Viewers convert
 * ICC-based colors through the intent, so a CMYK intent would reduce RGB colors to printable ones. A document with both
 * kinds of colors therefore has a CMYK intent only if it had one before.
 */
function chooseIntent(document: PdfaDocument, used: ReadonlySet<DeviceSpace>, profiles: Profiles): Intent {
  const own = ownIntents(document, profiles);
  const rgb = own.find(({ space }) => space === "RGB ");
  const cmyk = own.find(({ space }) => space === "CMYK");
  const gray = own.find(({ space }) => space === "GRAY");
  const [usesRgb, usesCmyk] = [used.has("DeviceRGB"), used.has("DeviceCMYK")];
  if (usesCmyk && !(usesRgb && !cmyk)) {
    const intent = cmyk ?? made("CMYK", profiles.profile("DeviceCMYK"), SWOP);
    return rgb && usesRgb ? { ...intent, other: rgb.profile } : intent;
  }
  const intent = rgb ?? made("RGB ", profiles.profile("DeviceRGB"), SRGB);
  return usesRgb ? intent : (rgb ?? cmyk ?? gray ?? intent);
}

function made(space: Intent["space"], profile: Reference, condition: string): Intent {
  return { space, profile, dictionary: Dictionary.of({ OutputConditionIdentifier: PdfString.ofLatin1(condition) }) };
}

function ownIntents({ file }: PdfaDocument, profiles: Profiles): Intent[] {
  const intents: Intent[] = [];
  for (const value of file.array(file.catalog.get("OutputIntents")) ?? []) {
    const dictionary = file.dictionary(value);
    const output = profiles.output(dictionary?.get("DestOutputProfile"));
    if (!dictionary || !output) continue;
    const { space, profile } = output;
    if (space !== "RGB " && space !== "CMYK" && space !== "GRAY") continue;
    const kept = new Dictionary();
    for (const key of ["OutputCondition", "OutputConditionIdentifier", "RegistryName", "Info"]) {
      const text = file.string(dictionary.get(key));
      if (text) kept.set(key, text);
    }
    intents.push({ space, profile, dictionary: kept });
  }
  return intents;
}

function writeIntent({ file }: PdfaDocument, { dictionary, profile }: Intent): void {
  const intent = dictionary.clone();
  const identifier = intent.get("OutputConditionIdentifier") ?? PdfString.ofLatin1("Custom");
  intent
    .set("Type", Name.of("OutputIntent"))
    .set("S", Name.of("GTS_PDFA1"))
    .set("OutputConditionIdentifier", identifier)
    .set("DestOutputProfile", profile);
  // Info is required unless the identifier is registered (ISO 32000-1, table 365).
  if (!intent.has("Info")) intent.set("Info", identifier);
  file.catalog.set("OutputIntents", [file.add(intent)]);
}

/**
 * An entry whose color space must be replaced explicitly, because default color spaces (for example DefaultRGB) do not
 * or must not replace it.
 */
interface Holder {
  /** True for the blending space of a transparency group, which is not a color. */
  readonly isGroup: boolean;
  get(): Value | undefined;
  set(space: Value): void;
}

/** Finds the color spaces of images, shadings, groups and colorants, and all base and alternate spaces. */
function findHolders(document: PdfaDocument): Holder[] {
  const { file } = document;
  const holders: Holder[] = [];
  const entry = (dictionary: Dictionary, key: string, isGroup = false) =>
    holders.push({ isGroup, get: () => dictionary.get(key), set: (space) => dictionary.set(key, space) });
  const seen = new Set<readonly Value[]>();
  for (const { dictionary, key, above, isStream } of document.places) {
    const isShading = dictionary.has("ShadingType");
    if (dictionary.has("ColorSpace") && (isShading || (isStream && dictionary.has("Width"))))
      entry(dictionary, "ColorSpace");
    // Process is an attribute of DeviceN (ISO 32000-1, table 72).
    if (key === "Process" && dictionary.has("ColorSpace")) entry(dictionary, "ColorSpace");
    if (key === "Group" && dictionary.has("CS")) entry(dictionary, "CS", true);
    // Content refers to these resources by name. A name can be an alias of a device space.
    if (key === "ColorSpace" || (above === "Resources" && key === "ColorSpace")) {
      for (const name of dictionary.keys()) if (!name.startsWith("Default")) entry(dictionary, name);
    }
    for (const value of dictionary.values()) addBases(document, value, seen, holders);
  }
  for (const reference of document.values) addBases(document, reference, seen, holders);
  return holders.filter(({ get }) => deviceOf(file, get()) !== undefined);
}

function addBases({ file }: PdfaDocument, value: Value, seen: Set<readonly Value[]>, holders: Holder[]): void {
  const waiting: Value[] = [value];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const array = file.array(next) as Value[] | undefined;
    if (!array || array.length > MAX_PARTS || seen.has(array)) continue;
    seen.add(array);
    const base = BASES[file.name(array[0]) ?? ""];
    if (base !== undefined && base < array.length) {
      holders.push({
        isGroup: false,
        get: () => array[base],
        set: (space) => {
          array[base] = space;
        },
      });
    }
    for (const element of array) if (element instanceof Reference || Array.isArray(element)) waiting.push(element);
  }
}

/** Returns the device space of a name, or of an array with only a name (ISO 32000-1, 8.6.3). */
function deviceOf(file: PdfFile, value: Value | undefined): DeviceSpace | undefined {
  const array = file.array(value);
  const name = file.name(array?.length === 1 ? array[0] : value);
  return name === "DeviceRGB" || name === "DeviceCMYK" || name === "DeviceGray" ? name : undefined;
}

function addDefault({ file }: PdfaDocument, resources: Dictionary, key: string, space: Value): void {
  const spaces = file.dictionary(resources.get("ColorSpace"));
  if (!spaces) resources.set("ColorSpace", Dictionary.of({ [key]: space }));
  else if (!spaces.has(key)) spaces.set(key, space);
}

/**
 * Sets the blending space of a page that has none. Viewers would otherwise blend in the intent's space, which changes
 * colors.
 */
function giveBlendingSpace({ file }: PdfaDocument, page: Dictionary, space: Value): void {
  const group = file.dictionary(page.get("Group"));
  if (group?.has("CS")) return;
  const own = group?.clone() ?? Dictionary.of({ Type: Name.of("Group"), S: Name.of("Transparency") });
  page.set("Group", own.set("CS", space));
}
