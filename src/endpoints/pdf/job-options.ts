// The job options of /pdf: settings of Adobe Distiller for PostScript, as a file.

import { LIMITS } from "../../document/contract/limits.ts";
import type { Input } from "../../document/contract/operation.ts";
import { type JobOptions, readJobOptions } from "../../document/formats/job-options/settings.ts";
import { JobOptionsError } from "../../document/formats/job-options/syntax.ts";
import { fieldTooLarge, invalidJobOptions } from "../../service/http/contract/errors.ts";
import type { FurtherInput } from "../../service/http/contract/input-declaration.ts";

const ROLE = "job_options";

export const JOB_OPTIONS = {
  job_options: {
    ...{ kind: "one", role: ROLE, isOptional: true },
    description: "Settings of Adobe Distiller (.joboptions), for PostScript, instead of compression and downsample",
  },
} as const satisfies Record<string, FurtherInput>;

/**
 * @returns undefined if no job options were sent
 * @throws ServiceError 400 or 413; OutOfRange for the value of a setting
 */
export async function jobOptionsIn(inputs: readonly Input[]): Promise<JobOptions | undefined> {
  const file = inputs.find(({ role }) => role === ROLE);
  if (!file) return undefined;
  if (file.size > LIMITS.jsonFileBytes) throw fieldTooLarge("job_options");
  try {
    return readJobOptions(await file.bytes());
  } catch (error) {
    if (error instanceof JobOptionsError) throw invalidJobOptions().because(error.message);
    throw error;
  }
}
