// Signs a PDF (PAdES B-B, or B-T with a time stamp). Yields one output, which begins with the bytes of the input, so that
// its earlier signatures stay valid.
import * as z from "zod";
import { EngineFailure, OutOfRange } from "../document/contract/failure.ts";
import { defineOperation, type Run } from "../document/contract/operation.ts";
import { parseListedPages, selectPages } from "../document/contract/pages.ts";
import { type Kind, optional, type Params, parameter, schemaOf } from "../document/contract/parameter.ts";
import { json } from "../document/contract/parameters/json.ts";
import { flag, numeric, OPACITY, withoutNulls } from "../document/contract/parameters/loose-json.ts";
import { bytesOfFile, SECRET, secretFile } from "../document/contract/parameters/text.ts";
import { encodeTextString } from "../document/objects/text-strings.ts";
import { Dictionary, Reference } from "../document/objects/values.ts";
import { type OpenPdf, pdfOutput } from "../document/pages/open-pdf.ts";
import { findFields } from "../document/pages/parts/forms/field-tree.ts";
import { SourceDocument } from "../document/pages/source-document.ts";
import { drawAppearances } from "../document/signatures/appearance.ts";
import { requestTimeStamp } from "../document/signatures/request-time-stamp.ts";
import {
  type CertificationLevel,
  isLocked,
  lockEntries,
  referencesOf,
  restrictionsOf,
} from "../document/signatures/restrictions.ts";
import { openToSign, sign, signatureDictionary } from "../document/signatures/sign-file.ts";
import { addField, findField, type SignedField } from "../document/signatures/signature-field.ts";
import { distinguishedName } from "../document/signing/certificate.ts";
import { type Credential, fromFiles, fromPkcs12, UnusableCredential } from "../document/signing/credential.ts";
import { currentOpenPassword } from "./protection/current-passwords.ts";

const DISTANCE = { min: -1_000_000, max: 1_000_000 };
const point = z.object({ x: numeric(DISTANCE), y: numeric(DISTANCE) });
const text = z.string().min(1).max(500).exactOptional();
const configuration = z
  .object({
    type: z.enum(["new", "existing"]),
    name: text,
    logo_opacity: numeric(OPACITY).default(1),
    location: z
      .object({
        ...{ bottom_left: point, top_right: point },
        page: z.union([z.int().min(1), z.string().refine((given) => parseListedPages(given) !== undefined)]),
      })
      .refine(({ bottom_left: { x, y }, top_right }) => top_right.x >= x && top_right.y >= y, { path: ["top_right"] })
      .exactOptional(),
    display: z
      .object({
        ...{ include_distinguished_name: flag.default(false), include_datetime: flag.default(false) },
        ...{ name: text, reason: text, location: text, contact: text },
      })
      .exactOptional(),
    certification_level: z
      .union([z.literal([1, 2, 3]), z.enum(["1", "2", "3"]).transform((digit) => Number(digit) as CertificationLevel)])
      .exactOptional(),
    lock: z
      .object({ action: z.enum(["all", "include", "exclude"]), fields: z.array(z.string().min(1)).default([]) })
      .exactOptional(),
  })
  .refine(({ type, location }) => type === "existing" || location, { path: ["location"] });
type Configuration = z.infer<typeof configuration>;
const signatureConfiguration: Kind<Configuration> = {
  ...json(configuration, { name: "SignatureConfiguration" }),
  read: (given) => withoutNulls(json(configuration).read(given)),
};

const parameters = {
  signatureConfiguration: parameter("JSON with the field, its place and what it shows.", signatureConfiguration),
  pfxCredentialFile: optional(
    "PKCS #12 file (.pfx, .p12) with the private key and the certificates of the signer.",
    secretFile("a PKCS #12 file"),
  ),
  pfxPassphraseFile: optional("Text file with the passphrase of the PKCS #12 file.", secretFile("a text file")),
  certificateFile: optional(
    "PEM or DER file with the certificate of the signer, instead of a PKCS #12 file; a PEM file can also have those of authorities.",
    secretFile("a certificate"),
  ),
  privateKeyFile: optional("PEM or DER file with the private key of the signer.", secretFile("a private key")),
  currentOpenPassword,
};
const params: z.ZodType<Params<typeof parameters> & { readonly timeStampUrl?: string }> = z.intersection(
  schemaOf(parameters),
  z.object({ timeStampUrl: z.string().exactOptional() }),
);
export type SignParams = z.infer<typeof params>;

/** The parameters that a part of a credential comes from. */
const PARAMETERS = {
  ...{ pfx: "pfxCredentialFile", passphrase: "pfxPassphraseFile", certificate: "certificateFile" },
  key: "privateKeyFile",
} as const;

