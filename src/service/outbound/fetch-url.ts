// Declares the operation that fetches a file from the web. It runs in the container, which connects only to IP
// addresses that it has checked. A Worker cannot guarantee this.
import * as z from "zod";
import { LIMITS } from "../../document/contract/limits.ts";
import { declareOperation } from "../../document/contract/operation.ts";
import { visitSchema } from "../../document/contract/parameters/web-page.ts";

const paramsSchema = z.object({
  url: z.url({ protocol: /^https?$/ }).max(LIMITS.addressLength),
  maxBytes: z.int().min(0),
  /**
   * True to visit the URL like the browser, and to keep a web page for a job: its output is empty, and has the name
   * under which the container keeps the page, or none. @default false
   */
  keepsPage: z.boolean().exactOptional(),
  /** The cookies, headers and user agent to send. @default those of the service */
  visit: visitSchema.exactOptional(),
});

/** The operation has no input. Its output has the name and media type from the server's response. */
export const fetchUrl = declareOperation({ name: "fetch-url", params: paramsSchema, internet: true });
