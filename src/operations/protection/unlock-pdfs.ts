// Decrypts the PDFs that need a password, for the next step of a job. Yields one output per input: other documents, and
// further files, are passed on.
import { contains } from "../../document/contract/contains.ts";
import { countedNotices } from "../../document/contract/notice.ts";
import { type Context, defineOperation, type Input, type Output, type Run } from "../../document/contract/operation.ts";
import { optional, type Params, parameter } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { currentPassword } from "../../document/contract/parameters/text.ts";
import { writeFile } from "../../document/objects/writer.ts";
import { isClassic } from "../../document/pages/claims.ts";
import { openPdf, pdfOutput } from "../../document/pages/open-pdf.ts";
import { naming, subjectOf } from "../named-inputs.ts";

const parameters = {
  openPassword: parameter("The password that opens the inputs.", currentPassword),
  outputs: optional("The kind of outputs that the job makes.", choice(["pdfs", "others"])),
};

/** Roles of the inputs that are documents of the job; other further inputs are passed on. */
const DOCUMENT_ROLES: ReadonlySet<string | undefined> = new Set([undefined, "compared"]);

/** The header of a PDF begins within this number of bytes (ISO 32000-1, annex H). */
const HEADER_WITHIN = 1024;

/** @throws EngineFailure `password-protected` if the password does not open a document; it names one of several */
const run: Run<Params<typeof parameters>> = async function* (inputs, { openPassword, outputs }, context) {
  const documents = inputs.filter(({ role }) => DOCUMENT_ROLES.has(role));
  for (const input of inputs) {
    const { name, role } = input;
    try {
      const output = await unlocked(input, openPassword, context);
      // Images and data have no restrictions in any case.
      const notices = outputs === "pdfs" ? (output.notices?.() ?? []) : [];
      yield { ...output, notices: () => notices, name, ...(role === undefined ? {} : { role }) };
    } catch (error) {
      throw documents.length > 1 ? naming(error, subjectOf(input, documents.indexOf(input), documents.length)) : error;
    }
  }
};

export const unlockPdfs = defineOperation({ name: "unlock-pdfs", parameters, run });

async function unlocked(input: Input, open: string, context: Context): Promise<Output> {
  const bytes = await input.bytes();
  const isPdf = contains(bytes.subarray(0, HEADER_WITHIN), "%PDF-");
  if (!isPdf || !DOCUMENT_ROLES.has(input.role) || !contains(bytes, "Encrypt")) return pdfOutput(bytes);
  const pdf = await openPdf(bytes, context, { passwords: { open }, asIs: true });
  if (!pdf.source.access.needsPassword || pdf.source.isLocked) {
    pdf[Symbol.dispose]();
    return pdfOutput(bytes);
  }
  return pdfOutput(closing(pdf), countedNotices("protection-removed", Number(!pdf.source.access.isOwner)));
}

async function* closing(pdf: Awaited<ReturnType<typeof openPdf>>): AsyncGenerator<Uint8Array> {
  using _pdf = pdf;
  yield* writeFile(pdf.file, undefined, { classic: isClassic(pdf.file), keepsStreams: true });
}
