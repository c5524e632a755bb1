// Tests the rules that apply to all endpoints, with the list of operations that the service itself returns. An
// endpoint's own test file tests only its special properties.
// Contract: docs/api.md#requests, #page-selections, #responses, #file-responses, #inputs-by-url, #idempotency, #asynchronous-jobs, #keys
import { rootCertificates } from "node:tls";
import { zipSync } from "fflate";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { passwordProtected } from "../../src/service/http/contract/errors.ts";
import type { ListedOperation, OperationList } from "../../src/service/http/contract/operation-list.ts";
import { errorAnchor } from "../../src/service/http/responses/help.ts";
import { invoiceXml } from "../fixtures/invoices.ts";
import { encrypted, fieldPdf } from "../fixtures/pdfs.ts";
import { renamedFont } from "../fixtures/renamed-fonts.ts";
import { beginning } from "../support/beginning.ts";
import { createClient, type FormFields, keyedClient, upload } from "../support/client.ts";
import { eventually } from "../support/eventually.ts";
import {
  EXAMPLE_IMAGE,
  EXAMPLE_PAGES,
  exampleData,
  exampleFields,
  exampleFiles,
  exampleFormat,
} from "../support/examples.ts";
import { infoOf } from "../support/pdf-readers.ts";

const DAMAGED = "The input file is damaged or is not a PDF.";
const PNG_1X1 = Buffer.from(EXAMPLE_IMAGE.base64, "base64");

const { keyed, private: open } = inject("services");
const client = keyedClient();
const list = (await (await fetch(`${keyed.url}/operations.json`)).json()) as OperationList;
const operations = list.operations.map((operation) => [operation.path, operation] as const);
const opensPdfs = operations.filter(([, { input }]) => input.accepts === "pdf" && input.kind !== "none");
const PASSWORD_ERROR = errorAnchor(passwordProtected().template);
const needsPassword = opensPdfs.filter(([, { fileErrors }]) => fileErrors.includes(PASSWORD_ERROR));
const opensLocked = opensPdfs.filter((one) => !needsPassword.includes(one));
const takesOne = operations.filter(([, { input }]) => input.kind === "one");
const takesFiles = operations.filter(([, { input }]) => ["one", "several"].includes(input.kind));
const makesFiles = operations.filter(([, { output }]) => !output.data);
const furtherFiles = operations.flatMap(([path, operation]) =>
  operation.files.map((file) => [path, file.name, operation, file] as const),
);
const parameters = operations.flatMap(([path, operation]) =>
  operation.parameters.map((parameter) => [path, parameter.name, operation, parameter] as const),
);

let pdf: Uint8Array;
/** The document, with the user password "opens". */
let locked: Uint8Array;
const font = await renamedFont("Regular", "Giraffe");
beforeAll(async () => {
  pdf = await fieldPdf(1, [300, 200]);
  locked = encrypted(pdf, "opens", "owns");
});

const nameOf = ({ name, list: isList }: ListedOperation["parameters"][0]) => (isList ? `${name}[]` : name);

/**
 * Returns a further file that an operation accepts: the example of the JSON that it replaces, a PDF, or a file with the
 * type of the parameter's example.
 */
function sampleOf({ example, parameters }: ListedOperation, { name, accepts, insteadOf }: ListedOperation["files"][0]) {
  if (name === "font_files") return upload(font, "a.ttf");
  if (name === "certificates_file") return upload(rootCertificates[0]!, "authority.pem");
  if (name === "job_options") return upload("<< /Binding /Left >> setdistillerparams", "press.joboptions");
  const replaced = parameters.find((parameter) => parameter.name === insteadOf);
  if (replaced?.content) return upload(String(example[replaced.name]), "data.json");
  const fileName = [example[name] ?? (accepts === "pdf" ? "mark.pdf" : "dot.png")].flat().map(String)[0]!;
  return upload(fileName.endsWith(".pdf") ? pdf : fileName.endsWith(".png") ? PNG_1X1 : "text", fileName);
}

/** Documents for operations that do not accept PDFs, by the format of their example. HTML converts faster than DOCX. */
const OTHER_DOCUMENTS = {
  docx: upload("<!doctype html><p>Hello", "a.html"),
  zip: upload(zipSync({ "made.bin": Buffer.from("Contents") }), "a.zip"),
  xml: upload(invoiceXml("xrechnung"), "a.xml"),
};

