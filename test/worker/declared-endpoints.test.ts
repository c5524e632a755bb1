// Tests declarations of endpoints with more than one document and output files: further files, no input, data as the
// response, and secrets. The operations are declared for the test.
// Contract: docs/api.md#requests, #json-bodies, #idempotency, #deprecation
import { expect, test } from "vitest";
import * as z from "zod";
import { OutOfRange } from "../../src/document/contract/failure.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";
import { defineOperation, type Input } from "../../src/document/contract/operation.ts";
import { optional, parameter } from "../../src/document/contract/parameter.ts";
import { json } from "../../src/document/contract/parameters/json.ts";
import { integer } from "../../src/document/contract/parameters/number.ts";
import { password } from "../../src/document/contract/parameters/text.ts";
import { deserializeForm, serializeForm } from "../../src/service/http/async/deferred-form.ts";
import { sealerOf } from "../../src/service/http/async/sealed-values.ts";
import { orderedFieldsOf } from "../../src/service/http/contract/declaration/field-names.ts";
import { defineEndpoint, type Endpoint } from "../../src/service/http/contract/endpoint.ts";
import type { Form } from "../../src/service/http/contract/form.ts";
import { fingerprintContent } from "../../src/service/http/pipeline/idempotency.ts";
import { handleRequest } from "../../src/service/http/pipeline/pipeline.ts";
import type { Sealer } from "../../src/service/ports/sealer.ts";
import { emptyBucketBeforeEach, keysInBucket } from "./bucket.ts";
import { requestServices } from "./request-services.ts";
import { stamping } from "./stamping-endpoint.ts";

emptyBucketBeforeEach();

const ABOUT = { title: "", group: "Store", variants: ["private"], summary: "" } as const;
const text = (value: unknown) => new TextEncoder().encode(typeof value === "string" ? value : JSON.stringify(value));
const readAll = async (input: Input) => new TextDecoder().decode(await input.bytes());

async function ask(endpoint: Endpoint, body: BodyInit | object, headers: Record<string, string> = {}) {
  const isForm = body instanceof FormData || body instanceof URLSearchParams;
  const init = isForm
    ? { body, headers }
    : { body: JSON.stringify(body), headers: { "Content-Type": "application/json", ...headers } };
  return handleRequest(
    endpoint,
    new Request("https://service/made", { method: "POST", ...init } as RequestInit),
    requestServices(2 * LIMITS.dataBytes),
  );
}
const answerTo = async (...request: Parameters<typeof ask>) =>
  (await (await ask(...request)).json()) as Record<string, unknown>;

function form(fields: Readonly<Record<string, string | File>>): FormData {
  const made = new FormData();
  for (const [name, value] of Object.entries(fields)) made.append(name, value);
  return made;
}
const file = (content: string, name: string) => new File([content], name);

const namingOperation = defineOperation({
  name: "name-inputs",
  parameters: { boxes: optional("", json(z.object({ boxes: z.array(z.string()) }))) },
  async *run(inputs, { boxes }) {
    const told = inputs.map(async (input) => [input.role ?? "document", input.name, await readAll(input)]);
    yield { extension: "json", type: "application/json", body: text({ told: await Promise.all(told), boxes }) };
  },
});
const naming = defineEndpoint({
  ...{ path: "/named", verb: "name", ...ABOUT },
  inputs: {
    file: { kind: "one", description: "any file" },
    image_file: { kind: "one", description: "a text", accepts: (type) => type === "text/plain" },
    file_to_attach: { kind: "one", description: "any file", id: "id_to_attach", role: "attachment", isOptional: true },
  },
  operation: namingOperation,
  output: { kind: "data", type: "application/json", schema: { told: {}, boxes: {} } },
});

