// Adds file properties to a response that contains file IDs, if the request has the header Include-File-Info.
import { LOOKUP_CONCURRENCY, type Store } from "../../storage/store.ts";
import { type Feature, type Json, ref } from "../contract/description.ts";
import { infoOf } from "./operation-response.ts";

const FIELD = "Include-File-Info";
/** Describes the request header, and the additional members of the response. */
export const INCLUDED_INFO: Feature = {
  headers: {
    [FIELD]: {
      description:
        "`true` adds the properties that format=info returns for the files in the response, except their pages.",
      example: "true",
    },
  },
};

export const describeFiles = (of: "input" | "output"): Json => ({
  ...{ type: "array", items: ref("FileInfo") },
  description: `Facts about each ${of} that is still stored, for Include-File-Info: true.`,
});

interface Named {
  readonly inputId?: string | readonly string[];
  readonly outputId?: string | readonly string[];
  readonly files?: readonly { readonly id: string }[];
}

/**
 * @param response the response to the request. It is returned unchanged if it is not JSON, or if the request does not
 *   have the header Include-File-Info
 */
export async function withFileInfo(
  { headers }: Request,
  response: Response,
  { store, baseUrl }: { readonly store: Pick<Store, "find">; readonly baseUrl: string },
): Promise<Response> {
  const isJson = /^application\/json\b/.test(response.headers.get("Content-Type") ?? "");
  const isAsked = headers.get(FIELD)?.trim().toLowerCase() === "true";
  if (!isAsked || !isJson || !response.ok || response.headers.has("Content-Disposition")) return response;
  const body = (await response.json()) as Named;
  const infos = async (ids: readonly string[]) => {
    const found: object[] = [];
    for (let at = 0; at < ids.length; at += LOOKUP_CONCURRENCY) {
      const files = await Promise.all(ids.slice(at, at + LOOKUP_CONCURRENCY).map((id) => store.find(id)));
      found.push(...files.flatMap((file) => (file ? [infoOf(file, baseUrl)] : [])));
    }
    return found;
  };
  const { inputId, outputId, files } = body;
  const extended = {
    ...body,
    ...(inputId === undefined ? {} : { inputFiles: await infos([inputId].flat()) }),
    ...(outputId === undefined ? {} : { outputFiles: await infos([outputId].flat()) }),
    ...(files === undefined ? {} : { files: await infos(files.map(({ id }) => id)) }),
  };
  const { status } = response;
  const others = new Headers(response.headers);
  others.delete("Content-Length");
  return Response.json(extended, { status, headers: others });
}