/** Values that a further file needs, by path. */
const NEEDED_FIELDS: Readonly<Record<string, FormFields>> = { "/pdfa": { output_type: "PDF/A-3b" } };

/** Returns the fields of a successful request with the given document. */
function fieldsFor(operation: ListedOperation, document: FormFields = { file: upload(pdf) }): FormFields {
  const { input, files, example } = operation;
  const fields: Record<string, FormFields[string]> = { output: "made", ...exampleFields(operation) };
  // The document has one page.
  if ("pages[]" in fields) fields["pages[]"] = ["1"];
  for (const parameter of operation.parameters) if (parameter.perInput) fields[nameOf(parameter)] = "1";
  if (input.orderedBy) fields[`${input.orderedBy}[]`] = (Object.keys(document)[0] ?? "file").replace("[]", "");
  if (input.kind === "text") return { ...fields, [input.field!]: "<p>Hello" };
  for (const file of files) {
    delete fields[file.name];
    if (file.required || example[file.name] !== undefined) fields[file.name] = sampleOf(operation, file);
  }
  if (input.kind === "none") return fields;
  const format = exampleFormat(operation);
  return { ...fields, ...("file" in document && format !== "pdf" ? { file: OTHER_DOCUMENTS[format] } : document) };
}

async function error(operation: ListedOperation, fields: FormFields) {
  const { status, body } = await client.post(operation.path, fields);
  return [status, body.error];
}

async function send(
  operation: ListedOperation,
  headers: Record<string, string>,
  { to = keyed.url, fields = fieldsFor(operation) } = {},
) {
  const form = new FormData();
  for (const [name, given] of Object.entries(fields)) for (const value of [given].flat()) form.append(name, value);
  return fetch(to + operation.path, { method: "POST", body: form, headers: { "Api-Key": keyed.key, ...headers } });
}

