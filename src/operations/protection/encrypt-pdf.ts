// Encrypts a PDF with AES-256, so that it opens only with a password. Yields one output, which keeps the restrictions
// and the permissions password of the input.
import { EngineFailure, OutOfRange } from "../../document/contract/failure.ts";
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { type Params, parameter } from "../../document/contract/parameter.ts";
import { newPassword, SECRET } from "../../document/contract/parameters/text.ts";
import { areSamePassword } from "../../document/encryption/aes256.ts";
import { EVERYTHING, inLastRevision } from "../../document/encryption/permissions.ts";
import { currentOpenPassword, currentPermissionsPassword } from "./current-passwords.ts";
import { checkKept, openProtected, permissionsOf, protectedCopy } from "./protected-pdf.ts";

const parameters = {
  newOpenPassword: parameter("The password that opens the output, 6 to 128 characters.", newPassword),
  currentOpenPassword,
  currentPermissionsPassword,
};
export type EncryptParams = Params<typeof parameters>;

/** @throws EngineFailure the failures of {@link openProtected}, `permissions-required`; OutOfRange */
const run: Run<EncryptParams> = async function* ([input], params, context) {
  const { newOpenPassword: openPassword, currentOpenPassword: open, currentPermissionsPassword: permissions } = params;
  using pdf = await openProtected(input!, { open, permissions }, context);
  const { isOwner, permissionsPassword } = pdf.source.access;
  if (!isOwner) throw new EngineFailure("permissions-required", "no password is the permissions password");
  if (permissionsPassword === undefined) {
    // A reader grants every permission to a user whose password is also the permissions password.
    const permissionsPassword = openPassword;
    return yield protectedCopy(pdf, { openPassword, permissionsPassword, permissions: EVERYTHING });
  }
  checkKept("currentPermissionsPassword", permissionsPassword);
  if (areSamePassword(permissionsPassword, openPassword))
    throw new OutOfRange("newOpenPassword", SECRET, "It is the permissions password.");
  const { permissions: kept, revision } = permissionsOf(pdf);
  yield protectedCopy(pdf, { openPassword, permissionsPassword, permissions: inLastRevision(kept, revision) });
};

export const encryptPdf = defineOperation({ name: "encrypt-pdf", parameters, run });