test("further files come with their roles, sent or stored, and their ids are told", async () => {
  const sent = { file: file("a", "a.bin"), image_file: file("b", "b.txt"), file_to_attach: file("c", "c.bin") };
  const first = await answerTo(naming, form({ ...sent, boxes: '{"boxes":["trim"]}' }));
  expect(first).toMatchObject({
    told: [
      ["document", "a.bin", "a"],
      ["image", "b.txt", "b"],
      ["attachment", "c.bin", "c"],
    ],
    boxes: { boxes: ["trim"] },
  });
  const [id, imageId, attachedId] = first.inputId as string[];
  const byId = { id, image_id: imageId, id_to_attach: attachedId, boxes: { boxes: ["crop"] } };
  expect(await answerTo(naming, byId)).toEqual({ ...first, boxes: { boxes: ["crop"] } });
  const { told } = await answerTo(naming, { id, image_id: imageId });
  expect(told).toHaveLength(2);
});

test("a list of further files comes in order of arrival, by every spelling", async () => {
  const made = form({ file: file("a", "a.bin"), mark_text: "x" });
  for (const name of ["b", "c"]) made.append("image_files[]", file(name, `${name}.txt`));
  const first = await answerTo(stamping, made);
  const images = [
    ["image", "b.txt", "b"],
    ["image", "c.txt", "c"],
  ];
  expect(first.told).toEqual([["document", "a.bin", "a"], ...images]);
  const [id, b, c] = first.inputId as string[];
  expect((await answerTo(stamping, { id, image_ids: [b, c], mark_text: "x" })).told).toEqual(first.told);
  const mixed = form({ id: id!, mark_text: "x" });
  mixed.append("image_ids[]", c!);
  mixed.append("image_files", file("d", "d.txt"));
  mixed.append("image_ids[]", b!);
  const { told } = await answerTo(stamping, mixed);
  expect((told as string[][]).map(([, name]) => name)).toEqual(["a.bin", "c.txt", "d.txt", "b.txt"]);
  const wrong = form({ id: id!, image_files: file("%PDF-1.7\n", "e.pdf"), mark_text: "x" });
  wrong.append("image_ids", b!);
  await expect(ask(stamping, wrong)).rejects.toMatchObject({ message: expect.stringContaining("number 1 of the 2") });
});

test("the order of a list makes another request, and that of other fields does not", () => {
  const print = (order: string[]) =>
    JSON.stringify(fingerprintContent({ ...secretForm(), order }, { ordered: orderedFieldsOf(stamping) }));
  expect(print(["image_ids", "image_files"])).not.toBe(print(["image_files", "image_ids"]));
  expect(print(["id", "image_ids", "mark_text"])).toBe(print(["mark_text", "image_ids", "id"]));
});

test.each([
  ["neither", {}],
  ["both", { mark_text: "x", mark_id: "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55" }],
])("of a file and a field instead of it, %s is refused", async (_, fields) => {
  const sent = form({ file: file("a", "a"), image_files: file("b", "b.txt"), ...fields });
  const message = "Exactly one of the 'mark_file' and 'mark_text' fields is required.";
  await expect(ask(stamping, sent)).rejects.toMatchObject({ message, status: 400 });
  expect(await keysInBucket()).toEqual([]);
});

test.each([
  ["a file that is missing", { file: file("a", "a") }, "The 'image_file' field is required."],
  [
    "a file and an id",
    { file: file("a", "a"), image_file: file("b", "b.txt"), image_id: "x" },
    "This route will only accept a File or an ID, not both.",
  ],
  [
    "a file of another type",
    { file: file("a", "a"), image_file: file("%PDF-1.7\n", "b.pdf") },
    "Uploaded file is not valid input for this route. b.pdf is a PDF; this endpoint takes a text.",
  ],
  [
    "an id that is unknown",
    { file: file("a", "a"), image_id: "1d0c1f2a5-7d3f-4c39-9d7e-6a0a7f1b0c55" },
    "That file does not exist",
  ],
  [
    "JSON that is none",
    { file: file("a", "a"), image_file: file("b", "b.txt"), boxes: "trim" },
    "trim is not within the acceptable range for boxes. It is not JSON.",
  ],
])("%s is refused, and nothing of it stays", async (_, fields, message) => {
  await expect(ask(naming, form(fields))).rejects.toMatchObject({ message });
  expect(await keysInBucket()).toEqual([]);
});

