// Adds file properties to a response with file IDs, if the request asks for them.
import { LOOKUP_CONCURRENCY, type Store } from "../../storage/store.ts";
import { type Feature, type Json, ref } from "../contract/description.ts";
import { infoOf } from "./operation-response.ts";

const FIELD = "Include-File-Info";
/** Headers of the request and members of the response. */
export const INCLUDED_INFO: Feature = {
  headers: {
    [FIELD]: {
      description: "`true` adds what format=info tells about the files of the answer, but for their pages.",
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
 * @param answer response to the request; returned unchanged unless it is JSON and the request asks for file properties
 */
export async function withFileInfo(
  { headers }: Request,
  answer: Response,
  { store, baseUrl }: { readonly store: Pick<Store, "find">; readonly baseUrl: string },
): Promise<Response> {
  const isJson = /^application\/json\b/.test(answer.headers.get("Content-Type") ?? "");
  const isAsked = headers.get(FIELD)?.trim().toLowerCase() === "true";
  if (!isAsked || !isJson || !answer.ok || answer.headers.has("Content-Disposition")) return answer;
  const body = (await answer.json()) as Named;
  const infos = async (ids: readonly string[]) => {
    const found: object[] = [];
    for (let at = 0; at < ids.length; at += LOOKUP_CONCURRENCY) {
      const files = await Promise.all(ids.slice(at, at + LOOKUP_CONCURRENCY).map((id) => store.find(id)));
      found.push(...files.flatMap((file) => (file ? [infoOf(file, baseUrl)] : [])));
    }
    return found;
  };
  const { inputId, outputId, files } = body;
  const told = {
    ...body,
    ...(inputId === undefined ? {} : { inputFiles: await infos([inputId].flat()) }),
    ...(outputId === undefined ? {} : { outputFiles: await infos([outputId].flat()) }),
    ...(files === undefined ? {} : { files: await infos(files.map(({ id }) => id)) }),
  };
  const { status } = answer;
  const others = new Headers(answer.headers);
  others.delete("Content-Length");
  return Response.json(told, { status, headers: others });
}
