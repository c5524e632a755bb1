// Unpacks archives of Info-ZIP, Python and a program for AES, and archives that are built to be hostile.
// Contract: docs/api.md#unzip
// cspell:ignore AQABAD VAAAAAAA schön pässword Договор отчёт ТЕСТЫ
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { unzipFiles } from "../../../src/operations/unzip-files.ts";
import { bytesOf, CONTEXT, inputOf, reasonOf } from "../../support/operations.ts";

const TEXT = Buffer.from("The quick brown fox jumps over the lazy dog. ".repeat(5000));
const NOISE = Buffer.from(Uint8Array.from({ length: 200_000 }, (_, index) => (index * index * 7) >> 5));

async function unzip(archive: Uint8Array, password?: string): Promise<Record<string, Buffer>> {
  const input = {
    ...inputOf(archive, "a.zip"),
    // Small chunks, whose borders lie within records.
    async *stream() {
      for (let at = 0; at < archive.length; at += 60_001) yield archive.slice(at, at + 60_001);
    },
  };
  const files: Record<string, Buffer> = {};
  for await (const output of unzipFiles.run([input], password === undefined ? {} : { password }, CONTEXT)) {
    files[output.name!] = Buffer.from(await bytesOf(output));
  }
  return files;
}
const outcome = (archive: Uint8Array, password?: string) => reasonOf(() => unzip(archive, password));

/** Returns the archive `a.zip` that commands make in a folder with `text.txt` and `noise.bin`. */
function madeBy(...command: [string, ...string[]]): Buffer {
  const folder = mkdtempSync(join(tmpdir(), "zip-"));
  try {
    writeFileSync(join(folder, "text.txt"), TEXT);
    writeFileSync(join(folder, "noise.bin"), NOISE);
    writeFileSync(join(folder, "empty"), "");
    const [program, ...args] = command;
    const { status, stderr } = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
    return readFileSync(join(folder, "a.zip"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
const ALL = ["text.txt", "noise.bin", "empty"];
const python = (code: string) => madeBy("python3", "-c", `import zipfile, io\n${code}`);

interface Entry {
  readonly name: string | Buffer;
  readonly data?: Buffer;
  readonly localName?: string;
  readonly bytes?: number;
  readonly crc?: number;
  readonly mode?: number;
  readonly extra?: Buffer;
  readonly flags?: number;
  readonly method?: number;
  /** Index of the entry whose data this one shares. */
  readonly at?: number;
}

function le(...fields: readonly (readonly [bytes: number, value: number])[]): Buffer {
  return Buffer.concat(
    fields.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes);
      field.writeUIntLE(value, 0, Math.min(bytes, 6));
      return field;
    }),
  );
}

function archive(entries: readonly Entry[], count = entries.length): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const { name, data = Buffer.from("x"), method = 8, flags = 0, extra = Buffer.alloc(0), ...given } of entries) {
    const packed = method === 8 ? deflateRawSync(data) : data;
    const raw = Buffer.from(name as string);
    const sizes = [
      ...([
        [4, given.crc ?? crc32(data)],
        [4, packed.length],
        [4, given.bytes ?? data.length],
      ] as const),
    ] as const;
    const start = [[2, 20], [2, flags], [2, method], [4, 0], ...sizes] as const;
    const local = Buffer.from(given.localName ?? raw);
    if (given.at === undefined) {
      offsets.push(at);
      const whole = [le([4, 0x04034b50], ...start, [2, local.length], [2, 0]), local, packed];
      parts.push(...whole);
      at += whole.reduce((sum, { length }) => sum + length, 0);
    } else offsets.push(offsets[given.at]!);
    const place = [
      [2, 0],
      [2, 0],
      [2, 0],
      [4, (given.mode ?? 0) * 65_536],
      [4, offsets.at(-1)!],
    ] as const;
    directory.push(le([4, 0x02014b50], [2, 798], ...start, [2, raw.length], [2, extra.length], ...place), raw, extra);
  }
  const records = Buffer.concat(directory);
  const end64 = le(
    [4, 0x06064b50],
    [8, 44],
    [2, 45],
    [2, 45],
    [4, 0],
    [4, 0],
    [8, count],
    [8, count],
    [8, records.length],
    [8, at],
  );
  const locator = le([4, 0x07064b50], [4, 0], [8, at + records.length], [4, 1]);
  const large = count >= 65_535;
  const shown = Math.min(count, 65_535);
  const end = le([4, 0x06054b50], [4, 0], [2, shown], [2, shown], [4, records.length], [4, at], [2, 0]);
  return Buffer.concat([...parts, records, ...(large ? [end64, locator] : []), end]);
}