test("an endpoint without an input makes a file of its fields, with a name of its own", async () => {
  const blank = defineEndpoint({
    ...{ path: "/blank", verb: "blank", ...ABOUT },
    inputs: {},
    operation: defineOperation({
      name: "make-blank",
      parameters: { pageCount: parameter("", integer({ min: 1, max: 9 })) },
      async *run(inputs, { pageCount }) {
        if (pageCount > 5) throw new OutOfRange("pageCount", String(pageCount));
        yield { extension: "txt", type: "text/plain", body: text(`${inputs.length} ${pageCount}`) };
      },
    }),
    output: { kind: "files", naming: "name", type: "text/plain", isOptional: true },
  });
  const answer = await answerTo(blank, new URLSearchParams({ page_count: "3" }));
  expect(answer).not.toHaveProperty("inputId");
  const stored = await requestServices().store.find(String(answer.outputId));
  expect(stored).toMatchObject({ name: "blank.txt", size: 3 });
  const named = await ask(blank, { page_count: 2, output: "mine" }, { Accept: "text/plain" });
  expect([named.headers.get("Content-Disposition"), await named.text()]).toEqual([
    "attachment; filename=mine.txt",
    "0 2",
  ]);
  await expect(ask(blank, {})).rejects.toMatchObject({ message: "The 'page_count' field is required." });
  await expect(ask(blank, { page_count: 6 })).rejects.toMatchObject({ parameter: "page_count", value: "6" });
});

const markdown = defineEndpoint({
  ...{ path: "/markdown", verb: "markdown", ...ABOUT },
  inputs: { file: { kind: "one", description: "any file" } },
  operation: defineOperation({
    name: "make-markdown",
    parameters: { repeats: parameter("", integer({ min: 1, max: 9_999_999 }), "1") },
    async *run([input], { repeats }) {
      const content = await readAll(input!);
      const notices = () => [{ code: "damaged-content-kept", count: 1 }] as const;
      yield { extension: "md", type: "text/markdown", body: text(content.repeat(repeats)), notices };
    },
  }),
  output: { kind: "data", type: "text/markdown", member: "markdown", schema: {}, mayBeFile: true },
});

test("data are a member of the answer, the answer itself, or a file, as the client wishes", async () => {
  const sent = () => form({ file: file("# A", "a.txt") });
  const answer = await answerTo(markdown, sent());
  expect(Object.keys(answer)).toEqual(["markdown", "inputId", "notices"]);
  expect(answer.markdown).toBe("# A");
  expect(await keysInBucket()).toHaveLength(1);
  const plain = await ask(markdown, sent(), { Accept: "text/markdown" });
  expect([plain.headers.get("Content-Type"), await plain.text()]).toEqual(["text/markdown", "# A"]);
  expect(plain.headers.get("Notices")).not.toBeNull();
  // If the response is only data, the input is not stored.
  expect(await keysInBucket()).toHaveLength(1);
  const stored = await answerTo(markdown, { id: answer.inputId, output_type: "file" });
  expect(await requestServices().store.find(String(stored.outputId))).toMatchObject({ name: "a_markdown.md", size: 3 });
});

test("data beyond the limit are refused", async () => {
  const sent = form({ file: file("12345678", "a.txt"), repeats: String(LIMITS.dataBytes / 8 + 1) });
  await expect(ask(markdown, sent)).rejects.toMatchObject({ status: 413 });
  expect(await keysInBucket()).toEqual([]);
});

