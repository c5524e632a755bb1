// Removes all passwords of a PDF, and with them its restrictions. Yields one output.
import { EngineFailure } from "../../document/contract/failure.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { type Params, parameter } from "../../document/contract/parameter.ts";
import { currentPassword } from "../../document/contract/parameters/text.ts";
import { restrictsAnything } from "../../document/encryption/permissions.ts";
import { currentPermissionsPassword } from "./current-passwords.ts";
import { openProtected, permissionsOf, plainCopy } from "./protected-pdf.ts";

const parameters = {
  currentOpenPassword: parameter("The password that opens the input.", currentPassword),
  currentPermissionsPassword: {
    ...currentPermissionsPassword,
    description: "The permissions password of the input, if the input has one and forbids anything.",
  },
};
export type DecryptParams = Params<typeof parameters>;

/** @throws EngineFailure the failures of {@link openProtected}, `permissions-required` */
const run: Run<DecryptParams> = async function* ([input], params, context) {
  const { currentOpenPassword: open, currentPermissionsPassword: permissions } = params;
  using pdf = await openProtected(input!, { open, permissions }, context);
  const { permissions: granted, revision } = permissionsOf(pdf);
  if (!pdf.source.access.isOwner && restrictsAnything(granted, revision)) {
    throw new EngineFailure("permissions-required", "the document is restricted");
  }
  yield plainCopy(pdf);
};

export const decryptPdf = defineOperation({ name: "decrypt-pdf", parameters, run });