describe("files have the bytes that other programs packed", () => {
  test.each<[string, Buffer, string?]>([
    ["deflated", madeBy("zip", "-q", "a.zip", ...ALL)],
    ["stored", madeBy("zip", "-q", "-0", "a.zip", ...ALL)],
    ["with data descriptors", madeBy("sh", "-c", `zip -q -fd - ${ALL.join(" ")} | cat > a.zip`)],
    [
      "with Zip64",
      python(`z=zipfile.ZipFile("a.zip","w",8)
for n in ${JSON.stringify(ALL)}:
  with z.open(n,"w",force_zip64=True) as f: f.write(open(n,"rb").read())
z.close()`),
    ],
    ["with ZipCrypto", madeBy("zip", "-q", "-P", "pass", "a.zip", ...ALL), "pass"],
    [
      "with ZipCrypto and data descriptors",
      madeBy("sh", "-c", `zip -q -fd -P pass - ${ALL.join(" ")} | cat > a.zip`),
      "pass",
    ],
    ["with Deflate64", madeBy("7zz", "a", "-tzip", "-mm=Deflate64", "a.zip", ...ALL)],
    [
      "with Deflate64 and AES",
      madeBy("7zz", "a", "-tzip", "-mm=Deflate64", "-mem=AES256", "-ppass", "a.zip", ...ALL),
      "pass",
    ],
    ["behind a program", Buffer.concat([NOISE, madeBy("zip", "-q", "a.zip", ...ALL)])],
    [
      "with a comment",
      python(`z=zipfile.ZipFile("a.zip","w",8)
for n in ${JSON.stringify(ALL)}: z.write(n)
z.comment=b"c"*60000
z.close()`),
    ],
  ])("%s", async (_, bytes, password) => {
    const files = await unzip(bytes, password);
    expect(Object.keys(files).toSorted()).toEqual(ALL.toSorted());
    expect(files["text.txt"]!.equals(TEXT) && files["noise.bin"]!.equals(NOISE)).toBe(true);
    expect(files.empty).toHaveLength(0);
  });
});

