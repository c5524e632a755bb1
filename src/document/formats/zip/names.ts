// Chooses file names in an archive: unique, and valid in one folder on every operating system.
import { safeName, stem } from "../../contract/file-name.ts";

/** Matches names of Windows devices, with any extension, ignoring case. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/** Assigns a name to each file, in archive order. */
export class EntryNames {
  /** The last number tried, by lower-case name, because Windows and macOS ignore case. */
  readonly #taken = new Map<string, number>();

  /** @returns `name.ext`, or `name (2).ext` and so on if the name is already used */
  add(name: string): string {
    const wanted = portableName(name);
    const base = stem(wanted);
    const extension = wanted.slice(base.length);
    const key = keyOf(wanted);
    let given = wanted;
    for (let number = (this.#taken.get(key) ?? 0) + 1; ; number++) {
      if (number > 1) given = `${base} (${number})${extension}`;
      if (number > 1 && this.#taken.has(keyOf(given))) continue;
      this.#taken.set(key, number);
      if (number > 1) this.#taken.set(keyOf(given), 1);
      return given;
    }
  }
}

const keyOf = (name: string) => name.normalize("NFC").toLowerCase();

function portableName(name: string): string {
  // Windows removes dots and spaces at the end.
  const safe = safeName(name).replace(/[. ]+$/, "");
  if (safe === "") return "file";
  return DEVICE.test(safe) ? `_${safe}` : safe;
}
