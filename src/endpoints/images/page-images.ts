// Declares the parts that all endpoints for images of pages have in common (spec, "Image endpoints").

import type { Endpoint } from "../../service/http/contract/endpoint.ts";
import { outOfRange } from "../../service/http/contract/errors.ts";

type Common = "path" | "verb" | "title" | "group" | "variants" | "example" | "openPasswordAlias" | "output";

/** @param type media type of the images */
export const pageImages = (format: string, title: string, type: string): Pick<Endpoint, Common> => ({
  path: `/${format}`,
  ...{ verb: format, title, group: "Draw the pages" },
  variants: ["private", "keyed"],
  example: { resolution: 150, pages: "1" },
  openPasswordAlias: "password",
  output: { kind: "files", naming: "prefix", type },
});

export const onePerPage = (formatName: string) => `Converts a PDF to ${formatName} files, one per selected page`;

export const TOO_SHARP = outOfRange("resolution", "9");