describe("AES", () => {
  const PASSWORD = "pässword";
  const tail = (bits: number, version: number) => `secret ${bits} ${version} `.repeat(20);
  test.each([
    [
      128,
      2,
      "UEsDBBQAAQBjAMOiel0AAAAAJgAAAAQBAAAFAAsAYS50eHQBmQcAAgBBRQEIABCOdI6TUGZV54M4Y7kqsSBz0C/2BlIBZq2ns3vebEgO/sie" +
        "A9xSUEsBAhQDFAABAGMAw6J6XQAAAAAmAAAABAEAAAUACwAAAAAAAAAAAIABAAAAAGEudHh0AZkHAAIAQUUBCABQSwUGAAAAAAEAAQA+AAAA" +
        "VAAAAAAA",
    ],
    [
      256,
      1,
      "UEsDBBQAAQBjAMOiel0UbT2GLgAAAAQBAAAFAAsAYS50eHQBmQcAAQBBRQMIABQZ1hJSg7vgcFgTmw89PT9g3laCUfUmEDXJS0esfOfcPNj7" +
        "zHUEbBtXkdF5hxlQSwECFAMUAAEAYwDDonpdFG09hi4AAAAEAQAABQALAAAAAAAAAAAAgAEAAAAAYS50eHQBmQcAAQBBRQMIAFBLBQYAAAAA" +
        "AQABAD4AAABcAAAAAAA=",
    ],
    [
      256,
      2,
      "UEsDBBQAAQBjAMOiel0AAAAALgAAAAQBAAAFAAsAYS50eHQBmQcAAgBBRQMIACKw7Zr65rIZXmc04M6N4tEkiwR4X+KOnVcBzX4KYk0f6bFq" +
        "KQqbo34HAP48pApQSwECFAMUAAEAYwDDonpdAAAAAC4AAAAEAQAABQALAAAAAAAAAAAAgAEAAAAAYS50eHQBmQcAAgBBRQMIAFBLBQYAAAAA" +
        "AQABAD4AAABcAAAAAAA=",
    ],
  ])("of %i bits, version %i, is decrypted, and its code is verified", async (bits, version, base64) => {
    const bytes = Buffer.from(base64, "base64");
    expect(await unzip(bytes, PASSWORD)).toEqual({ "a.txt": Buffer.from(tail(bits, version)) });
    expect(await outcome(bytes)).toBe("password-required");
    expect(await outcome(bytes, "wrong")).toBe("password-protected");
    const changed = Buffer.from(bytes);
    changed[bytes.indexOf("PK\x01\x02") - 1]! ^= 1;
    expect(await outcome(changed, PASSWORD)).toBe("damaged");
  });
});

describe("names", () => {
  const named = async (...entries: Entry[]) => Object.keys(await unzip(archive(entries)));
  const extra = (raw: Buffer, name: string) => {
    const text = Buffer.from(name);
    return Buffer.concat([le([2, 0x7075], [2, text.length + 5], [1, 1], [4, crc32(raw)]), text]);
  };
  const CP437 = Buffer.from("sch\x94n \x9cber.txt", "latin1");
  const SHIFT_JIS = Buffer.from("93fa967b8cea2e747874", "hex");

  test.each<[string, Entry, string]>([
    ["UTF-8, declared", { name: "größe 数.txt", flags: 1 << 11 }, "größe 数.txt"],
    ["UTF-8, undeclared", { name: "größe 数.txt" }, "größe 数.txt"],
    ["an extra field", { name: CP437, extra: extra(CP437, "Ω.txt") }, "Ω.txt"],
    ["an extra field of another name", { name: CP437, extra: extra(Buffer.from("b"), "Ω.txt") }, "schön £ber.txt"],
    ["code page 437", { name: CP437 }, "schön £ber.txt"],
    ["Shift JIS", { name: SHIFT_JIS }, "日本語.txt"],
  ])("in %s", async (_, entry, name) => expect(await named(entry)).toEqual([name]));

  test.each([
    ["gbk", ["合同.pdf", "会议纪要.doc", "A4 报价单 (2).xls"]],
    ["euc-kr", ["보고서.hwp", "계약서 2024.pdf", "사진"]],
    ["shift_jis", ["請求書.pdf", "会議メモ.txt", "東京.jpg", "ﾃｽﾄ.txt"]],
    ["cp866", ["Договор №5.pdf", "отчёт_за_2023.doc", "ТЕСТЫ.XLS"]],
    ["cp437", ["Größe.pdf", "été.doc", "Año.txt", "Åäö.txt", "élève.pdf"]],
  ])("in %s, as Python writes them", async (encoding, names) => {
    const code = "import sys\nfor n in sys.argv[2:]: print(n.encode(sys.argv[1]).hex())";
    const { stdout } = spawnSync("python3", ["-c", code, encoding, ...names], { encoding: "utf8" });
    const raw = stdout.trim().split("\n");
    expect(await named(...raw.map((hex) => ({ name: Buffer.from(hex, "hex") })))).toEqual(names);
  });

  test("cannot lead to another folder, and equal names get numbers", async () => {
    const names = ["../../etc/passwd", "/abs/a.txt", "b/a.txt", "C:\\x\\A.TXT", "..", "con.txt", "a\0b"];
    expect(await named(...names.map((name) => ({ name })))).toEqual([
      ...["passwd", "a.txt", "a (2).txt", "A (3).TXT", "file", "_con.txt", "ab"],
    ]);
  });

  test("of folders and symbolic links are left out", async () => {
    const link = { name: "link", data: Buffer.from("/etc/passwd"), mode: 0o120777 };
    expect(await named({ name: "f/", data: Buffer.alloc(0), method: 0 }, link, { name: "f/a" })).toEqual(["a"]);
    expect(await outcome(archive([link]))).toBe("damaged");
    for await (const output of unzipFiles.run([inputOf(archive([link, { name: "a" }]), "a.zip")], {}, CONTEXT)) {
      expect(output.notices!()).toEqual([{ code: "links-left-out", count: 1, subjects: [{ name: "link" }] }]);
      await bytesOf(output);
    }
  });
});