const locked = defineEndpoint({
  ...{ path: "/locked", verb: "lock", ...ABOUT },
  inputs: {},
  operation: defineOperation({
    name: "lock",
    parameters: { newPassword: parameter("", password({ min: 6, max: 128 })) },
    // biome-ignore lint/correctness/useYield: the operation fails
    async *run(_inputs, { newPassword }) {
      throw new OutOfRange("newPassword", newPassword, "It is a common one.");
    },
  }),
  output: { kind: "files", naming: "name", type: "text/plain", isOptional: true },
});

test("no error repeats a secret", async () => {
  const message = "The value is not within the acceptable range for new_password.";
  await expect(ask(locked, { new_password: "short" })).rejects.toMatchObject({ message });
  const told = { parameter: "new_password", value: "The value", why: "It is a common one." };
  await expect(ask(locked, { new_password: "swordfish" })).rejects.toMatchObject(told);
});

const secretForm = (): Form => ({
  fields: new Map([
    ["new_password", ["swordfish"]],
    ["output", ["a"]],
  ]),
  files: new Map(),
  uploads: requestServices().store.batch("input", requestServices().bufferQuota.openReservation()),
  order: ["new_password", "output"],
  encoding: "multipart",
});
const secrets = new Set(["new_password"]);

test("a secret counts for repetitions by a digest that depends on the key of the request", () => {
  const print = (salt: string) => JSON.stringify(fingerprintContent(secretForm(), { secrets, salt }));
  expect(print("a")).not.toContain("swordfish");
  expect(print("a")).toBe(print("a"));
  expect(print("a")).not.toBe(print("b"));
  const other = { ...secretForm(), fields: new Map([["new_password", ["sailfish"]]]) };
  expect(JSON.stringify(fingerprintContent(other, { secrets, salt: "a" }))).not.toBe(print("a"));
});

test("a form that waits has its secrets encrypted, and opens for its own job alone", async () => {
  const sealer = sealerOf("a secret of the operator");
  const kept = await serializeForm(secretForm(), { marks: {} }, secrets, { id: "1", sealer });
  expect(kept).not.toContain("swordfish");
  expect(kept).not.toContain(Buffer.from("swordfish").toString("base64"));
  const { store } = requestServices();
  const open = (id: string, sealer: Sealer | undefined) =>
    deserializeForm(kept, { store, uploads: secretForm().uploads, id, sealer });
  expect([...(await open("1", sealer)).fields].sort()).toEqual([...secretForm().fields].sort());
  // Another host might have the right secret.
  const others = [open("2", sealer), open("1", sealerOf("another secret")), open("1", undefined)];
  for (const opened of others) await expect(opened).rejects.toMatchObject({ reason: "busy" });
  const refused = {
    message: "The service has no secret to encrypt secret fields with, please ask its operator for one.",
  };
  await expect(
    serializeForm(secretForm(), { marks: {} }, secrets, { id: "1", sealer: undefined }),
  ).rejects.toMatchObject(refused);
  const unsealed = await serializeForm(secretForm(), { marks: {} }, new Set(), { id: "1", sealer: undefined });
  expect(JSON.parse(unsealed)).not.toHaveProperty("sealed");
});

test("spec: a response tells that a field ends, if the client sent the field", async () => {
  const end = { since: "2026-12-31", sunset: "2027-06-30", instead: "Nothing." };
  const boxes = { ...naming.fields.boxes!, deprecated: end };
  const ending = { ...naming, fields: { ...naming.fields, boxes } };
  const sent = { file: file("a", "a.bin"), image_file: file("b", "b.txt") };
  const without = await ask(ending, form(sent));
  expect([without.status, without.headers.get("Deprecation")]).toEqual([200, null]);
  const { status, headers } = await ask(ending, form({ ...sent, boxes: '{"boxes":[]}' }));
  expect([status, headers.get("Deprecation")]).toEqual([200, "@1798675200"]);
  expect(headers.get("Sunset")).toBe("Wed, 30 Jun 2027 00:00:00 GMT");
  expect(headers.get("Link")).toMatch(/\/docs#named>; rel="deprecation"; type="text\/html"$/);
});
