// Reads and writes font collections, whose members share tables (OpenType, "OpenType Font File", Collections).
import { checksum } from "./subset-truetype.ts";
import { viewOf } from "./truetype.ts";

export interface CollectionMember {
  readonly version: number;
  /** Tables by tag. Shared tables are the same object. */
  readonly tables: ReadonlyMap<string, Uint8Array>;
}

const TAG = 0x74746366;
const VERSION = 0x00010000;
const ENTRY_BYTES = 16;

/** @returns undefined if the bytes are not a collection, or a table is outside */
export function readCollection(bytes: Uint8Array): CollectionMember[] | undefined {
  if (bytes.length < 12 || viewOf(bytes).getUint32(0) !== TAG) return undefined;
  const view = viewOf(bytes);
  const shared = new Map<string, Uint8Array>();
  const members: CollectionMember[] = [];
  for (let member = 0; member < view.getUint32(8); member++) {
    const start = view.getUint32(12 + 4 * member);
    const tables = new Map<string, Uint8Array>();
    for (let entry = 0; entry < view.getUint16(start + 4); entry++) {
      const at = start + 12 + ENTRY_BYTES * entry;
      const [from, length] = [view.getUint32(at + 8), view.getUint32(at + 12)];
      if (from + length > bytes.length) return undefined;
      const key = `${from} ${length}`;
      const table = shared.get(key) ?? bytes.subarray(from, from + length);
      shared.set(key, table);
      tables.set(String.fromCharCode(...bytes.subarray(at, at + 4)), table);
    }
    members.push({ version: view.getUint32(start), tables });
  }
  return members;
}

/** Writes shared tables once. */
export function writeCollection(members: readonly CollectionMember[]): Uint8Array {
  const directories = members.map(({ tables }) => 12 + ENTRY_BYTES * tables.size);
  const header = 12 + 4 * members.length;
  const places = new Map<Uint8Array, number>();
  let end = header + directories.reduce((sum, size) => sum + size, 0);
  for (const table of members.flatMap(({ tables }) => [...tables.values()])) {
    if (places.has(table)) continue;
    places.set(table, end);
    end += (table.length + 3) & ~3;
  }
  const collection = new Uint8Array(end);
  const view = viewOf(collection);
  for (const [table, at] of places) collection.set(table, at);
  [TAG, VERSION, members.length].forEach((value, index) => {
    view.setUint32(4 * index, value);
  });
  const sums = new Map([...places].map(([table, at]) => [table, checksum(view, at, (table.length + 3) & ~3)]));
  let at = header;
  members.forEach(({ version, tables }, member) => {
    view.setUint32(12 + 4 * member, at);
    at = writeDirectory(view, at, version, tables, (table) => [sums.get(table)!, places.get(table)!, table.length]);
  });
  return collection;
}

/**
 * @param entryOf returns checksum, offset and length of a table
 * @returns the end of the directory
 */
function writeDirectory(
  view: DataView,
  start: number,
  version: number,
  tables: ReadonlyMap<string, Uint8Array>,
  entryOf: (table: Uint8Array) => readonly number[],
): number {
  const power = Math.floor(Math.log2(tables.size));
  view.setUint32(start, version);
  [tables.size, 16 << power, power, (tables.size - (1 << power)) * 16].forEach((value, index) => {
    view.setUint16(start + 4 + 2 * index, value);
  });
  let at = start + 12;
  for (const [tag, table] of [...tables].sort(([one], [other]) => (one < other ? -1 : 1))) {
    for (let place = 0; place < 4; place++) view.setUint8(at + place, tag.charCodeAt(place));
    entryOf(table).forEach((value, index) => {
      view.setUint32(at + 4 + 4 * index, value);
    });
    at += ENTRY_BYTES;
  }
  return at;
}
