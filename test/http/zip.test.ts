// Tests POST /zip (spec, "POST /zip"): files and IDs in an archive. The operation's own tests check the archives.
// Contract: docs/api.md#zip, #responses
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type FormFields, privateClient, upload } from "../support/client.ts";

const client = privateClient();
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "zip-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const zip = async (fields: FormFields) => {
  const [archive] = await client.make("/zip", { output: "archive", ...fields });
  return archive!;
};
const error = async (fields: FormFields) => {
  const { status, body } = await client.post("/zip", { output: "archive", ...fields });
  return [status, body.error];
};

/** Returns names and contents of an archive, after another program has found no defect in it. */
function unpack(archive: Uint8Array): [string, string][] {
  const path = join(folder, "archive.zip");
  writeFileSync(path, archive);
  const tested = spawnSync("unzip", ["-tq", path], { encoding: "utf8" });
  expect([tested.status, tested.stderr]).toEqual([0, ""]);
  const program = `import json,sys,zipfile
a=zipfile.ZipFile(sys.argv[1]); print(json.dumps([[i.filename, a.read(i).decode("latin1")] for i in a.infolist()]))`;
  return JSON.parse(execFileSync("python3", ["-c", program, path], { encoding: "utf8", maxBuffer: 2 ** 28 }));
}

const store = async (text: string, name: string): Promise<string> => {
  const { body } = await client.post("/zip", { file: upload(text, name), output: "a" });
  return body.inputId![0]!;
};

describe("200", () => {
  test("spec: files and ids of any type, in the order in which they came", async () => {
    const id = await store("stored", "stored.txt");
    const form = new FormData();
    form.append("file", upload("1", "first.txt"));
    form.append("id[]", id);
    form.append("file", upload("\0\xff", "last.bin"));
    form.append("output", "archive");
    const response = await fetch(`${client.url}/zip`, { method: "POST", body: form });
    const answer = (await response.json()) as { outputUrl: string; outputId: string; inputId: string[] };
    expect(response.status).toBe(200);
    expect([typeof answer.outputUrl, typeof answer.outputId, answer.inputId.length]).toEqual(["string", "string", 3]);
    expect(answer.inputId[1]).toBe(id);
    const archive = await fetch(answer.outputUrl);
    expect(archive.headers.get("Content-Type")).toBe("application/zip");
    expect(archive.headers.get("Content-Disposition")).toBe("attachment; filename=archive.zip");
    expect(unpack(await archive.bytes())).toEqual([
      ["first.txt", "1"],
      ["stored.txt", "stored"],
      ["last.bin", Buffer.from("\0\xff").toString("latin1")],
    ]);
  });

  test("spec: one file; its id is in an array", async () => {
    const { body } = await client.post("/zip", { file: upload("x", "a.txt"), output: "a" });
    expect(body.inputId).toHaveLength(1);
  });

  test("spec: outputs of earlier calls", async () => {
    const { body } = await client.post("/html", { content: "<p>", output: "page" });
    const archive = await zip({ "id[]": String(body.outputId) });
    expect(unpack(archive.bytes)).toEqual([["page.html", "<p>"]]);
  });

  test("three parts of the same name are told apart", async () => {
    const archive = await zip({ file: ["1", "2", "3"].map((text) => upload(text, "file.pdf")) });
    expect(unpack(archive.bytes)).toEqual([
      ["file.pdf", "1"],
      ["file (2).pdf", "2"],
      ["file (3).pdf", "3"],
    ]);
  });

  test("names cannot leave the folder, whatever the client calls its files", async () => {
    const names = ["../../etc/passwd", "/root/.ssh/key", "C:\\windows\\win.ini", "日本.txt", "NUL"];
    const archive = await zip({ file: names.map((name) => upload("x", name)) });
    expect(unpack(archive.bytes).map(([name]) => name)).toEqual([...["passwd", "key", "win.ini", "日本.txt", "_NUL"]]);
  });

  test("a JSON body, with one id or several", async () => {
    const ids = [await store("1", "one.txt"), await store("2", "two.txt")];
    for (const [id, expected] of [
      [ids[0], [["one.txt", "1"]]],
      [
        ids.toReversed(),
        [
          ["two.txt", "2"],
          ["one.txt", "1"],
        ],
      ],
    ]) {
      const response = await fetch(`${client.url}/zip`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id, output: "json" }),
      });
      const { outputUrl } = (await response.json()) as { outputUrl: string };
      expect(unpack(await (await fetch(outputUrl)).bytes())).toEqual(expected);
    }
  });

  test("1,000 files", async () => {
    const files = Array.from({ length: 1000 }, (_, index) => upload(`${index}`.repeat(index), `${index}.txt`));
    const archive = await zip({ file: files });
    const unpacked = unpack(archive.bytes);
    expect(unpacked).toHaveLength(1000);
    expect(unpacked[777]).toEqual(["777.txt", "777".repeat(777)]);
  });

  test("a large file between small ones", async () => {
    const large = "The quick brown fox jumps over the lazy dog.\n".repeat(400_000);
    const archive = await zip({ file: [upload("a", "a"), upload(large, "large.txt"), upload("b", "b")] });
    expect(archive.bytes.length).toBeLessThan(large.length / 100);
    expect(unpack(archive.bytes)[1]![1] === large).toBe(true);
  });
});

describe("errors", () => {
  test("spec: 400 for more than one output", async () => {
    expect(await error({ file: upload("x"), output: ["a", "b"] })).toEqual([
      400,
      "Found more than one output key, only one is allowed.",
    ]);
  });

  test("spec: output is required; a file or an id is", async () => {
    const { body } = await client.post("/zip", { file: upload("x") });
    expect(body.error).toBe("The 'output' field is required.");
    expect(await error({})).toEqual([400, "This route needs a File or an ID."]);
    expect(await error({ "id[]": "" })).toEqual([400, "This route needs a File or an ID."]);
  });

  test("400 for more than 1,000 files or ids", async () => {
    const answer = [400, "Too many 'file' or 'id' values."];
    const id = await store("x", "x");
    expect(await error({ "id[]": Array.from({ length: 1001 }, () => id) })).toEqual(answer);
    expect(await error({ file: Array.from({ length: 1001 }, () => upload("x", "x")) })).toEqual(answer);
  });

  test("404 for an unknown id", async () => {
    expect(await error({ "id[]": "1d0c1f2a5-0000-4000-8000-000000000000" })).toEqual([404, "That file does not exist"]);
  });
});
