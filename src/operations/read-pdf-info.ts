// Answers questions about a PDF. Yields one output, an object in JSON with a member for each answer. A PDF that needs a
// password is not an error, but few questions then have an answer.
import { contains } from "../document/contract/contains.ts";
import { EngineFailure } from "../document/contract/failure.ts";
import { LIMITS } from "../document/contract/limits.ts";
import { declareOperation, defineOperation, type Input, type Run } from "../document/contract/operation.ts";
import { type JsonSchema, type Params, parameter } from "../document/contract/parameter.ts";
import { words } from "../document/contract/parameters/text.ts";
import { acquireMupdf, prepareSpare } from "../document/engines/mupdf/instance/spare.ts";
import { DocumentFacts } from "../document/facts/document-facts.ts";
import { findTransparency, isImageOnly } from "../document/facts/shown-content.ts";
import { memoryLimitsOf } from "../document/objects/memory-limits.ts";
import { type OpenOptions, openPdf } from "../document/pages/open-pdf.ts";
import { currentOpenPassword } from "./protection/current-passwords.ts";

interface Question {
  readonly schema: JsonSchema;
  /** The answer for an open document. */
  answer(facts: DocumentFacts, input: Input): unknown;
  /** The answer for a document that needs a password. @default no answer */
  locked?(input: Input): unknown;
  /** True if the answer is in objects that a password does not encrypt: all but strings and streams. @default false */
  readonly isUnencrypted?: boolean;
}

const yesOrNo = (answer: Question["answer"], more: Pick<Question, "locked" | "isUnencrypted"> = {}): Question => ({
  ...{ schema: { type: "boolean" }, answer, ...more },
});
const UNENCRYPTED = { isUnencrypted: true } as const;
const text = (answer: (facts: DocumentFacts) => string): Question => ({ schema: { type: "string" }, answer });
const list = (
  properties: Readonly<Record<string, JsonSchema>>,
  answer: (facts: DocumentFacts) => unknown,
): Question => ({
  schema: { type: "array", items: { type: "object", properties, required: Object.keys(properties) } },
  answer,
});
const INTEGER = { type: "integer" };
const NUMBER = { type: "number" };
const TEXT = { type: "string" };
const BOOLEAN = { type: "boolean" };
const BOX = { type: "array", items: { type: "number" }, minItems: 4, maxItems: 4 };

/** The questions, in the order in which `all` answers them. */
const QUESTIONS = {
  tagged: yesOrNo((facts) => facts.isTagged, UNENCRYPTED),
  image_only: yesOrNo(isImageOnly),
  title: text((facts) => facts.information("Title")),
  subject: text((facts) => facts.information("Subject")),
  author: text((facts) => facts.information("Author")),
  producer: text((facts) => facts.information("Producer")),
  creator: text((facts) => facts.information("Creator")),
  creation_date: text((facts) => facts.date("CreationDate")),
  modified_date: text((facts) => facts.date("ModDate")),
  keywords: text((facts) => facts.information("Keywords")),
  custom_metadata: {
    schema: { type: ["object", "null"], additionalProperties: { type: "string" } },
    answer: (facts) => facts.customInformation,
  },
  doc_language: text((facts) => facts.language),
  page_count: { schema: { type: "integer" }, answer: (facts) => facts.pages.length, ...UNENCRYPTED },
  page_boxes: {
    ...list({ page: INTEGER, media: BOX, crop: BOX, bleed: BOX, trim: BOX, art: BOX }, (facts) => facts.boxes),
    ...UNENCRYPTED,
  },
  page_sizes: { ...list({ page: INTEGER, width: NUMBER, height: NUMBER }, (facts) => facts.sizes), ...UNENCRYPTED },
  contains_annotations: yesOrNo((facts) => facts.hasAnnotations, UNENCRYPTED),
  contains_signature: yesOrNo((facts) => facts.isSigned, UNENCRYPTED),
  pdf_version: { ...text((facts) => facts.version), ...UNENCRYPTED },
  file_size: { schema: { type: "integer" }, answer: (_, { size }) => size, locked: ({ size }) => size },
  filename: { schema: { type: "string" }, answer: (_, { name }) => name, locked: ({ name }) => name },
  restrict_permissions_set: yesOrNo((facts) => facts.isRestricted, UNENCRYPTED),
  contains_xfa: yesOrNo((facts) => facts.hasXfa),
  contains_acroforms: yesOrNo((facts) => facts.hasFields, UNENCRYPTED),
  contains_javascript: yesOrNo((facts) => facts.hasScripts()),
  contains_transparency: yesOrNo(findTransparency),
  contains_embedded_file: yesOrNo((facts) => facts.hasEmbeddedFiles, UNENCRYPTED),
  uses_embedded_fonts: yesOrNo(async ({ fonts }) => (await fonts).isEmbedded),
  uses_nonembedded_fonts: yesOrNo(async ({ fonts }) => (await fonts).isNonembedded),
  fonts: list({ name: TEXT, type: TEXT, embedded: BOOLEAN, subset: BOOLEAN }, (facts) => facts.listFonts()),
  attachments: list(
    { name: TEXT, description: TEXT, type: TEXT, size: { type: ["integer", "null"] } },
    (facts) => facts.attachments,
  ),
  images: list(
    {
      ...{ page: INTEGER, type: { enum: ["image", "stencil", "mask", "soft-mask"] }, width: INTEGER, height: INTEGER },
      ...{ color_space: TEXT, bits: INTEGER, filter: TEXT, x_resolution: NUMBER, y_resolution: NUMBER },
    },
    (facts) => facts.listImages(),
  ),
  signatures: list(
    {
      ...{ field: TEXT, signer: TEXT, date: TEXT, subfilter: TEXT },
      ...{ covers_file: BOOLEAN, valid: { type: ["boolean", "null"] } },
    },
    (facts) => facts.signatures,
  ),
  // The validator replaces the declared level, such as `2b`, by its finding.
  pdfa: yesOrNo(({ claims }) => /^PDF\/A-([123][abu]|4[ef]?)$/.exec(claims.get("PDF/A") ?? "")?.[1] ?? false),
  pdfua_claim: yesOrNo(({ claims }) => claims.has("PDF/UA")),
  pdfe_claim: yesOrNo(({ claims }) => claims.has("PDF/E")),
  pdfx_claim: yesOrNo(({ claims }) => claims.has("PDF/X")),
  pdfvt_claim: yesOrNo(({ claims }) => claims.has("PDF/VT")),
  requires_password_to_open: yesOrNo((facts) => facts.needsPassword, { locked: () => true }),
} satisfies Readonly<Record<string, Question>>;
/** More than the bytes of a response that are in no answer: names of members, and the warning. */
const OTHER_BYTES = 8192;
type Query = keyof typeof QUESTIONS;

