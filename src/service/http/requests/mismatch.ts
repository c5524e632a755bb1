// Creates the error for an input that has the wrong type.

import { typeName } from "../../../document/contract/type-names.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import { type ServiceError, wrongType } from "../contract/errors.ts";

/**
 * Returns an error whose message contains the name and type of the input, and the allowed types.
 * @param takes description of the allowed types, for example `PDF`
 * @param place number of the input, from 1, and number of all inputs
 */
export function mismatch(
  { name, type, size }: Pick<ReceivedFile, "name" | "type" | "size">,
  takes: string,
  place?: { readonly number: number; readonly of: number },
): ServiceError {
  const which = place && place.of > 1 ? `, number ${place.number} of the ${place.of} inputs,` : "";
  return wrongType(
    `${shortened(name)}${which} is ${size === 0 ? "empty" : typeName(type)}; this endpoint takes ${takes}.`,
  );
}

const SHOWN_NAME_LENGTH = 100;
const shortened = (name: string) => (name.length <= SHOWN_NAME_LENGTH ? name : `${name.slice(0, SHOWN_NAME_LENGTH)}…`);
