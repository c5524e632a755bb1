// Restores the device color spaces of images: MuPDF states its own profiles in the images from which it removes pixels,
// so that other programs would show all other pixels in different colors.
import type { PdfFile } from "../objects/pdf-file.ts";
import { Name, PdfStream, Reference, type Value } from "../objects/values.ts";
import { pageDictionary, type SourcePage } from "../pages/pages.ts";
import { formsIn } from "./shown-streams.ts";

const MAX_PROFILE_BYTES = 4 * 2 ** 20;
const MAKER = "Artifex";
const DEVICES: Readonly<Record<number, string>> = { 1: "DeviceGray", 3: "DeviceRGB", 4: "DeviceCMYK" };

/** @param done object numbers of images and forms of earlier pages */
export function restoreDeviceColors(file: PdfFile, page: SourcePage, done: Set<number>): void {
  const own = pageDictionary(file, page).get("Resources");
  const forms: Reference[] = [];
  for (const form of formsIn(file, own, done)) {
    done.add(form.number);
    forms.push(form);
  }
  for (const resources of [own, ...forms.map((form) => file.dictionary(form)?.get("Resources"))]) {
    for (const value of file.dictionary(file.dictionary(resources)?.get("XObject"))?.values() ?? []) {
      if (!(value instanceof Reference) || done.has(value.number)) continue;
      done.add(value.number);
      const image = file.stream(value);
      const device = image && deviceOf(file, image.dictionary.get("ColorSpace"));
      if (device)
        file.put(value, new PdfStream(image.dictionary.clone().set("ColorSpace", Name.of(device)), image.body));
    }
  }
}

function deviceOf(file: PdfFile, space: Value | undefined): string | undefined {
  const [family, reference] = file.array(space) ?? [];
  const profile = file.name(family) === "ICCBased" ? file.stream(reference) : undefined;
  if (!profile || !Buffer.from(profile.body.decoded(MAX_PROFILE_BYTES)).includes(MAKER)) return undefined;
  return DEVICES[file.number(profile.dictionary.get("N")) ?? 0];
}
