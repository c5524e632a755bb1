// Repairs the ICC profiles of a file for PDF/A (ISO 19005-1, 6.2.3.2; -2, 6.2.4.2): decides which profiles stay, and
// creates each missing profile once.

import {
  COLOR_CLASSES,
  componentsOf,
  MAX_PROFILE_BYTES,
  type ProfileHeader,
  readHeader,
} from "../../formats/icc/header.ts";
import { asVersion2, grayProfile, srgbProfile } from "../../formats/icc/profile.ts";
import { Dictionary, Name, type PdfStream, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument } from "../pdfa-document.ts";

const NOTHING = new Uint8Array(0);
const OUTPUT_CLASSES: ReadonlySet<string> = new Set(["mntr", "prtr"]);

export type DeviceSpace = "DeviceGray" | "DeviceRGB" | "DeviceCMYK";

export class Profiles {
  readonly #document: PdfaDocument;
  readonly #made = new Map<DeviceSpace, Reference>();
  readonly #spaces = new Map<DeviceSpace, Reference>();

  constructor(document: PdfaDocument) {
    this.#document = document;
  }

  /** Returns a profile that defines a device space. */
  profile(space: DeviceSpace): Reference {
    const known = this.#made.get(space);
    if (known) return known;
    const bytes =
      space === "DeviceRGB"
        ? srgbProfile()
        : space === "DeviceGray"
          ? grayProfile()
          : this.#document.source.cmykProfile();
    const components = space === "DeviceRGB" ? 3 : space === "DeviceGray" ? 1 : 4;
    const made = this.#document.file.add(newStream(bytes, { N: components }));
    this.#made.set(space, made);
    return made;
  }

  /** Returns an ICC-based space that replaces a device space. */
  space(space: DeviceSpace, profile = this.profile(space)): Reference {
    const known = this.#spaces.get(space);
    if (known) return known;
    const made = this.#document.file.add([Name.of("ICCBased"), profile]);
    this.#spaces.set(space, made);
    return made;
  }

  /** @returns the header of a profile that conforms; undefined for other profiles */
  sound(stream: PdfStream | undefined, classes = COLOR_CLASSES): ProfileHeader | undefined {
    const bytes = stream && bytesOf(stream);
    const header = bytes && readHeader(bytes);
    if (!header || !this.#mayStay(header)) return undefined;
    const components = this.#document.file.number(stream.dictionary.get("N"));
    return classes.has(header.deviceClass) && componentsOf(header.space) === components ? header : undefined;
  }

  /** Returns the document's own profile for the output intent, in a version that the level allows. */
  output(value: Value | undefined): { readonly space: string; readonly profile: Reference } | undefined {
    const { file } = this.#document;
    const stream = file.stream(value);
    const header = this.sound(stream, OUTPUT_CLASSES);
    if (header && value instanceof Reference) return { space: header.space, profile: value };
    const older = this.#document.level.part === 1 && stream ? asVersion2(bytesOf(stream) ?? NOTHING) : undefined;
    const space = older && readHeader(older)?.space;
    return space === undefined
      ? undefined
      : { space, profile: file.add(newStream(older!, { N: componentsOf(space)! })) };
  }

  /** Repairs the profiles of all ICCBased spaces. */
  repair(): void {
    const seen = new Set<number>();
    for (const space of iccBasedSpaces(this.#document)) {
      const [, profile] = space;
      const { file } = this.#document;
      const stream = file.stream(profile);
      const reference = profile as Reference;
      if (stream && seen.has(reference.number)) continue;
      if (stream) seen.add(reference.number);
      if (this.sound(stream)) continue;
      space[1] = this.#substitute(stream, reference);
    }
  }

  #mayStay({ version, deviceClass }: ProfileHeader): boolean {
    return COLOR_CLASSES.has(deviceClass) && (this.#document.level.part === 1 ? version <= 2 : version <= 4);
  }

  #substitute(stream: PdfStream | undefined, reference: Value): Value {
    const { file } = this.#document;
    const components = file.number(stream?.dictionary.get("N"));
    const bytes = stream && bytesOf(stream);
    const header = bytes && readHeader(bytes);
    const own = header && componentsOf(header.space);
    if (stream && header && this.#mayStay(header) && own !== undefined && components === undefined) {
      stream.dictionary.set("N", own);
      return reference;
    }
    const older = bytes && own === components && asVersion2(bytes);
    if (older && reference !== null && stream) {
      file.put(reference as Reference, newStream(older, Dictionary.of({ N: own })));
      return reference;
    }
    switch (components ?? own) {
      case 1:
        return this.profile("DeviceGray");
      case 4:
        return this.profile("DeviceCMYK");
      default:
        return this.profile("DeviceRGB");
    }
  }
}

function bytesOf(stream: PdfStream): Uint8Array | undefined {
  try {
    return stream.body.decoded(MAX_PROFILE_BYTES);
  } catch {
    // A profile that cannot be decoded cannot stay.
    return undefined;
  }
}

/** Yields the arrays of all ICCBased spaces. They belong to the file and can be changed. */
function* iccBasedSpaces({ file, places }: PdfaDocument): Generator<Value[]> {
  const seen = new Set<readonly Value[]>();
  for (const { dictionary } of places) {
    for (const value of dictionary.values()) {
      const waiting: Value[] = [value];
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        const array = file.array(next) as Value[] | undefined;
        if (!array || array.length > MAX_PARTS || seen.has(array)) continue;
        seen.add(array);
        if (file.name(array[0]) === "ICCBased") yield array;
        else for (const element of array) if (element !== null && typeof element === "object") waiting.push(element);
      }
    }
  }
}

/** Maximum length of a color space array. Longer arrays are not color spaces. */
const MAX_PARTS = 5;
