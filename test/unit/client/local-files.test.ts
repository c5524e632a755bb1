// Tests the tools of `pagewright mcp` for local files: they access only files below the root, and replace files only on
// request.
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { LOCAL_TOOLS, saveFile, uploadFile } from "../../../client/mcp/local-files.ts";
import { Pagewright } from "../../../client/node.ts";

const ID = "1f7b7c0de-0c2f-4f0e-8c62-0a2b9a9a3d11";
const base = realpathSync(mkdtempSync(join(tmpdir(), "local-files-")));
const root = join(base, "root");
/** Number of requests that reached the service. */
let sent = 0;
const pw = new Pagewright({
  baseUrl: "http://service.test",
  async fetch(url, { method }) {
    sent++;
    if (method === "POST") return Response.json({ files: [{ name: "a.txt", id: ID }] });
    if (url.endsWith("format=info")) return Response.json({ id: ID, name: "a.txt" });
    return new Response("new", { headers: { "Content-Disposition": 'attachment; filename="a.txt"' } });
  },
});
const call = { pw, root, signal: new AbortController().signal };

const door = createServer();
beforeAll(async () => {
  mkdirSync(join(root, "inner"), { recursive: true });
  mkdirSync(join(base, "root-beside"));
  for (const path of ["root/a.txt", "secret.txt", "root-beside/b.txt"]) writeFileSync(join(base, path), "old");
  symlinkSync(join(base, "secret.txt"), join(root, "link.txt"));
  symlinkSync(base, join(root, "up"));
  symlinkSync(join(base, "nothing.txt"), join(root, "dangling"));
  for (const folder of [".git/hooks", "inner/.secrets"]) mkdirSync(join(root, folder), { recursive: true });
  for (const path of [".env", ".git/config", "inner/.secrets/key.pem"]) writeFileSync(join(root, path), "old");
  symlinkSync(join(root, ".env"), join(root, "plain.txt"));
  await once(door.listen(join(root, "socket")), "listening");
});
afterAll(() => {
  door.close();
  rmSync(base, { recursive: true, force: true });
});

const OUTSIDE = [
  "/etc/passwd",
  "../secret.txt",
  "inner/../../secret.txt",
  "link.txt",
  "up/secret.txt",
  join(base, "root-beside/b.txt"),
];

/** Files that other programs run or read, or that contain secrets. */
const HIDDEN = [".env", ".git/config", "inner/.secrets/key.pem", "inner/../.env", "plain.txt"];

describe("upload_file", () => {
  test.each([...HIDDEN, "socket", "inner"])("does not read %s", async (path) => {
    const before = sent;
    await expect(uploadFile({ path }, call)).rejects.toThrow(/is hidden|is not a file/);
    expect(sent).toBe(before);
  });

  test("tells the id", async () => {
    for (const path of ["a.txt", "inner/../a.txt", join(root, "a.txt")]) {
      const { structuredContent } = await uploadFile({ path }, call);
      expect(structuredContent).toEqual({ id: ID, name: "a.txt" });
    }
  });

  test.each([...OUTSIDE, "dangling"])("does not read %s", async (path) => {
    const before = sent;
    await expect(uploadFile({ path }, call)).rejects.toThrow(/is not below .*--root|does not exist/);
    expect(sent).toBe(before);
  });
});

describe("save_file", () => {
  test.each([...HIDDEN, ".git/hooks/post-checkout", ".new/a.txt", ".npmrc", ".git/"])(
    "does not write %s",
    async (path) => {
      await expect(saveFile({ file: ID, path, replace: true }, call)).rejects.toThrow("is hidden");
      expect(readFileSync(join(root, ".env"), "utf8")).toBe("old");
    },
  );

  test("takes no hidden name from the service", async () => {
    const named = (name: string) =>
      new Pagewright({
        baseUrl: "http://service.test",
        fetch: async (url) =>
          url.endsWith("format=info") ? Response.json({ id: ID, name }) : new Response("new", { status: 200 }),
      });
    await expect(saveFile({ file: ID, path: "inner/" }, { ...call, pw: named(".bashrc") })).rejects.toThrow(
      "is hidden",
    );
    await expect(saveFile({ file: ID, path: "inner/" }, { ...call, pw: named("..") })).rejects.toThrow(
      "already exists",
    );
  });

  test.each([...OUTSIDE, "up/", "up/new.txt", "../new.txt", "dangling"])("does not write %s", async (path) => {
    const saving = saveFile({ file: ID, path, replace: true }, call);
    await expect(saving).rejects.toThrow(/is not below|does not exist/);
    expect(readFileSync(join(base, "secret.txt"), "utf8")).toBe("old");
  });

  test("saves, and replaces if that is asked for", async () => {
    const { structuredContent } = await saveFile({ file: ID, path: "inner/deep/new.txt" }, call);
    expect(structuredContent).toEqual({ path: join(root, "inner/deep/new.txt") });
    for (const path of ["a.txt", "./", "inner/.."]) {
      await expect(saveFile({ file: ID, path }, call)).rejects.toThrow("already exists");
    }
    await expect(saveFile({ file: ID, path: "a.txt", replace: "yes" }, call)).rejects.toThrow("true or false");
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("old");
    await saveFile({ file: ID, path: "a.txt", replace: true }, call);
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe("new");
  });

  test("is announced as one that may destroy", () => {
    expect(LOCAL_TOOLS.find(({ name }) => name === "save_file")!.annotations!.destructiveHint).toBe(true);
  });
});
