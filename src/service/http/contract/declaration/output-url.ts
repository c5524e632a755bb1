// Adds the field with which a client names the place for the result to each endpoint whose outputs are files.

import * as z from "zod";
import { LIMITS } from "../../../../document/contract/limits.ts";
import { type Kind, optional, type Parameters } from "../../../../document/contract/parameter.ts";
import { SECRET } from "../../../../document/contract/parameters/text.ts";
import { NOT_AN_ADDRESS, parseWebUrl } from "../../../../document/contract/web-url.ts";
import { notDelivered, outOfRange, type ServiceError } from "../errors.ts";
import type { OutputDeclaration } from "./output-declaration.ts";

export const OUTPUT_URL = "output_url";

/** A URL that permits writing, so it is a secret. */
const presignedUrl: Kind<string> = {
  ...{ value: z.string().refine((text) => parseWebUrl(text) !== undefined), control: "text", isSecret: true },
  schema: { type: "string", format: "uri", maxLength: LIMITS.addressLength, writeOnly: true },
  read: (given) => given,
  hint: NOT_AN_ADDRESS,
};

export const outputUrlField = ({ kind }: OutputDeclaration): Parameters =>
  kind === "files"
    ? { [OUTPUT_URL]: optional("Address for PUT, such as a presigned one, that receives the output.", presignedUrl) }
    : {};

export const outputUrlErrors = ({ kind }: OutputDeclaration): readonly ServiceError[] =>
  kind === "files" ? [outOfRange(OUTPUT_URL, SECRET), notDelivered()] : [];
