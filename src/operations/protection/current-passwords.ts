// Parameters with the passwords that the input has.
import { optional } from "../../document/contract/parameter.ts";
import { currentPassword } from "../../document/contract/parameters/text.ts";

export const currentPermissionsPassword = optional(
  "The permissions password of the input, if it has one.",
  currentPassword,
);
export const currentOpenPassword = optional("The password that opens the input, if it has one.", currentPassword);
