// Reads compound files ([MS-CFB]): the streams and folders of an OLE file. Each sector counts once, so that a chain
// without end is rejected.

import { EngineFailure } from "../../contract/failure.ts";

const SIGNATURE = "d0cf11e0a1b11ae1";
const HEADER_BYTES = 512;
const ENTRY_BYTES = 128;
/** Numbers of sectors from this one on have a special meaning (2.1). */
const FIRST_SPECIAL = 0xfffffffa;
const NO_STREAM = 0xffffffff;
const FOLDER_TYPES = [1, 5];
const STREAM_TYPE = 2;
/** Sectors of the allocation table that the header lists (2.2). */
const LISTED_SECTORS = 109;

interface Entry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly left: number;
  readonly right: number;
  readonly child: number;
  readonly start: number;
  readonly size: number;
}

const damaged = (detail: string) => new EngineFailure("unsupported", `compound file: ${detail}`);

export class CompoundFile {
  readonly #bytes: Buffer;
  readonly #sectorBytes: number;
  readonly #smallBytes: number;
  readonly #largeFrom: number;
  readonly #table: Uint32Array;
  readonly #smallTable: Uint32Array;
  readonly #entries: readonly Entry[];
  readonly #smallStream: Buffer;

  /** @throws EngineFailure `unsupported` for a file that is damaged or has another format */
  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    if (this.#bytes.length < HEADER_BYTES || this.#bytes.toString("hex", 0, 8) !== SIGNATURE)
      throw damaged("no header");
    const sectorShift = this.#bytes.readUInt16LE(30);
    const smallShift = this.#bytes.readUInt16LE(32);
    if (sectorShift < 7 || sectorShift > 16 || smallShift < 3 || smallShift > sectorShift) throw damaged("sector size");
    this.#sectorBytes = 2 ** sectorShift;
    this.#smallBytes = 2 ** smallShift;
    this.#largeFrom = this.#bytes.readUInt32LE(56);
    this.#table = this.#numbersIn(this.#tableSectors());
    const smallSectors = chainOf(this.#bytes.readUInt32LE(60), this.#table);
    this.#smallTable = this.#numbersIn(smallSectors);
    const directory = this.#joined(chainOf(this.#bytes.readUInt32LE(48), this.#table));
    this.#entries = Array.from({ length: Math.floor(directory.length / ENTRY_BYTES) }, (_, index) =>
      entryAt(directory, index * ENTRY_BYTES),
    );
    const [root] = this.#entries;
    if (!root) throw damaged("no root");
    this.#smallStream = this.#joined(chainOf(root.start, this.#table));
  }

  get root(): Folder {
    return new Folder(
      0,
      (index) => this.#entries[index],
      (entry) => this.#contentOf(entry),
    );
  }

  #contentOf({ start, size }: Entry): Buffer {
    const isSmall = size < this.#largeFrom;
    const chain = chainOf(start, isSmall ? this.#smallTable : this.#table);
    const all = isSmall ? joinedOf(this.#smallStream, chain, this.#smallBytes, 0) : this.#joined(chain);
    return all.subarray(0, size);
  }

  #joined(chain: readonly number[]): Buffer {
    return joinedOf(this.#bytes, chain, this.#sectorBytes, this.#sectorBytes);
  }

  #numbersIn(sectors: readonly number[]): Uint32Array {
    const joined = this.#joined(sectors);
    return Uint32Array.from({ length: Math.floor(joined.length / 4) }, (_, index) => joined.readUInt32LE(4 * index));
  }

  /** Returns the sectors of the allocation table: those in the header, and those in the sectors that continue it. */
  #tableSectors(): number[] {
    const sectors: number[] = [];
    for (let index = 0; index < LISTED_SECTORS; index++) sectors.push(this.#bytes.readUInt32LE(76 + 4 * index));
    const most = Math.ceil(this.#bytes.length / this.#sectorBytes);
    const seen = new Set<number>();
    for (let next = this.#bytes.readUInt32LE(68); next < FIRST_SPECIAL && !seen.has(next) && seen.size < most; ) {
      seen.add(next);
      const list = this.#numbersIn([next]);
      sectors.push(...list.subarray(0, -1));
      next = list.at(-1) ?? NO_STREAM;
    }
    return sectors.filter((sector) => sector < FIRST_SPECIAL);
  }
}

function entryAt(directory: Buffer, at: number): Entry {
  const nameBytes = Math.min(64, directory.readUInt16LE(at + 64));
  const type = directory[at + 66]!;
  return {
    name: directory.toString("utf16le", at, at + Math.max(0, nameBytes - 2)),
    isFolder: FOLDER_TYPES.includes(type),
    left: directory.readUInt32LE(at + 68),
    right: directory.readUInt32LE(at + 72),
    child: directory.readUInt32LE(at + 76),
    start: type === STREAM_TYPE || type === 5 ? directory.readUInt32LE(at + 116) : NO_STREAM,
    size: directory.readUInt32LE(at + 120),
  };
}

/** @throws EngineFailure `unsupported` for a chain that has no end */
function chainOf(start: number, table: Uint32Array): number[] {
  const chain: number[] = [];
  for (let sector = start; sector < FIRST_SPECIAL; sector = table[sector] ?? NO_STREAM) {
    if (chain.length > table.length) throw damaged("a chain without end");
    chain.push(sector);
  }
  return chain;
}

/** Joins sectors. Sectors behind the end of the file are left out. */
function joinedOf(bytes: Buffer, chain: readonly number[], sectorBytes: number, offset: number): Buffer {
  return Buffer.concat(
    chain.map((sector) => bytes.subarray(offset + sector * sectorBytes, offset + (sector + 1) * sectorBytes)),
  );
}

/** A folder ("storage") with its members. */
export class Folder {
  readonly #members = new Map<string, { readonly index: number; readonly entry: Entry }>();
  readonly #entryOf: (index: number) => Entry | undefined;
  readonly #contentOf: (entry: Entry) => Buffer;

  constructor(index: number, entryOf: Folder["entryOf"], contentOf: Folder["contentOf"]) {
    this.#entryOf = entryOf;
    this.#contentOf = contentOf;
    const seen = new Set<number>([index]);
    const open = [entryOf(index)?.child ?? NO_STREAM];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const entry = entryOf(next);
      if (!entry || seen.has(next)) continue;
      seen.add(next);
      this.#members.set(entry.name.toLowerCase(), { index: next, entry });
      open.push(entry.left, entry.right);
    }
  }

  /** @internal */
  get entryOf(): (index: number) => Entry | undefined {
    return this.#entryOf;
  }

  /** @internal */
  get contentOf(): (entry: Entry) => Buffer {
    return this.#contentOf;
  }

  /** Returns the content of a stream; undefined if there is none of this name. */
  stream(name: string): Buffer | undefined {
    const member = this.#members.get(name.toLowerCase());
    return member && !member.entry.isFolder ? this.#contentOf(member.entry) : undefined;
  }

  folder(name: string): Folder | undefined {
    const member = this.#members.get(name.toLowerCase());
    return member?.entry.isFolder ? new Folder(member.index, this.#entryOf, this.#contentOf) : undefined;
  }

  /** Returns the names of the folders within, in the order of their names. */
  folderNames(): readonly string[] {
    return [...this.#members.values()]
      .filter(({ entry }) => entry.isFolder)
      .map(({ entry }) => entry.name)
      .toSorted();
  }
}
