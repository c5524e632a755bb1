// Parameters that tag added content for accessibility, and members of its JSON.
import * as z from "zod";
import { OutOfRange } from "../failure.ts";
import { optional, parameter } from "../parameter.ts";
import { languageTag } from "./language.ts";
import { flag } from "./loose-json.ts";
import { trueFalse } from "./on-off.ts";

/** @param things the content, such as `images` */
export const tagParameters = (things: string) => ({
  tagEnabled: parameter(`Tags the ${things} for accessibility. Otherwise they are artifacts.`, trueFalse, "false"),
  tagLanguage: optional(`The language of tagged ${things}, such as \`en-US\`.`, languageTag),
});

/** Members of a picture or a shape. */
export const figureTags = {
  tag_alt_text: z.string().min(1).exactOptional(),
  tag_is_artifact: flag.exactOptional(),
  tag_structure_type: z.enum(["Figure", "Formula", "Form"]).exactOptional(),
};

const MEMBERS = ["tag_actual_text", "tag_alt_text", "tag_is_artifact", "tag_structure_type"] as const;

/**
 * Checks an object of a request that tags nothing.
 * @param path name of the object in errors
 * @throws OutOfRange if the object has a member about its tag
 */
export function checkUntagged(
  object: Readonly<Partial<Record<(typeof MEMBERS)[number], unknown>>>,
  path: string,
): void {
  const member = MEMBERS.find((name) => object[name] !== undefined);
  if (member) throw new OutOfRange(`${path}.${member}`, String(object[member]), "It requires tag_enabled.");
}
