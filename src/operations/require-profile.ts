// Declares the operation that lets a PDF pass only if it conforms to a profile. The container runs it, because the
// container has the validator. Yields its input as one output.
import { declareOperation } from "../document/contract/operation.ts";
import { parameter } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { VALIDATED_PROFILES } from "./validate-pdf.ts";

const parameters = { profile: parameter("The standard.", choice(VALIDATED_PROFILES)) };

export const requireProfile = declareOperation({ name: "require-profile", parameters });
