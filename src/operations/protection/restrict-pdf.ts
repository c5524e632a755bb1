// Restricts what readers of a PDF can do without its permissions password. Yields one output, encrypted with AES-256.
import { OutOfRange } from "../../document/contract/failure.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { optional, type Params, parameter } from "../../document/contract/parameter.ts";
import { choice } from "../../document/contract/parameters/choice.ts";
import { list, newPassword, SECRET } from "../../document/contract/parameters/text.ts";
import { areSamePassword } from "../../document/encryption/aes256.ts";
import { permissionsWithout, RESTRICTIONS } from "../../document/encryption/permissions.ts";
import { currentOpenPassword, currentPermissionsPassword } from "./current-passwords.ts";
import { keptOpenPassword, openProtected, protectedCopy } from "./protected-pdf.ts";

const parameters = {
  newPermissionsPassword: parameter(
    "The password that lifts the restrictions of the output, 6 to 128 characters.",
    newPassword,
  ),
  restrictions: optional("What the output forbids; nothing if left out.", list(choice(RESTRICTIONS))),
  currentPermissionsPassword,
  currentOpenPassword: {
    ...currentOpenPassword,
    description: "The password that opens the input; the output keeps it only if it is sent.",
  },
};
export type RestrictParams = Params<typeof parameters>;

/** @throws EngineFailure the failures of {@link openProtected} and {@link keptOpenPassword}; OutOfRange */
const run: Run<RestrictParams> = async function* ([input], params, context) {
  const { newPermissionsPassword, restrictions = [], currentOpenPassword: open } = params;
  using pdf = await openProtected(input!, { open, permissions: params.currentPermissionsPassword }, context);
  const openPassword = keptOpenPassword(pdf, open) ?? "";
  if (areSamePassword(openPassword, newPermissionsPassword))
    throw new OutOfRange("newPermissionsPassword", SECRET, "It is the open password.");
  const permissions = permissionsWithout(restrictions);
  yield protectedCopy(pdf, { openPassword, permissionsPassword: newPermissionsPassword, permissions });
};

export const restrictPdf = defineOperation({ name: "restrict-pdf", parameters, run });
