// Reads the operations of a variant as the workbench does, from the list that the service would return.
import { type Operation, readService } from "../../../site/workbench/model/operations.ts";
import { endpoints } from "../../../src/endpoints/index.ts";
import { listOperations } from "../../../src/service/http/openapi/operations.ts";
import { readConfig } from "../../../src/service/settings/config.ts";

export function describedService(variant: "private" | "keyed") {
  const config = readConfig({ VARIANT: variant, LLM_URL: "http://localhost/v1", LLM_MODEL: "small" } as Parameters<
    typeof readConfig
  >[0]);
  return readService(listOperations(endpoints, config));
}

const { operations } = describedService("keyed");

/** Returns an operation of the keyed variant, because it has all of them. */
export const operationOf = (path: string): Operation => operations.get(path)!;
