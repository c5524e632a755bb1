// Tests the passwords of inputs, on the endpoints that change the encryption and on others; `http/endpoints` opens a
// protected document with each endpoint. The operations' own tests check the outputs.
// Contract: docs/api.md#password-protected-inputs, #encrypted-pdf, #decrypted-pdf, #restricted-pdf, #unrestricted-pdf
import { beforeAll, describe, expect, test } from "vitest";
import { encrypted, textPdf } from "../fixtures/pdfs.ts";
import { createClient, type FormFields, privateClient, upload } from "../support/client.ts";
import { infoOf, pageTexts } from "../support/pdf-readers.ts";

const client = privateClient();
const OPEN = "opens it";
const OWNER = "owns it";
const NEEDED = "A password is required to process the document.";
const LOCKED = "The input file is password protected and cannot be processed.";
const WRONG_OWNER = "Cannot process the given input file without the correct permissions password.";
const TOO_SHORT = "The given new password is too short.";
let plain: File;
let locked: File;
let restricted: File;

beforeAll(async () => {
  plain = upload(await textPdf(2), "a.pdf");
  locked = upload(encrypted(await textPdf(2), OPEN, OWNER), "a.pdf");
  restricted = upload(encrypted(await textPdf(2), "", OWNER), "a.pdf");
});

describe("the four endpoints", () => {
  test("make a document that opens with the password, and one that opens without", async () => {
    const [made] = await client.make("/encrypted-pdf", { file: plain, new_open_password: OPEN });
    expect(made!.name).toContain("a_encrypted-pdf.pdf");
    expect(() => infoOf(made!.bytes)).toThrow();
    const [back] = await client.make("/decrypted-pdf", { id: made!.id, current_open_password: OPEN, output: "b" });
    expect([back!.name, pageTexts(back!.bytes).length]).toEqual([expect.stringContaining("b.pdf"), 2]);
  });

  test("restrict a document, and lift the restrictions; lists have three spellings", async () => {
    for (const field of ["restrictions[]", "restrictions", "restrictions[0]"]) {
      const fields = { file: plain, new_permissions_password: OWNER, [field]: "copy_content" };
      const [made] = await client.make("/restricted-pdf", fields);
      expect(infoOf(made!.bytes).Encrypted).toBe("yes (print:yes copy:no change:yes addNotes:yes algorithm:AES-256)");
      const lifted = { id: made!.id, current_permissions_password: OWNER };
      expect(infoOf((await client.make("/unrestricted-pdf", lifted))[0]!.bytes).Encrypted).toBe("no");
    }
  });

  test.each<[string, () => FormFields, number, string]>([
    ["/encrypted-pdf", () => ({ file: plain }), 400, "The 'new_open_password' field is required."],
    ["/encrypted-pdf", () => ({ file: plain, new_open_password: "12345" }), 400, TOO_SHORT],
    ["/encrypted-pdf", () => ({ file: locked, new_open_password: "123456" }), 400, NEEDED],
    [
      "/encrypted-pdf",
      () => ({ file: locked, new_open_password: "123456", current_open_password: "wrong" }),
      ...([401, LOCKED] as const),
    ],
    ["/encrypted-pdf", () => ({ file: restricted, new_open_password: "123456" }), 401, WRONG_OWNER],
    [
      "/encrypted-pdf",
      () => ({ file: plain, new_open_password: "x".repeat(129) }),
      ...([400, "The value is not within the acceptable range for new_open_password."] as const),
    ],
    ["/decrypted-pdf", () => ({ file: locked }), 400, "The 'current_open_password' field is required."],
    ["/decrypted-pdf", () => ({ file: locked, current_open_password: "wrong" }), 401, LOCKED],
    ["/restricted-pdf", () => ({ file: plain }), 400, "The 'new_permissions_password' field is required."],
    ["/restricted-pdf", () => ({ file: plain, new_permissions_password: "12345" }), 400, TOO_SHORT],
    [
      "/restricted-pdf",
      () => ({ file: plain, new_permissions_password: "123456", "restrictions[]": "print" }),
      ...([400, "print is not within the acceptable range for restrictions[]."] as const),
    ],
    [
      "/restricted-pdf",
      () => ({
        ...{ file: locked, new_permissions_password: OPEN },
        ...{ current_open_password: OPEN, current_permissions_password: OWNER },
      }),
      ...([
        400,
        "The value is not within the acceptable range for new_permissions_password. It is the open password.",
      ] as const),
    ],
    [
      "/unrestricted-pdf",
      () => ({ file: restricted }),
      ...([400, "The 'current_permissions_password' field is required."] as const),
    ],
    ["/unrestricted-pdf", () => ({ file: restricted, current_permissions_password: "x" }), 401, WRONG_OWNER],
  ])("%s answers an error %#", async (path, fields, status, error) => {
    const answer = await client.post(path, fields());
    expect([answer.status, answer.body]).toEqual([status, { error }]);
  });
});