const QUERIES = Object.keys(QUESTIONS) as readonly Query[];

/** Schemas of the answers, by query. */
export const ANSWER_SCHEMAS = Object.fromEntries(
  Object.entries<Question>(QUESTIONS).map(([query, { schema }]) => [query, schema]),
);

const parameters = {
  queries: parameter("The questions, separated by commas; all asks every one.", words([...QUERIES, "all"])),
  currentOpenPassword,
};
export type PdfInfoParams = Params<typeof parameters>;

const queriesIn = ({ queries }: PdfInfoParams): readonly Query[] =>
  queries.includes("all") ? QUERIES : queries.filter((query) => query !== "all");

/** Reports whether an answer needs the validator. */
export const needsValidator = (params: PdfInfoParams): boolean => queriesIn(params).includes("pdfa");

/** @throws EngineFailure the failure of the document or the engine */
const run: Run<PdfInfoParams> = async function* ([input], params, context) {
  const questions = queriesIn(params).map((query) => [query, QUESTIONS[query] as Question] as const);
  const facts = new Map<string, unknown>();
  const limits = { heapLimitBytes: memoryLimitsOf(context.heapLimitBytes).engineBytes };
  const bytes = await input!.bytes();
  const engine = await acquireMupdf(limits);
  let isPasswordWrong = false;
  const ask = async (options: OpenOptions, asked: typeof questions) => {
    using pdf = await openPdf(bytes, context, { ...options, asIs: true });
    const document = new DocumentFacts(pdf, context);
    for (const [query, { answer }] of asked) facts.set(query, await answer(document, input!));
  };
  try {
    await ask({ engine, passwords: { open: params.currentOpenPassword } }, questions);
  } catch (error) {
    if (!isLocked(error)) throw error;
    isPasswordWrong = params.currentOpenPassword !== undefined;
    for (const [query, { locked }] of questions) if (locked) facts.set(query, locked(input!));
    const unencrypted = questions.filter(([, { isUnencrypted }]) => isUnencrypted);
    // Object streams are encrypted as a whole.
    if (unencrypted.length > 0 && !contains(bytes, "ObjStm"))
      await unlessFailed(ask({ withoutKey: true }, unencrypted));
  } finally {
    context.defer(() => prepareSpare(limits));
  }
  const open = questions.map(([query]) => query).filter((query) => !facts.has(query));
  const long = removeLongest(facts);
  const warning = [
    ...(isPasswordWrong ? ["The password is wrong."] : []),
    ...withList("The document needs a password, without which there are no answers to", open),
    ...withList("The response has no space for the answers to", long),
  ].join(" ");
  const answer = { ...Object.fromEntries(facts), allQueriesProcessed: open.length + long.length === 0 };
  yield jsonOutput(warning === "" ? answer : { ...answer, warning });
};

const withList = (sentence: string, queries: readonly string[]): readonly string[] =>
  queries.length > 0 ? [`${sentence} ${queries.join(", ")}.`] : [];

/** Removes the longest answers until the others fit into a response. @returns the removed questions */
function removeLongest(answers: Map<string, unknown>): readonly string[] {
  const sizes = [...answers].map(([query, answer]) => ({ query, size: Buffer.byteLength(JSON.stringify(answer)) }));
  let total = sizes.reduce((sum, { size }) => sum + size, OTHER_BYTES);
  const removed: string[] = [];
  for (const { query, size } of sizes.toSorted((one, other) => other.size - one.size)) {
    if (total <= LIMITS.dataBytes) break;
    answers.delete(query);
    removed.push(query);
    total -= size;
  }
  return removed;
}

/** Waits for answers that a document need not have. */
const unlessFailed = (answers: Promise<void>): Promise<void> =>
  answers.catch((error) => {
    if (!(error instanceof EngineFailure)) throw error;
  });

const isLocked = (error: unknown): boolean => error instanceof EngineFailure && error.reason === "password-protected";

const jsonOutput = (value: object) => ({
  ...{ extension: "json", type: "application/json", body: new TextEncoder().encode(JSON.stringify(value)) },
});

/** Answers questions that do not need the validator; see {@link needsValidator}. */
export const readPdfInfo = defineOperation({ name: "read-pdf-info", parameters, run });

/** Answers every question. The container runs it, because the container has the validator. */
export const readValidatedPdfInfo = declareOperation({ name: "read-validated-pdf-info", parameters });
