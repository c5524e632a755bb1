// Copies output intents (ISO 32000-1, 14.11.5) if they are equal in all inputs. Different intents would change the
// meaning of the device colors on some pages.
import { createHash } from "node:crypto";
import { MAX_PROFILE_BYTES } from "../../formats/icc/header.ts";
import { fingerprint } from "../../objects/fingerprint.ts";
import type { PdfFile } from "../../objects/pdf-file.ts";
import { Dictionary, Name, PdfStream, PdfString, plainBody, type Value } from "../../objects/values.ts";
import type { AssemblyTarget, DocumentPart, InputSelection } from "../assemble.ts";

/** An output intent without its profile, and the profile. Stays in memory until all inputs are compared. */
interface Intent {
  readonly dictionary: Dictionary;
  readonly profile: { readonly components: number | undefined; readonly bytes: Uint8Array } | undefined;
}

export class OutputIntents implements DocumentPart {
  #intents: readonly Intent[] | undefined;
  #print: string | undefined;
  #agree = true;

  /** True if all inputs have the same intents. */
  get areKept(): boolean {
    return this.#agree;
  }

  close({ source, inputIndex }: InputSelection): void {
    if (!this.#agree) return;
    const { file } = source;
    const found = (file.array(file.catalog.get("OutputIntents")) ?? []).map((value) => readIntent(file, value));
    const print = found.map((intent) => intent && printOf(file, intent)).join("\n");
    if (inputIndex === 0) {
      this.#print = print;
      this.#intents = found.filter((intent) => intent !== undefined);
    } else if (print !== this.#print) this.#agree = false;
  }

  finish({ file, catalog }: AssemblyTarget): void {
    if (!this.#agree || !this.#intents?.length) return;
    const written = this.#intents.map(({ dictionary, profile }) => {
      if (profile) {
        const entries = Dictionary.of({ N: profile.components });
        dictionary.set("DestOutputProfile", file.add(new PdfStream(entries, plainBody(profile.bytes))));
      }
      return file.add(dictionary);
    });
    catalog.set("OutputIntents", written);
  }
}

function readIntent(file: PdfFile, value: Value): Intent | undefined {
  const intent = file.dictionary(value);
  if (!intent) return undefined;
  const dictionary = new Dictionary();
  // All entries except the profile are names and texts (table 365).
  for (const [key, entry] of intent) {
    const object = file.resolve(entry);
    if (object instanceof Name || object instanceof PdfString) dictionary.set(key, object);
  }
  const stream = file.stream(intent.get("DestOutputProfile"));
  if (!stream) return { dictionary, profile: undefined };
  try {
    const bytes = stream.body.decoded(MAX_PROFILE_BYTES).slice();
    return { dictionary, profile: { components: file.number(stream.dictionary.get("N")), bytes } };
  } catch {
    // An unreadable profile cannot be compared.
    return undefined;
  }
}

/** Identifies an intent by its profile, regardless of its other entries. */
function printOf(file: PdfFile, { dictionary, profile }: Intent): string {
  if (!profile) return fingerprint(file, dictionary) ?? "";
  const digest = createHash("sha256").update(profile.bytes).digest("base64");
  return `${file.name(dictionary.get("S"))} ${profile.components} ${digest}`;
}
