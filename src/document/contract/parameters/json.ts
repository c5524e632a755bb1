// JSON parameters: text or a file in a form, an object or array in a JSON body.
import * as z from "zod";
import { LIMITS } from "../limits.ts";
import { type JsonContent, type Kind, UnreadableText } from "../parameter.ts";
import { isJsonPrefix } from "./json-prefix.ts";
import { isModestJson } from "./json-shape.ts";

/**
 * JSON validated by a schema. The error names the first invalid member.
 * @param more see {@link JsonContent}
 */
export const json = <T>(value: z.ZodType<T>, more: Omit<JsonContent, "schema"> = {}): Kind<T> => ({
  ...{ value, schema: { type: "string" }, control: "code", read: readJson },
  json: {
    ...more,
    get schema() {
      const { $schema: _, ...schema } = z.toJSONSchema(value, { io: "input", unrepresentable: "any" });
      return schema;
    },
  },
});

/** @param text a text that exceeds the maximum length can be truncated */
function readJson(text: string): unknown {
  if (new TextEncoder().encode(text).length > LIMITS.jsonFileBytes || !isModestJson(text)) {
    throw new UnreadableText(isJsonPrefix(text) ? "too-long" : "not-json");
  }
  try {
    // Windows editors write a byte order mark.
    return JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new UnreadableText("not-json");
  }
}
