// Declares the operation that checks, without connecting, whether the service is allowed to fetch a URL.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";

const paramsSchema = z.object({ url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength) });

/** The operation has neither inputs nor outputs; it fails if the address is blocked. */
export const checkAddress = declareOperation({ name: "check-address", params: paramsSchema, internet: true });