/** @throws OutOfRange for a credential that cannot sign, or another field; EngineFailure `signature-forbidden` */
const run: Run<SignParams> = async function* ([input, ...others], given, context) {
  const { signatureConfiguration: wished, timeStampUrl } = given;
  const credential = credentialIn(given);
  using pdf = await openToSign(await input!.bytes(), context, given.currentOpenPassword);
  const document = new SourceDocument(pdf.file);
  const field = fieldFor(document, wished);
  checkRestrictions(document, field, wished);
  const date = new Date();
  if (field.shown.length > 0) {
    const [logo] = others;
    const shown = textFor(wished, credential, date, logo !== undefined);
    await drawAppearances(pdf, field.shown, { text: shown, logo, logoOpacity: wished.logo_opacity }, context);
  }
  const signature = fillField(pdf, field, wished, date);
  const stamp =
    timeStampUrl === undefined
      ? undefined
      : (value: Uint8Array) => requestTimeStamp(timeStampUrl, value, context.signal);
  yield pdfOutput(await sign(pdf, signature, credential, stamp), pdf.notices);
};

export const signPdf = defineOperation({ name: "sign-pdf", parameters, params, internet: true, run });

function credentialIn(given: SignParams): Credential {
  const { pfxCredentialFile, pfxPassphraseFile = "", certificateFile = "", privateKeyFile = "" } = given;
  try {
    if (pfxCredentialFile === undefined) return fromFiles(bytesOfFile(certificateFile), bytesOfFile(privateKeyFile));
    // Editors end a file with a line break.
    return fromPkcs12(bytesOfFile(pfxCredentialFile), pfxPassphraseFile.replace(/\r?\n$/, ""));
  } catch (error) {
    if (error instanceof UnusableCredential) throw new OutOfRange(PARAMETERS[error.part], SECRET, error.message);
    throw error;
  }
}

function fieldFor(document: SourceDocument, { type, name, location }: Configuration): SignedField {
  if (type === "existing") return findField(document, name);
  const { bottom_left: from, top_right: to, page } = location!;
  const selected = selectPages(parseListedPages(String(page))!, document.pages.length, {
    parameter: "signatureConfiguration.location.page",
  });
  const pages = [...new Set(selected)].map((number) => number - 1);
  return addField(document, { name, pages, box: [from.x, from.y, to.x, to.y] });
}

function checkRestrictions(document: SourceDocument, { name, hasStamps }: SignedField, wished: Configuration): void {
  const { isSigned, level, locks } = restrictionsOf(document.file, document.once(findFields));
  const forbid = (why: string) => new EngineFailure("signature-forbidden", why, { why });
  if (level === 1) throw forbid("A certification permits no changes.");
  if (level === 2 && hasStamps) throw forbid("A certification permits no stamps on further pages.");
  if (wished.type === "existing" && locks.some((lock) => isLocked(lock, name))) {
    throw forbid("An earlier signature locks the field.");
  }
  if (isSigned && wished.certification_level !== undefined) {
    throw forbid("Only the first signature can certify a document.");
  }
}

/** Returns the text of the appearance; undefined if only the logo is shown. */
function textFor({ display }: Configuration, { certificate }: Credential, date: Date, hasLogo: boolean) {
  if (!display && hasLogo) return undefined;
  const { name = certificate.name, reason, location, contact } = display ?? {};
  return [
    `Digitally signed by ${name}`,
    ...(display?.include_distinguished_name ? [`DN: ${distinguishedName(certificate.subject)}`] : []),
    ...(display?.include_datetime ? [`Date: ${date.toISOString().slice(0, 19).replace("T", " ")} UTC`] : []),
    ...(reason === undefined ? [] : [`Reason: ${reason}`]),
    ...(location === undefined ? [] : [`Location: ${location}`]),
    ...(contact === undefined ? [] : [`Contact: ${contact}`]),
  ].join("\n");
}

/** Puts an incomplete signature into the field, and what it restricts into the document. */
function fillField({ file }: OpenPdf, field: SignedField, wished: Configuration, date: Date) {
  const { display = {}, lock, certification_level: level } = wished;
  const reference = file.reserve();
  if (lock) field.dictionary.set("Lock", file.add(lockEntries(lock, encodeTextString)));
  field.dictionary.set("V", reference);
  field.store();
  if (level !== undefined) {
    const permissions = file.dictionary(file.catalog.get("Perms"))?.clone() ?? new Dictionary();
    file.catalog = file.catalog.clone().set("Perms", permissions.set("DocMDP", new Reference(reference.number)));
  }
  const references = referencesOf(file, { level, lock: file.dictionary(field.dictionary.get("Lock")) });
  return { reference, dictionary: signatureDictionary(display, date, references) };
}
