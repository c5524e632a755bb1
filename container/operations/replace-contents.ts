// Hosted for what becomes PDF/A: it has no parameters.

import { z } from "zod";
import { replaceContents } from "../../src/operations/pdfa-steps/replace-contents.ts";
import { edgeOperation } from "./edge-operation.ts";

export const hostedReplaceContents = edgeOperation(replaceContents, z.object({}));
