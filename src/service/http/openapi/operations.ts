// Lists the operations of a deployment for the workbench (docs/api.md#api-description).
import type { Config } from "../../settings/config.ts";
import { describe } from "../contract/described.ts";
import { type Endpoint, uploadLimit } from "../contract/endpoint.ts";
import { fileTooLarge, needsTooMuchMemory } from "../contract/errors.ts";
import type { OperationList } from "../contract/operation-list.ts";
import { needsOutput } from "../contract/output-name.ts";
import { errorAnchor } from "../responses/help.ts";

export function listOperations(endpoints: readonly Endpoint[], config: Config): OperationList {
  const { variant, maxInputs, dialect } = config;
  const served = endpoints.filter((endpoint) => config.model !== undefined || !endpoint.needsModel);
  const operations = served.map((endpoint) => {
    const { errors, parameters, ...operation } = describe(endpoint);
    const maxFileBytes = uploadLimit(endpoint, config);
    // Errors without a parameter are about the file itself.
    const aboutFiles = [
      ...errors.filter(({ values }) => values.parameter === undefined),
      ...errorsOfSize(maxFileBytes),
    ];
    const requiresOutput = needsOutput(endpoint, "multipart", dialect);
    return {
      ...operation,
      parameters: parameters.map((one) => (one.name === "output" ? { ...one, required: requiresOutput } : one)),
      maxFileBytes,
      fileErrors: [...new Set(aboutFiles.map(({ template }) => errorAnchor(template)))],
    };
  });
  return { variant, keyed: variant === "keyed", maxInputs, operations };
}

const errorsOfSize = (maxFileBytes: number) => [fileTooLarge(maxFileBytes), needsTooMuchMemory()];
