// The fields of /pdf for Office documents: their options, and the password that opens them.

import { optional, type Params } from "../../document/contract/parameter.ts";
import { currentPassword } from "../../document/contract/parameters/text.ts";
import { OFFICE_OPTIONS, type OfficeOptions } from "../../operations/to-pdf/office-options.ts";
import { OPEN_PASSWORD, openPasswordIn } from "../../service/http/contract/declaration/open-password.ts";
import type { PrepareContext } from "../../service/http/contract/endpoint.ts";

const PASSWORDS = {
  [OPEN_PASSWORD]: optional("The password that opens the input (Office documents).", currentPassword),
  password: optional(`Another name of ${OPEN_PASSWORD}.`, currentPassword),
};

export const OFFICE_FIELDS = { ...OFFICE_OPTIONS, ...PASSWORDS };

type Fields = Params<typeof OFFICE_FIELDS> & { readonly page_orientation: "portrait" | "landscape" };

/**
 * Returns the options that change something.
 * @throws ServiceError 400 if the password and its other name differ
 */
export function officeOptionsIn(fields: Fields, isSent: PrepareContext["isSent"]): OfficeOptions {
  const password = openPasswordIn(PASSWORDS, fields);
  const asked = Object.entries(OFFICE_OPTIONS).flatMap(([name, { kind, default: fallback }]) => {
    const value = fields[name as keyof typeof OFFICE_OPTIONS];
    const isDefault = fallback !== undefined && kind.read(fallback) === value;
    return value === undefined || isDefault ? [] : [[name, value] as const];
  });
  return {
    ...Object.fromEntries(asked),
    ...(password === undefined ? {} : { password }),
    ...(isSent("page_orientation") ? { page_orientation: fields.page_orientation } : {}),
  };
}
