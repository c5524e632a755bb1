// Page ranges such as `1-3, 5, 7-`.

import { type Field, text } from "./fields.ts";

const RANGE = /^(\d{1,9})?\s*-\s*(\d{1,9})?$|^(\d{1,9})$/;

/** A page selection in the words of the service: `1-3,5,7-last`. */
export const ranges: Field<string> = {
  ...text,
  read(given) {
    const parts = given.split(",").map((part) => RANGE.exec(part.trim()));
    if (parts.some((part) => part === null || part[0] === "-")) return undefined;
    return parts.map((part) => part![3] ?? `${part![1] ?? "1"}-${part![2] ?? "last"}`).join(",");
  },
  expected: "page ranges such as 1-3,5,7-",
};
