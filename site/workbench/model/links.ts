// Writes and reads the fragments of addresses that open results. Fragments are not sent, so no log has the ids.

const NAME = "result";
const ID = /^[12][\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const fragmentOf = (ids: readonly string[]): string => `#${NAME}=${ids.join(",")}`;

/** Returns the ids of files in a fragment; none if it is none of a result. */
export function idsIn(fragment: string): readonly string[] {
  const list = new URLSearchParams(fragment.replace(/^#/, "")).get(NAME) ?? "";
  return [...new Set(list.split(",").filter((id) => ID.test(id)))];
}
