// Declares the operation that posts a message to a receiver on the web. The edge cannot do this: the container connects
// only to addresses that it has checked, and a Worker cannot.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength),
  headers: z.record(z.string(), z.string()),
});

/** Takes the message as its input. Its output is the status of the answer, as JSON. */
export const postWebhook = declareOperation({ name: "post-webhook", params: paramsSchema, internet: true });
