// Maps the key of an object to the names of a folder and of a file in it, and back. Slashes and leading dots are
// escaped, so that no key leads out of the bucket's folder.

/** Name of the folder of keys without a slash. No other key gets it. */
const NO_FOLDER = "%";

export interface KeyPath {
  readonly folder: string;
  readonly name: string;
}

/** @throws Error if the key is empty, or begins or ends with a slash */
export function pathOf(key: string): KeyPath {
  const slash = key.lastIndexOf("/");
  if (slash === 0 || slash === key.length - 1) throw new Error(`not a key: ${JSON.stringify(key)}`);
  return { folder: slash < 0 ? NO_FOLDER : encode(key.slice(0, slash)), name: encode(key.slice(slash + 1)) };
}

/** Returns the start of the keys in a folder. */
export const startOf = (folder: string): string => (folder === NO_FOLDER ? "" : `${decodeURIComponent(folder)}/`);
export const keyOf = ({ folder, name }: KeyPath): string => startOf(folder) + decodeURIComponent(name);

const encode = (text: string): string => encodeURIComponent(text).replace(/^\./, "%2E");
