// Declares the operation that sends a file to a web server. It runs in the container, which connects only to IP
// addresses that it has checked. A Worker cannot guarantee this.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength),
  headers: z.record(z.string(), z.string()),
  /** @default PUT */
  method: z.enum(["PUT", "POST", "PATCH"]).exactOptional(),
});

/** The input is the file. The output is the HTTP status of the response, as JSON. */
export const putFile = declareOperation({ name: "put-file", params: paramsSchema, internet: true });
