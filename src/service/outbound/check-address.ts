// Declares the operation that asks the gate of web pages about an address, without a connection.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({ url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength) });

/** Takes no input, and has no output. */
export const checkAddress = declareOperation({ name: "check-address", params: paramsSchema, internet: true });
