// Creates the error of an input with a wrong type.

import { typeName } from "../../../document/contract/type-names.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import { type ServiceError, wrongType } from "../contract/errors.ts";

/**
 * Returns the error that names the input with the wrong type, and the allowed types.
 * @param takes list of the allowed types
 * @param place position of the input among several, from 1
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
