// Formats and parses URL fragments that open results. Browsers do not send fragments, so the IDs in them appear in no
// log.

const NAME = "result";
const ID = /^[12][\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

export const fragmentOf = (ids: readonly string[]): string => `#${NAME}=${ids.join(",")}`;

/** Returns the file IDs in a fragment; none if the fragment has another form. */
export function idsIn(fragment: string): readonly string[] {
  const list = new URLSearchParams(fragment.replace(/^#/, "")).get(NAME) ?? "";
  return [...new Set(list.split(",").filter((id) => ID.test(id)))];
}
