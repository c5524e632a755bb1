// Declares the operation that fetches a file from the web. The edge cannot do this: the container connects only to
// addresses that it has checked, and a Worker cannot.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength),
  maxBytes: z.int().min(0),
});

/** Takes no input. Its output has a name, and the type that the server says. */
export const fetchUrl = declareOperation({ name: "fetch-url", params: paramsSchema, internet: true });