test("the list has every POST that runs an operation", async () => {
  const { paths } = (await (await fetch(`${keyed.url}/openapi.json`)).json()) as {
    paths: Record<string, { post?: { requestBody?: { content?: Record<string, unknown> } } }>;
  };
  const posts = Object.keys(paths).filter((path) => paths[path]!.post && !/upload|delete|\/mcp|\{/.test(path));
  expect(list.operations.map(({ path }) => path).toSorted()).toEqual(posts.toSorted());
});

describe.each(operations)("%s", (path, operation) => {
  test("401 without a key", async () => {
    const { status, body } = await createClient(keyed.url).post(path, fieldsFor(operation));
    expect([status, body.error]).toEqual([401, "An Api-Key header is required to send this request."]);
  });

  test.each(operation.variants)(
    "its example succeeds, and runs later, once for one Idempotency-Key, with the same response: %s",
    async (variant) => {
      const to = inject("services")[variant].url;
      const { data, type } = operation.output;
      const file = upload(data ? await fieldPdf(EXAMPLE_PAGES) : pdf);
      const further = data ? exampleFiles(operation, upload(PNG_1X1, "dot.png"), file) : {};
      const example = { to, fields: fieldsFor(operation, { file, ...further }) };
      const headers = { Prefer: "respond-async", "Idempotency-Key": crypto.randomUUID() };
      const [first, second] = [await send(operation, headers, example), await send(operation, headers, example)];
      expect([first.status, second.status]).toEqual([202, 202]);
      const ids = await Promise.all(
        [first, second].map(async (response) => ((await response.json()) as { requestId: string }).requestId),
      );
      expect(ids[1]).toBe(ids[0]);
      expect(second.headers.get("Idempotent-Replayed")).toBe("true");
      const response = await send(operation, {}, example);
      const atOnce = (await response.json()) as Record<string, unknown>;
      expect([response.status, atOnce.error]).toEqual([200, undefined]);
      const inputId = Object.keys(further).length > 0 ? [expect.any(String), expect.any(String)] : expect.any(String);
      if (data) expect(atOnce).toEqual({ ...exampleData(operation), inputId });
      else {
        const made = await fetch(`${to}/resource/${[atOnce.outputId].flat()[0]}?format=file`);
        expect(made.headers.get("Content-Type")).toContain(type);
        await made.body?.cancel();
      }
      const {
        status,
        requestId: _,
        ...later
      } = await eventually(async () => {
        const asked = await fetch(`${to}/request-status/${ids[0]}`, { headers: { "Api-Key": keyed.key } });
        const answer = (await asked.json()) as Record<string, unknown>;
        expect(answer.status).not.toBe("pending");
        return answer;
      });
      expect({ status, ...later }).toMatchObject({ status: "completed" });
      expect(Object.keys(later)).toEqual(Object.keys(atOnce));
      // Encryption is random, so the number of escaped characters varies; edge and container compress differently.
      const [size, expected] = [later.outputSize, atOnce.outputSize].map((one) => Number(one ?? 0));
      expect(Math.abs(size! - expected!)).toBeLessThanOrEqual(50 + expected! / 20);
      for (const id of [later.outputId ?? [], later.inputId ?? []].flat()) {
        expect((await fetch(`${to}/resource/${id}?format=info`)).status).toBe(200);
      }
    },
  );
});

test.each(operations.filter(([, { variants }]) => !variants.includes("private")))(
  "belongs to its variants only: %s",
  async (path, operation) => {
    const response = await send(operation, {}, { to: open.url });
    const { error } = (await response.json()) as { error: string };
    expect([response.status, error]).toEqual([
      ...[404, `There is no such endpoint. ${path} belongs to the keyed variant.`],
    ]);
  },
);

describe.each(makesFiles)("%s as a file", (_, operation) => {
  const { type } = operation.output;

  test("the response is the file, if its type is preferred", async () => {
    const response = await send(operation, { Accept: type });
    expect(response.status).toBe(200);
    expect(response.headers.get("Content-Type")).toContain(type);
    expect(response.headers.get("Content-Disposition")).toMatch(
      /^attachment; filename=made(_1|-img1-page1)?\.[a-z]{2,4}$/,
    );
    expect(response.headers.get("Vary")).toContain("Accept");
    expect(response.headers.get("Server-Timing")).toMatch(
      /^receive;dur=\d+, wait;dur=\d+, engine;dur=\d+, store;dur=\d+$/,
    );
    expect(response.headers.get("Output-Id")).toBeNull();
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(5);
  });

  test("406 for any other type, which lists the available ones", async () => {
    const response = await send(operation, { Accept: "video/mp4" });
    const { error } = (await response.json()) as { error: string };
    expect([response.status, response.headers.get("Vary")]).toEqual([406, expect.stringContaining("Accept")]);
    expect(error).toContain("application/json");
    expect(error).toContain(type);
  });
});

describe.each(takesFiles)("the inputs of %s", (_, operation) => {
  test("400 for none, and for an id of which there is no file", async () => {
    const missing = fieldsFor(operation, {});
    expect(await error(operation, missing)).toEqual([
      400,
      expect.stringMatching(/^This route needs a File,? (an ID )?or an? (ID|URL)/),
    ]);
    const id = "100000000-0000-4000-8000-000000000000";
    const name = operation.input.kind === "several" ? "id[]" : "id";
    expect(await error(operation, fieldsFor(operation, { [name]: id }))).toEqual([404, "That file does not exist"]);
  });

  test("private addresses are refused", async () => {
    const name = operation.input.kind === "several" ? "url[]" : "url";
    expect(await error(operation, fieldsFor(operation, { [name]: "http://10.0.0.1/a.pdf" }))).toEqual([
      400,
      beginning(`http://10.0.0.1/a.pdf is not within the acceptable range for ${name}.`),
    ]);
  });
});

describe.each(takesOne)("%s", (_, operation) => {
  test("spec: 400 for file and id together, and for two files", async () => {
    const { body } = await client.post("/zip", { file: upload(pdf), output: "a" });
    const both = { ...fieldsFor(operation), id: String([body.inputId].flat()[0]) };
    expect(await error(operation, both)).toEqual([400, "This route will only accept a File or an ID, not both."]);
    const two = { ...fieldsFor(operation), file: [upload(pdf), upload(pdf)] };
    expect(await error(operation, two)).toEqual([400, "This route will only accept one File or one ID."]);
  });
});

describe.each(furtherFiles)("the further file of %s, %s", (path, name, operation, file) => {
  const { id, url, list: isList, required, accepts, unlisted } = file;
  /** Fields of which exactly one is required: this file, and its alternatives. */
  const either = operation.files
    .filter((one) => one.insteadOf !== undefined && [one.name, one.insteadOf].includes(name))
    .map((one) => [one.name, one.insteadOf!])[0];
  const spelled = (field: string) => (isList ? `${field}[]` : field);
  /** Returns a successful request, with the file in these fields. */
  const fieldsWith = (fields: FormFields): FormFields => {
    const others = Object.entries(fieldsFor(operation)).filter(([field]) => !(either ?? [name]).includes(field));
    return { ...Object.fromEntries(others), ...NEEDED_FIELDS[path], ...fields };
  };
  const store = async () => {
    const { body } = await client.post("/zip", { file: sampleOf(operation, file), output: "a" });
    return String([body.inputId].flat()[0]);
  };

  test(`is sent, or stored before, and its id is ${unlisted ? "not " : ""}in inputId`, async () => {
    const stored = await store();
    const byId = await client.post(path, fieldsWith({ [spelled(id)]: stored }));
    expect([byId.status, byId.body.error]).toEqual([200, undefined]);
    expect([byId.body.inputId].flat().includes(stored)).toBe(!unlisted);
    const sent = await client.post(path, fieldsWith({ [name]: sampleOf(operation, file) }));
    expect(sent.status).toBe(200);
    expect([sent.body.inputId].flat()).toHaveLength([byId.body.inputId].flat().length);
  });

  test("400 if it is missing, unless it is optional", async () => {
    const sentence = either
      ? `Exactly one of the '${either[0]}' and '${either[1]}' fields is required.`
      : `The '${name}' field is required.`;
    if (required || either) expect(await error(operation, fieldsWith({}))).toEqual([400, sentence]);
    else expect(await error(operation, fieldsWith({}))).toEqual([200, undefined]);
  });

  test.runIf(!isList)("400 for two spellings, and for two files", async () => {
    const sample = sampleOf(operation, file);
    expect(await error(operation, fieldsWith({ [name]: sample, [id]: await store() }))).toEqual([
      ...[400, "This route will only accept a File or an ID, not both."],
    ]);
    const both = fieldsWith({ [name]: sample, [url]: "https://example.com/" });
    expect(await error(operation, both)).toEqual([
      ...[400, "This route will only accept one of a File, an ID or a URL."],
    ]);
    expect(await error(operation, fieldsWith({ [name]: [sample, sample] }))).toEqual([
      ...[400, `Found more than one ${name} key, only one is allowed.`],
    ]);
  });

  test("404 for an id of which there is no file; private addresses are refused, also later", async () => {
    const unknown = fieldsWith({ [spelled(id)]: "100000000-0000-4000-8000-000000000000" });
    expect(await error(operation, unknown)).toEqual([404, "That file does not exist"]);
    const fields = fieldsWith({ [spelled(url)]: "http://10.0.0.1/a.png" });
    const sentence = `http://10.0.0.1/a.png is not within the acceptable range for ${spelled(url)}.`;
    expect(await error(operation, fields)).toEqual([400, beginning(sentence)]);
    const later = await send(operation, { Prefer: "respond-async" }, { fields });
    expect(later.status).toBe(400);
  });

  test.runIf(accepts !== "files")("400 for a file of another type", async () => {
    const fields = fieldsWith({ [name]: upload("{\\rtf1 text}", "a.rtf") });
    expect(await error(operation, fields)).toEqual([
      ...[400, beginning("Uploaded file is not valid input for this route.")],
    ]);
  });

  test("another file makes another request for an Idempotency-Key", async () => {
    const key = { "Idempotency-Key": crypto.randomUUID() };
    const first = await send(operation, key, { fields: fieldsWith({ [spelled(id)]: await store() }) });
    const other = await send(operation, key, { fields: fieldsWith({ [spelled(id)]: await store() }) });
    expect([first.status, other.status]).toEqual([200, 422]);
  });
});

const changesPasswords = ({ parameters }: ListedOperation) =>
  parameters.some(({ name }) => name === "current_permissions_password");

test.each(needsPassword)("spec: 401 for a user password: %s", async (_, operation) => {
  // Endpoints that change passwords have other errors if the password is missing.
  const wrong = changesPasswords(operation) ? { current_open_password: "wrong" } : {};
  const document = { file: upload(locked) };
  const [status, sentence] = await error(operation, { ...fieldsFor(operation, document), ...wrong });
  expect([status, sentence]).toEqual([401, beginning("The input file is password protected and cannot be processed.")]);
});

test.each(opensLocked)("200 for a user password: %s", async (path, operation) => {
  const { status } = await client.post(path, fieldsFor(operation, { file: upload(locked) }));
  expect(status).toBe(200);
});

test.each(opensPdfs)("200 with the user password, and no output needs it: %s", async (path, operation) => {
  const document = { file: upload(locked) };
  const protects = changesPasswords(operation);
  const owner = protects ? { current_permissions_password: "owns" } : {};
  const fields = { ...fieldsFor(operation, document), current_open_password: "opens", ...owner };
  if (operation.output.data) return expect((await client.post(path, fields)).status).toBe(200);
  for (const { bytes, type } of await client.make(path, fields)) {
    if (type === "application/pdf" && !protects) expect(infoOf(bytes).Encrypted).toBe("no");
  }
});

describe.each(opensPdfs)("the documents of %s", (path, operation) => {
  test.each([
    ["a PNG", "\x89PNG\r\n\x1a\n", DAMAGED],
    ["a PDF without objects", "%PDF-1.7\nnothing", DAMAGED],
  ])("400 for %s", async (_, content, sentence) => {
    expect(await error(operation, fieldsFor(operation, { file: upload(content) }))).toEqual([400, beginning(sentence)]);
  });

  test("400 for a web page, unless the operation also takes HTML", async () => {
    const answer = await error(operation, fieldsFor(operation, { file: upload("<html>") }));
    const isTaken = ["/jpg", "/merged-pdf", "/png"].includes(path);
    const refusal = [400, beginning("Uploaded file is not valid input for this route.")];
    expect(answer).toEqual(isTaken ? [200, undefined] : refusal);
  });
});

const counting = parameters.filter(([, , , { requiredIf, standsFor }]) => !requiredIf && !standsFor);
const those = (rule: (parameter: ListedOperation["parameters"][0]) => boolean) =>
  counting.filter(([, , , parameter]) => rule(parameter));

test.each(those(({ schema }) => schema.enum !== undefined))("400 for another word: %s, %s", async (...row) => {
  const [, , operation, parameter] = row;
  const field = nameOf(parameter);
  expect(await error(operation, { ...fieldsFor(operation), [field]: "nonsense" })).toEqual([
    400,
    beginning(`nonsense is not within the acceptable range for ${field}.`),
  ]);
});

test.each(those(({ schema }) => schema.minimum !== undefined))("400 outside of its range: %s, %s", async (...row) => {
  const [, , operation, parameter] = row;
  const { minimum, maximum } = parameter.schema;
  const field = nameOf(parameter);
  for (const value of [minimum! - 1, maximum! + 1, Number.NaN].map(String))
    expect(await error(operation, { ...fieldsFor(operation), [field]: value })).toEqual([
      400,
      beginning(`${value} is not within the acceptable range for ${field}.`),
    ]);
});

test.each(those(({ required, perInput }) => required && !perInput))("400 if it is missing: %s, %s", async (...row) => {
  const [, name, operation, parameter] = row;
  const { [nameOf(parameter)]: _, ...others } = fieldsFor(operation);
  expect(await error(operation, others)).toEqual([400, `The '${name}' field is required.`]);
});

test.each(those(({ list: isList, joined, control }) => !isList && !joined && control !== "lines"))(
  "400 if it is repeated: %s, %s",
  async (_, __, operation, parameter) => {
    const field = nameOf(parameter);
    const value = String(fieldsFor(operation)[field] ?? parameter.default ?? "x");
    expect((await client.post(operation.path, { ...fieldsFor(operation), [field]: [value, value] })).status).toBe(400);
  },
);
