// Removes transparency from appearances that were created for annotations, because part 1 forbids it (ISO 19005-1,
// 6.4). The page was flattened before these appearances existed.
import { Dictionary, Name, PdfStream, Reference, type Value } from "../../objects/values.ts";
import { newStream, type PdfaDocument, rectangleOf } from "../pdfa-document.ts";

/** Maximum number of forms examined per appearance. */
const MAX_FORMS = 100;
/** Prefix of resource names that pages do not use. */
const PREFIX = "Beneath";

/** Makes all painting of a form opaque, in place. */
export function makeOpaque({ file }: PdfaDocument, normal: Value): void {
  const object = file.resolve(normal);
  const waiting: Value[] = object instanceof Dictionary ? [...object.values()] : [normal];
  const seen = new Set<Dictionary>();
  for (let next = waiting.pop(); next !== undefined && seen.size < MAX_FORMS; next = waiting.pop()) {
    const form = file.stream(next)?.dictionary;
    if (!form || seen.has(form)) continue;
    seen.add(form);
    form.delete("Group");
    const resources = file.dictionary(form.get("Resources"));
    for (const value of file.dictionary(resources?.get("ExtGState"))?.values() ?? []) {
      const state = file.dictionary(value);
      for (const key of ["ca", "CA", "BM", "SMask", "AIS"]) state?.delete(key);
    }
    for (const value of file.dictionary(resources?.get("XObject"))?.values() ?? []) waiting.push(value);
  }
}

/**
 * Draws an appearance below the page content. Above it, an opaque highlight would hide the text.
 * @returns false if the appearance cannot be drawn below the content
 */
export function drawBeneath(document: PdfaDocument, page: Dictionary, normal: Value, rectangle: Value): boolean {
  const { file } = document;
  const form = file.stream(normal);
  const box = rectangleOf(file, form?.dictionary.get("BBox"));
  const place = rectangleOf(file, rectangle);
  if (!(normal instanceof Reference) || !(form instanceof PdfStream) || !box || !place) return false;
  const resources = file.dictionary(page.get("Resources"))?.clone() ?? new Dictionary();
  const objects = file.dictionary(resources.get("XObject"))?.clone() ?? new Dictionary();
  const name = `${PREFIX}${normal.number}`;
  page.set("Resources", resources.set("XObject", objects.set(name, normal)));
  form.dictionary.set("Type", Name.of("XObject")).set("Subtype", Name.of("Form"));
  // The user units of the page can be larger than those of the appearance.
  const [x, y] = [scaleOf(place[2] - place[0], box[2] - box[0]), scaleOf(place[3] - place[1], box[3] - box[1])];
  const content = `q ${x} 0 0 ${y} ${real(place[0] - x * box[0])} ${real(place[1] - y * box[1])} cm /${name} Do Q\n`;
  const before = page.get("Contents");
  const contents = before === undefined ? [] : (file.array(before) ?? [before]);
  page.set("Contents", [file.add(newStream(content, {})), ...contents]);
  return true;
}

const scaleOf = (size: number, before: number): number => (before > 0 ? real(size / before) : 1);
/** Formats a number without an exponent, which PDF does not allow. */
const real = (value: number): number => Number(value.toFixed(5));
