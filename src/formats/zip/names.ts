// The names that files have in an archive: ones that every system can create, in the folder where it is unpacked, each once.
import { safeName, stem } from "../../core/file-name.ts";

/** Devices that Windows finds under these names, whatever the extension and the letters' case. */
const DEVICE = /^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³])(\.|$)/i;

/** Gives each file its name, in the order of the archive. */
export class EntryNames {
  /** By the name in small letters, since Windows and macOS tell no others apart: the last number that was tried. */
  readonly #taken = new Map<string, number>();

  /** @returns `name.ext`; where that is taken `name (2).ext`, and so on */
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
  // Windows leaves dots and spaces at the end out.
  const safe = safeName(name).replace(/[. ]+$/, "");
  if (safe === "") return "file";
  return DEVICE.test(safe) ? `_${safe}` : safe;
}
