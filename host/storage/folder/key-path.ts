// Maps an object key to a folder and a file name, and back. Escapes slashes and leading dots, so that no path leads
// outside the bucket's folder.

/** Folder name for keys without a slash. No other key maps to it. */
const NO_FOLDER = "%";

export interface KeyPath {
  readonly folder: string;
  readonly name: string;
}

/** @throws Error if the key is empty, or has a leading or trailing slash */
export function pathOf(key: string): KeyPath {
  const slash = key.lastIndexOf("/");
  if (slash === 0 || slash === key.length - 1) throw new Error(`not a key: ${JSON.stringify(key)}`);
  return { folder: slash < 0 ? NO_FOLDER : encode(key.slice(0, slash)), name: encode(key.slice(slash + 1)) };
}

/** Returns the key prefix of a folder. */
export const startOf = (folder: string): string => (folder === NO_FOLDER ? "" : `${decodeURIComponent(folder)}/`);
export const keyOf = ({ folder, name }: KeyPath): string => startOf(folder) + decodeURIComponent(name);

const encode = (text: string): string => encodeURIComponent(text).replace(/^\./, "%2E");
