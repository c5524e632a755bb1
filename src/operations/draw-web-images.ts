// Declares the operation that renders the pages of a PDF as WebP or AVIF images. Its code is in container-only/.

import * as z from "zod";
import { declareOperation } from "../document/contract/operation.ts";
import { onlyWith, type Params, parameter, schemaOf } from "../document/contract/parameter.ts";
import { choice } from "../document/contract/parameters/choice.ts";
import { integer } from "../document/contract/parameters/number.ts";
import { onOff } from "../document/contract/parameters/on-off.ts";
import { DRAWING_PARAMETERS, onePartition } from "./draw-pages.ts";

const quality = integer({ min: 1, max: 100 });
const QUALITY = "Higher gives better quality and larger files.";

const parameters = {
  format: parameter("The format of the files.", choice(["webp", "avif"])),
  ...DRAWING_PARAMETERS,
  quality: onlyWith("format", "webp", parameter(QUALITY, quality, "75")),
  avifQuality: onlyWith("format", "avif", parameter(QUALITY, quality, "60")),
  lossless: onlyWith("format", "webp", parameter("Keeps every color, and ignores quality.", onOff, "off")),
};
const params: z.ZodType<Params<typeof parameters> & { readonly share?: z.infer<typeof onePartition> }> = z.intersection(
  schemaOf(parameters),
  z.object({ share: onePartition.exactOptional() }),
);
export type WebImageParams = z.infer<typeof params>;
export type WebFormat = WebImageParams["format"];

export const WEB_MEDIA_TYPES: Readonly<Record<WebFormat, string>> = { webp: "image/webp", avif: "image/avif" };

export const drawWebImages = { ...declareOperation({ name: "draw-web-images", params }), parameters };
