// Adds the field with which a client opens protected PDFs to each endpoint whose input is a PDF.

import type { EngineFailure } from "../../../../document/contract/failure.ts";
import { mayBePdf } from "../../../../document/contract/media-type.ts";
import { stepOf } from "../../../../document/contract/operation.ts";
import { optional, type Parameters } from "../../../../document/contract/parameter.ts";
import { currentPassword } from "../../../../document/contract/parameters/text.ts";
import { unlockPdfs } from "../../../../operations/protection/unlock-pdfs.ts";
import type { JobPlan } from "../../../placement/placement.ts";
import { duplicateField } from "../errors.ts";
import { type Inputs, mainInputOf } from "../input-declaration.ts";
import type { OutputDeclaration } from "./output-declaration.ts";

/** Name of the field on all endpoints. */
export const OPEN_PASSWORD = "current_open_password";

/**
 * @param own the endpoint's other fields; an operation that opens protected PDFs itself has the field already
 * @param alias a further name of the field
 * @returns the fields by name, empty if the input is not a PDF
 */
export function openPasswordFields(inputs: Inputs, own: Parameters, alias: string | undefined): Parameters {
  const main = mainInputOf(inputs);
  const takesPdfs = (main.kind === "one" || main.kind === "several") && main.accepts === mayBePdf;
  if (!takesPdfs || Object.hasOwn(own, OPEN_PASSWORD)) return {};
  const whose = main.kind === "one" ? "the input" : "each input that needs one";
  return {
    [OPEN_PASSWORD]: optional(`The password that opens ${whose}.`, currentPassword),
    ...(alias === undefined ? {} : { [alias]: optional(`Another name of ${OPEN_PASSWORD}.`, currentPassword) }),
  };
}

/**
 * @param fields see {@link openPasswordFields}
 * @throws ServiceError 400 if the field and its alias have different values
 */
export function openPasswordIn(fields: Parameters, values: Readonly<Record<string, unknown>>): string | undefined {
  const sent = new Set(Object.keys(fields).flatMap((name) => values[name] ?? []));
  if (sent.size > 1) throw duplicateField(OPEN_PASSWORD);
  return [...sent].find((value) => typeof value === "string");
}

/** Returns a job that first decrypts its inputs, if the client sent a password. */
export function unlocking(
  job: JobPlan,
  openPassword: string | undefined,
  { type }: Pick<OutputDeclaration, "type">,
): JobPlan {
  if (openPassword === undefined || job.isText) return job;
  const outputs = type === "application/pdf" ? "pdfs" : "others";
  const unlocked = (one: JobPlan) => unlocking(one, openPassword, { type });
  const otherwise = (failure: EngineFailure) => {
    const next = job.first?.otherwise(failure);
    return next && unlocked(next);
  };
  return {
    ...{ ...job, first: job.first && { job: unlocked(job.first.job), otherwise } },
    steps: [stepOf(unlockPdfs, { openPassword, outputs }), ...job.steps],
    memoryNeed: "input-and-output",
  };
}
