// Declares the operation that removes the transparency of a PDF. Its code is in container-only/.
import { declareOperation } from "../document/contract/operation.ts";
import { type Params, parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { FLATTENING_QUALITIES } from "../document/flattening/settings.ts";

const parameters = {
  quality: parameter(
    "low for proofs on black-and-white printers and for the web, medium for desktop proofs and color " +
      "printers, high for press.",
    choice(FLATTENING_QUALITIES),
    "medium",
  ),
};
export type FlattenParams = Params<typeof parameters>;

export const flattenTransparency = declareOperation({ name: "flatten-transparency", parameters });
