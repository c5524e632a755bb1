// Declares the operation that inserts Markdown texts into an HTML page, where the page names them: `{{ toHTML "a.md" }}`.
// The container runs it, before it prints the page. Yields the page, and then the other files among its inputs.
import * as z from "zod";
import { declareOperation } from "../../document/contract/operation.ts";

/** {@link Input.role} of the texts. */
export const MARKDOWN = "markdown";

export const fillTemplate = declareOperation({ name: "fill-template", params: z.object({}) });
