// Reads the operations of a variant as the workbench does, from the description that the service would return.
import { type OpenApiDocument, type Operation, readService } from "../../../site/workbench/model/operations.ts";
import { apiDescription } from "../../../src/app/api-description.ts";
import { openApi } from "../../../src/service/http/openapi/document.ts";
import { readConfig } from "../../../src/service/settings/config.ts";

export function describedService(variant: "private" | "keyed") {
  const config = readConfig({ VARIANT: variant } as Parameters<typeof readConfig>[0]);
  return readService(openApi(apiDescription, config, "https://example.com") as unknown as OpenApiDocument);
}

const { operations } = describedService("keyed");

/** Returns an operation of the keyed variant, which has all of them. */
export const operationOf = (path: string): Operation => operations.get(path)!;