describe("hostile archives", () => {
  test.each<[string, () => Buffer, string]>([
    ["a large ratio", () => archive([{ name: "a", bytes: 2 ** 32 - 2 }]), "too-complex"],
    ["more bytes than stated", () => archive([{ name: "a", data: TEXT, bytes: 9 }]), "damaged"],
    ["fewer bytes than stated", () => archive([{ name: "a", data: TEXT, bytes: 2 ** 20 }]), "damaged"],
    ["a wrong checksum", () => archive([{ name: "a", crc: 1 }]), "damaged"],
    [
      "entries that share data",
      () =>
        archive([
          { name: "a", data: TEXT },
          { name: "b", data: TEXT, at: 0 },
        ]),
      "damaged",
    ],
    ["another name in the local header", () => archive([{ name: "a.txt", localName: "a.exe" }]), "damaged"],
    ["a wrong number of entries", () => archive([{ name: "a" }], 2), "damaged"],
    [
      "100,000 entries",
      () => archive(Array.from({ length: 100_000 }, () => ({ name: "a", method: 0 }))),
      "too-complex",
    ],
    ["no entries", () => archive([]), "damaged"],
    ["another compression", () => archive([{ name: "a", method: 12 }]), "unsupported"],
    ["no end", () => archive([{ name: "a", data: TEXT }]).subarray(0, -30), "damaged"],
    ["a cut start", () => archive([{ name: "a", data: TEXT }]).subarray(20), "damaged"],
    ["noise", () => NOISE, "damaged"],
    ["nothing", () => Buffer.alloc(0), "damaged"],
  ])("%s", async (_, bytes, reason) => expect(await outcome(bytes())).toBe(reason));

  test("every single wrong byte of Deflate64 has an answer", async () => {
    const [data, text] = [madeBy("7zz", "a", "-tzip", "-mm=Deflate64", "a.zip", "text.txt"), "text.txt"];
    const end = data.indexOf("PK\x01\x02");
    for (let at = 30 + text.length; at < end; at++) {
      const changed = Buffer.from(data);
      changed[at]! ^= 0xff;
      expect(await outcome(changed)).toBe("damaged");
    }
  });

  test("an archive in an archive stays an archive", async () => {
    const inner = archive([{ name: "inner", data: TEXT }]);
    expect((await unzip(archive([{ name: "a.zip", data: inner }])))["a.zip"]!.equals(inner)).toBe(true);
  });

  test("every single wrong byte of an archive has an answer", async () => {
    const bytes = archive([{ name: "a.txt", data: Buffer.from("Hello, hello, hello") }, { name: "b" }]);
    const reasons = new Set<string>();
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 0xff;
      reasons.add(await outcome(changed));
    }
    const known = ["none", "damaged", "too-complex", "unsupported", "password-required"];
    expect([...reasons].filter((reason) => !known.includes(reason))).toEqual([]);
  });
});
