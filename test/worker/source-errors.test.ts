// Tests the error responses that follow from the declared input of an endpoint.
import { expect, test } from "vitest";
import { mayBePdf } from "../../src/document/contract/media-type.ts";
import { errorsOf, type Inputs } from "../../src/service/http/contract/input-declaration.ts";

const COUNTS = { noInput: "This route needs a File or an ID.", tooMany: "Too many 'file' or 'id' values." };
const NOT_BOTH = "This route will only accept a File or an ID, not both.";
const NO_SUCH_FILE = "That file does not exist";
const WRONG_TYPE = "Uploaded file is not valid input for this route.";
const NOT_A_PDF = "The input file is damaged or is not a PDF.";
const OPENED = [
  "The input file is password protected and cannot be processed.",
  "The input file is too complex to be processed.",
  "The input file uses a feature that is not supported.",
];

const messagesOf = (inputs: Inputs) => errorsOf(inputs).map(({ message }) => message);
const same = (inputs: Inputs, messages: readonly string[]) =>
  expect(messagesOf(inputs).toSorted()).toEqual(messages.toSorted());

test("a text is required", () => {
  same({ content: { kind: "text", description: "" } }, ["The 'content' field is required."]);
});

const UNREACHABLE = "The file at the URL could not be loaded.";
const notUrl = (parameter: string) => `http://127.0.0.1/ is not within the acceptable range for ${parameter}.`;
const ONE_OF = [
  "This route will only accept one of a File, an ID or a URL.",
  "This route will only accept one File or one ID.",
  "Found more than one url key, only one is allowed.",
];

test("a document that may be a PDF is opened as one", () => {
  const given = [NOT_BOTH, ...ONE_OF, COUNTS.noInput, notUrl("url"), UNREACHABLE];
  const all = [...given, NO_SUCH_FILE, WRONG_TYPE, ...OPENED];
  same({ file: { kind: "one", description: "", accepts: mayBePdf } }, [...all, NOT_A_PDF]);
  same({ file: { kind: "one", description: "", accepts: () => true } }, all);
});

test("a document or a web page", () => {
  const given = [NOT_BOTH, ...ONE_OF, "This route needs a File, an ID or a URL.", notUrl("url"), UNREACHABLE];
  same({ file: { kind: "one", webPages: true, description: "" } }, [...given, NO_SUCH_FILE, WRONG_TYPE, ...OPENED]);
});

test("files that are not opened, and PDFs with lists of values", () => {
  const given = [...Object.values(COUNTS), notUrl("url[]"), UNREACHABLE];
  same({ file: { kind: "several", description: "" } }, [...given, NO_SUCH_FILE]);
  const lists = { orderedBy: "type", perInput: ["pages"] };
  same({ file: { kind: "several", description: "", accepts: mayBePdf, ...lists } }, [
    ...given,
    "Too few 'file' or 'id' values.",
    "The 'type[]' values do not match the 'file' and 'id' values.",
    "The 'type[]' field is required.",
    "files is not within the acceptable range for type[].",
    "The 'pages[]' field is required.",
    ...[NO_SUCH_FILE, WRONG_TYPE, NOT_A_PDF, ...OPENED],
  ]);
});
