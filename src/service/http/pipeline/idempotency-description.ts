// Describes the header Idempotency-Key, which every POST accepts.
import { LIMITS } from "../../../document/contract/limits.ts";
import type { Feature } from "../contract/description.ts";
import { idempotencyKeyReused, invalidHeader, requestInProgress } from "../contract/errors.ts";

export const IDEMPOTENCY: Feature = {
  headers: {
    "Idempotency-Key": {
      description: "Makes the request safe to repeat: it is carried out once.",
      schema: { type: "string", pattern: "^[!-~]+$", maxLength: LIMITS.idempotencyKeyLength },
      example: "9b2f6c1e-2b1d-4f0a-8e57-0c3a7d1f6b42",
    },
  },
  responseHeaders: {
    "Idempotent-Replayed": { description: "Set if the request was repeated.", example: "true" },
  },
  errors: [invalidHeader("Idempotency-Key"), requestInProgress(), idempotencyKeyReused()],
};
