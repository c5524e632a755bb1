// Searches a PDF for a secret as an attacker would: with poppler, mupdf and qpdf, and in the bytes of the file.
import { Buffer } from "node:buffer";
import { execFileSync } from "node:child_process";
import { inflateSync, constants as zlib } from "node:zlib";
import { withFile } from "../pdf-readers.ts";

const MAX_BUFFER = 2 ** 28;
/** Characters that may come between two characters of a secret. */
const GAP = "[\\s\\p{P}\\p{S}\\p{Cf}\\p{M}]{0,4}";

/** Characters without a width, which can stand between all letters. */
const UNSEEN = /[\u00ad\u200b]/g;

/** Returns an expression that finds the secret in any layout. */
function patternOf(needle: string): RegExp {
  const letters = [...needle.normalize("NFKC")].filter((char) => /[\p{L}\p{N}]/u.test(char));
  return new RegExp(letters.join(GAP), "iu");
}

const run = (program: string, args: readonly string[]): Buffer => {
  try {
    return execFileSync(program, args, { maxBuffer: MAX_BUFFER, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    return (error as { stdout?: Buffer }).stdout ?? Buffer.alloc(0);
  }
};

/** Yields the views in which the secret is found. Texts are also searched backwards. */
export function* leaksOf(pdf: Uint8Array, needle: string): Generator<string> {
  const pattern = patternOf(needle);
  for (const [view, text] of readingsOf(Buffer.from(pdf))) {
    if (pattern.test(text.normalize("NFKC").replaceAll(UNSEEN, ""))) yield view;
  }
}

function* readingsOf(pdf: Buffer): Generator<[view: string, text: string]> {
  for (const [view, text] of viewsOf(pdf)) yield [`file ${view}`, text];
  for (const part of inflatedParts(pdf)) for (const [view, text] of viewsOf(part)) yield [`stream ${view}`, text];
  const on = (program: string, ...args: readonly string[]) =>
    withFile(pdf, (path) => run(program, [...args, path, "-"]));
  for (const options of [[], ["-raw"], ["-layout"]]) {
    const text = on("pdftotext", ...options).toString();
    yield [`pdftotext ${options}`, text];
    yield [`pdftotext ${options}, joined`, text.replaceAll(/\s/g, "")];
    yield [`pdftotext ${options}, backwards`, [...text].reverse().join("")];
  }
  const drawn = withFile(pdf, (path) => run("mutool", ["draw", "-q", "-F", "txt", "-o", "-", path])).toString();
  yield ["mutool", drawn];
  yield ["mutool, backwards", [...drawn].reverse().join("")];
  const options = ["--qdf", "--object-streams=disable", "--decrypt", "--decode-level=specialized", "--warning-exit-0"];
  for (const [view, text] of viewsOf(on("qpdf", ...options))) yield [`qpdf ${view}`, text];
}

/** Readings of bytes that contain PDF syntax, or anything else. */
function* viewsOf(bytes: Buffer): Generator<[string, string]> {
  const text = bytes.toString("latin1");
  yield ["bytes", text.replaceAll("\0", "")];
  yield ["as UTF-8", bytes.toString("utf8")];
  for (const start of [0, 1]) {
    const even = bytes.subarray(start, bytes.length - ((bytes.length - start) % 2));
    yield ["as UTF-16", even.toString("utf16le")];
    yield ["as big-endian UTF-16", Buffer.from(even).swap16().toString("utf16le")];
  }
  yield [
    "names",
    Buffer.from(
      text.replaceAll(/#([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16))),
      "latin1",
    ).toString(),
  ];
  yield ["entities", text.replaceAll(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(parseInt(code, 16)))];
  yield ["addresses", text.replaceAll(/%([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(parseInt(code, 16)))];
  const strings = [...stringsOf(text)];
  yield* ofStrings(Buffer.concat(strings));
}

function* ofStrings(joined: Buffer): Generator<[string, string]> {
  yield ["strings", joined.toString("latin1").replaceAll(/[\0þÿ]/g, "")];
  yield ["strings without tags", joined.toString("latin1").replaceAll(/<[^<>]*>|[\0þÿ]/g, "")];
  yield ["strings in UTF-8", joined.toString("utf8")];
  yield [
    "strings with entities",
    joined
      .toString("latin1")
      .replaceAll("\0", "")
      .replaceAll(/&#x([0-9a-f]+);/gi, (_, code) => String.fromCodePoint(parseInt(code, 16))),
  ];
  for (const start of [0, 1]) {
    const even = joined.subarray(start, joined.length - ((joined.length - start) % 2));
    yield ["strings in UTF-16", even.toString("utf16le")];
    yield ["strings in big-endian UTF-16", Buffer.from(even).swap16().toString("utf16le")];
  }
}

const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f" };

/** Returns what the strings of PDF syntax contain, in order. */
function* stringsOf(text: string): Generator<Buffer> {
  for (const [token, literal] of text.matchAll(/\(((?:\\[\s\S]|[^\\()]){0,5000})\)|<[0-9a-f\s]{2,9000}>/gi)) {
    if (literal === undefined) {
      yield Buffer.from(token.replaceAll(/[<>\s]/g, ""), "hex");
      continue;
    }
    const plain = literal.replaceAll(/\\([0-7]{1,3}|\r?\n|[\s\S])/g, (_, code: string) =>
      /^[0-7]/.test(code)
        ? String.fromCharCode(parseInt(code, 8) & 255)
        : /^\s/.test(code)
          ? ""
          : (ESCAPES[code] ?? code),
    );
    yield Buffer.from(plain, "latin1");
  }
}

/** Returns each part of a file that zlib can inflate, also parts that no object owns. */
function* inflatedParts(bytes: Buffer): Generator<Buffer> {
  for (let at = bytes.indexOf("stream"); at !== -1; at = bytes.indexOf("stream", at + 6)) {
    const start = bytes[at + 6] === 13 ? at + 8 : at + 7;
    if ((bytes[start]! & 15) !== 8) continue;
    try {
      yield inflateSync(bytes.subarray(start), { finishFlush: zlib.Z_SYNC_FLUSH });
    } catch {}
  }
}
