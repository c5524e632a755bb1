// Carries out the calls of agents as requests to the API itself, so that keys, limits and errors are those of any client.
import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { Progress } from "../../core/jobs.ts";
import { isId } from "../../storage/file.ts";
import { ONE_TIME_PATH } from "../one-time.ts";
import type { Tool } from "./tools.ts";

/** Serves a request as the service does. The path is that of the API. */
export type Dispatch = (path: string, init?: RequestInit & { readonly progress?: Tell }) => Promise<Response>;

type Tell = (progress: Progress) => void;

type Arguments = Readonly<Record<string, unknown>>;

interface Info {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly size: number;
}

/** A mistake of the agent that the API cannot tell, or an error of the API. */
export class CallError extends Error {}

/** No more files than these are listed with their facts. */
const LINKED_FILES = 50;

/** Runs an operation. The result links to the files that it made. */
export async function callOperation(
  tool: Tool,
  given: Arguments,
  dispatch: Dispatch,
  progress: Tell,
): Promise<CallToolResult> {
  const { input: single, inputs, ...params } = given;
  const body: Record<string, unknown> = { ...params };
  if (tool.input.kind === "one") Object.assign(body, await sourceOf(single, dispatch));
  if (tool.input.kind === "several") Object.assign(body, await sourcesOf(tool, inputs, dispatch));
  const answer = await post(dispatch, tool.path, body, progress);
  const ids = [answer.outputId as string | string[]].flat();
  const files = await Promise.all(ids.slice(0, LINKED_FILES).map((id) => infoOf(id, dispatch)));
  const links = files.map(linkTo);
  const told = { files, ids, notices: answer.notices ?? [] };
  return { content: [...links, { type: "text", text: JSON.stringify(told) }], structuredContent: told };
}

/** Makes an address at which a person or a program uploads one file. */
export async function createUpload({ name }: Arguments, dispatch: Dispatch): Promise<CallToolResult> {
  const query = typeof name === "string" ? `?name=${encodeURIComponent(name)}` : "";
  const { uploadUrl, expires } = await post(dispatch, `${ONE_TIME_PATH}${query}`, {});
  const text =
    `Send the file once, with PUT or POST, to ${uploadUrl} before ${expires}: curl -T FILE ${uploadUrl}\n` +
    "No key is needed. Then use the same address as an input of the other tools.";
  return { content: [{ type: "text", text }], structuredContent: { uploadUrl, expires } };
}

/** Tells the name, type, size and address of a stored file. */
export async function describeFile({ file }: Arguments, dispatch: Dispatch): Promise<CallToolResult> {
  const { id } = await sourceOf(file, dispatch);
  if (id === undefined) throw new CallError("`file` must be the id or the address of a stored file.");
  const info = await infoOf(id, dispatch);
  return { content: [linkTo(info), { type: "text", text: JSON.stringify(info) }], structuredContent: { ...info } };
}

/** Removes a stored file. */
export async function deleteFile({ file }: Arguments, dispatch: Dispatch): Promise<CallToolResult> {
  const { id } = await sourceOf(file, dispatch);
  if (id === undefined) throw new CallError("`file` must be the id or the address of a stored file.");
  const answer = await dispatch(`/resource/${id}`, { method: "DELETE" });
  if (!answer.ok) throw await errorOf(answer);
  return { content: [{ type: "text", text: "The file was removed." }] };
}

const linkTo = ({ url, name, type, size, id }: Info) =>
  ({ type: "resource_link", uri: url, name, mimeType: type, size, description: `Id: ${id}` }) as const;

async function sourcesOf({ input }: Tool, inputs: unknown, dispatch: Dispatch): Promise<Record<string, unknown>> {
  if (!Array.isArray(inputs)) throw new CallError("`inputs` must be a list.");
  const body = { id: [] as string[], url: [] as string[], type: [] as string[], pages: [] as string[] };
  for (const each of inputs) {
    const { input: file, pages = "all" } = typeof each === "object" && each !== null ? each : { input: each };
    const { id, url } = await sourceOf(file, dispatch);
    if (id === undefined) body.url.push(url!);
    else body.id.push(id);
    body.type.push(id === undefined ? "url" : "id");
    if (typeof pages !== "string" && typeof pages !== "number") throw new CallError("`pages` must be a text.");
    body.pages.push(String(pages));
  }
  const { id, url, type, pages } = body;
  const named = { ...(id.length > 0 ? { id } : {}), ...(url.length > 0 ? { url } : {}) };
  return input.selectable ? { ...named, type, pages } : named;
}

/** Recognizes an id, the address of a stored file, an upload address whose file has arrived, or any other address. */
async function sourceOf(
  given: unknown,
  dispatch: Dispatch,
): Promise<{ readonly id: string; readonly url?: never } | { readonly url: string; readonly id?: never }> {
  const text = typeof given === "string" ? given.trim() : "";
  if (isId(text)) return { id: text };
  if (!URL.canParse(text) || !/^https?:/i.test(text)) {
    throw new CallError("A file is given by its id, by its address, or by an upload address of create_upload.");
  }
  const { pathname } = new URL(text);
  const stored = /\/resource\/([^/]+)$/.exec(pathname)?.[1];
  if (stored !== undefined && isId(stored)) return { id: stored };
  const token = new RegExp(`${ONE_TIME_PATH}/([\\da-f]{64})$`).exec(pathname)?.[1];
  if (token === undefined) return { url: text };
  const { files } = await json<{ files: { id: string }[] }>(await dispatch(`${ONE_TIME_PATH}/${token}`));
  if (!files[0]) throw new CallError("No file has arrived at this upload address yet.");
  return { id: files[0].id };
}

const infoOf = async (id: string, dispatch: Dispatch): Promise<Info> =>
  json<Info>(await dispatch(`/resource/${id}?format=info`));

async function post(
  dispatch: Dispatch,
  path: string,
  content: object,
  progress?: Tell,
): Promise<Record<string, unknown>> {
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Clients with a limit of bytes a day have to tell the size, and no runtime adds it here.
  const headers = { "Content-Type": "application/json", "Content-Length": String(body.length) };
  return json(await dispatch(path, { method: "POST", headers, body, ...(progress ? { progress } : {}) }));
}

async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as T;
}

async function errorOf(response: Response): Promise<CallError> {
  const { error } = (await response.json()) as { error: string };
  return new CallError(error);
}
