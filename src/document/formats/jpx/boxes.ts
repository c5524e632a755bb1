// Splits a JP2 file into boxes (ISO 15444-1, I.4), including the boxes of its header.

export interface Box {
  readonly kind: string;
  /** Offset of the box in the file. */
  readonly start: number;
  readonly body: Buffer;
}

const MAX_BOXES = 1000;

/** @throws RangeError if a box header is truncated */
export function boxesOf(data: Buffer): Box[] {
  const found: Box[] = [];
  const waiting: [from: number, to: number][] = [[0, data.length]];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [from, to] = next;
    for (let at = from; at + 8 <= to && found.length < MAX_BOXES; ) {
      const short = data.readUInt32BE(at);
      const head = short === 1 ? 16 : 8;
      const size = short === 1 ? Number(data.readBigUInt64BE(at + 8)) : short === 0 ? to - at : short;
      if (size < head) break;
      const kind = data.toString("latin1", at + 4, at + 8);
      const end = Math.min(at + size, to);
      if (kind === "jp2h") waiting.push([at + head, end]);
      else found.push({ kind, start: at, body: data.subarray(at + head, end) });
      at += size;
    }
  }
  return found;
}
