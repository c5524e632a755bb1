// Declares the operation that checks whether web pages and fetches can access an address, without connecting.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({ url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength) });

/** Has neither inputs nor outputs. */
export const checkAddress = declareOperation({ name: "check-address", params: paramsSchema, internet: true });
