// Removes the restrictions and the permissions password of a PDF. Yields one output, which is encrypted only if it keeps
// the open password.
import { defineOperation, type Run } from "../../document/contract/operation.ts";
import { type Params, parameter } from "../../document/contract/parameter.ts";
import { currentPassword } from "../../document/contract/parameters/text.ts";
import { EVERYTHING } from "../../document/encryption/permissions.ts";
import { currentOpenPassword } from "./current-passwords.ts";
import { keptOpenPassword, openProtected, plainCopy, protectedCopy } from "./protected-pdf.ts";

const parameters = {
  currentPermissionsPassword: parameter("The permissions password of the input.", currentPassword),
  currentOpenPassword: {
    ...currentOpenPassword,
    description: "The password that opens the input; the output keeps it only if it is sent.",
  },
};
export type UnrestrictParams = Params<typeof parameters>;

/** @throws EngineFailure the failures of {@link openProtected} and {@link keptOpenPassword} */
const run: Run<UnrestrictParams> = async function* ([input], params, context) {
  const { currentOpenPassword: open, currentPermissionsPassword: permissions } = params;
  using pdf = await openProtected(input!, { open, permissions }, context);
  const kept = keptOpenPassword(pdf, open);
  if (kept === undefined) return yield plainCopy(pdf);
  yield protectedCopy(pdf, { openPassword: kept, permissionsPassword: kept, permissions: EVERYTHING });
};

export const unrestrictPdf = defineOperation({ name: "unrestrict-pdf", parameters, run });