test("a password can consist of spaces, whose number counts", async () => {
  const spaced = upload(encrypted(await textPdf(2), "  ", OWNER), "a.pdf");
  const status = async (password: string, headers = {}) => {
    const body = new FormData();
    body.append("file", spaced);
    body.append("current_open_password", password);
    return (await fetch(`${client.url}/decrypted-pdf`, { method: "POST", headers, body })).status;
  };
  const once = { "Idempotency-Key": crypto.randomUUID() };
  expect(await status("  ", once)).toBe(200);
  expect(await status(" ", once)).toBe(422);
  expect(await status(" ")).toBe(401);
});

describe("the other endpoints", () => {
  test("open their input with either password, and no wrong one", async () => {
    const status = async (passwords: Record<string, string>) =>
      (await client.post("/split-pdf", { file: locked, output: "a", ...passwords })).status;
    expect(await status({})).toBe(401);
    expect(await status({ current_open_password: "wrong" })).toBe(401);
    expect(await status({ current_open_password: OPEN })).toBe(200);
    expect(await status({ current_open_password: OWNER })).toBe(200);
  });

  test("say that the protection by the permissions password is lost, unless it was sent", async () => {
    const notices = async (path: string, current_open_password: string) =>
      (await client.post(path, { file: locked, output: "a", resolution: "12", current_open_password })).body.notices;
    expect(await notices("/split-pdf", OPEN)).toEqual(["protection by an owner password was removed"]);
    expect(await notices("/split-pdf", OWNER)).toBeUndefined();
    expect(await notices("/png", OPEN)).toBeUndefined();
  });

  test("image endpoints know it as password, too", async () => {
    const made = await client.make("/png", { file: locked, output: "a", password: OPEN, resolution: "12" });
    expect(made).toHaveLength(2);
    expect((await client.post("/png", { file: locked, output: "a", password: "wrong" })).status).toBe(401);
    const both = { file: locked, output: "a", password: OPEN, current_open_password: "wrong" };
    expect((await client.post("/png", both)).status).toBe(400);
  });

  test("a merge tries it on each input that needs one", async () => {
    const fields = { file: [locked, plain], "type[]": ["file", "file"], "pages[]": ["all", "1"], output: "a" };
    const [made] = await client.make("/merged-pdf", { ...fields, current_open_password: OPEN });
    expect(pageTexts(made!.bytes)).toHaveLength(3);
    const { status, body } = await client.post("/merged-pdf", fields);
    const error = `${LOCKED} a.pdf, number 1 of the 2 inputs, needs a password.`;
    expect([status, body.error]).toEqual([401, error]);
    const wrong = await client.post("/merged-pdf", { ...fields, current_open_password: "wrong" });
    expect([wrong.status, wrong.body.error]).toEqual([401, error]);
  });

  test("/pdf-info answers about the protected document itself", async () => {
    const queries = "requires_password_to_open,page_count,restrict_permissions_set";
    const { body } = await client.post("/pdf-info", { file: locked, queries, current_open_password: OPEN });
    expect(body).toMatchObject({ requires_password_to_open: true, page_count: 2, allQueriesProcessed: true });
  });

  test("a JSON body can have it", async () => {
    const { body } = await createClient(client.url).post("/zip", { file: locked, output: "a" });
    const response = await fetch(`${client.url}/png`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ id: [body.inputId].flat()[0], pages: [1], current_open_password: OPEN }),
    });
    expect(response.status).toBe(200);
  });
});
