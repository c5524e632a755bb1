// Runs tool calls as requests to the API, so that keys, limits and errors are the same as for other clients.
import type { CallToolResult } from "@modelcontextprotocol/server";
import { isId } from "../../storage/file.ts";
import { type Described, isSelectable } from "../contract/described.ts";
import type { DescribedFile } from "../contract/operation-list.ts";
import { ONE_TIME_PATH } from "../contract/paths.ts";
import type { Dispatch, FactsOf, Tell } from "./dispatch.ts";
import { picturesOf, SHOWN } from "./pictures.ts";
import { producesImages } from "./tools.ts";

type Arguments = Readonly<Record<string, unknown>>;

interface Info {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly type: string;
  readonly size: number;
}

/** The error of a tool call: an error response of the API, or a mistake of the agent that the API cannot detect. */
export class CallError extends Error {}

/** Maximum number of output files that a result lists with their properties. Further files are listed as IDs only. */
const LINKED_FILES = 10;
const TOLD_IDS = 50;

/** The services for a call. */
export interface Calling {
  readonly dispatch: Dispatch;
  readonly factsOf: FactsOf;
  readonly progress: Tell;
}

/**
 * Runs an operation. The result contains the output data, or links to the output files and the images of the first
 * pages.
 */
export async function callOperation(
  operation: Described,
  args: Arguments,
  { dispatch, factsOf, progress }: Calling,
): Promise<CallToolResult> {
  const { input: single, inputs, ...others } = args;
  const { show = SHOWN.usually, ...shown } = others;
  const params = producesImages(operation) ? shown : others;
  if (!Number.isInteger(show) || Number(show) < 0 || Number(show) > SHOWN.most) {
    throw new CallError(`\`show\` must be a whole number from 0 to ${SHOWN.most}.`);
  }
  const body: Record<string, unknown> = { ...params };
  if (operation.input.kind === "one") Object.assign(body, await sourceOf(single, dispatch));
  if (operation.input.kind === "several") Object.assign(body, await sourcesOf(operation, inputs, dispatch));
  for (const file of operation.files) Object.assign(body, await furtherFilesOf(file, args[file.name], dispatch));
  const response = await post(dispatch, operation.path, body, progress);
  if (response.outputId === undefined) {
    return { content: [{ type: "text", text: JSON.stringify(response) }], structuredContent: response };
  }
  const ids = [response.outputId as string | string[]].flat();
  const files: Info[] = [];
  for (const id of ids.slice(0, LINKED_FILES)) {
    const facts = (await factsOf(id)) as Info | undefined;
    if (facts) files.push(needed(facts));
  }
  const drawn = { files: files.slice(0, Number(show)), inputId: response.inputId as string, pages: params.pages };
  const pictures = producesImages(operation) ? await picturesOf(drawn, dispatch) : [];
  const summary = { files, ids, notices: response.notices ?? [] };
  const content = [...files.map(linkTo), ...pictures, { type: "text" as const, text: textOf(summary) }];
  return { content, structuredContent: summary };
}

/** Returns the file properties that an agent needs. */
const needed = ({ id, name, url, type, size }: Info): Info => ({ id, name, url, type, size });

function textOf({ ids, ...told }: { readonly ids: readonly string[] }): string {
  const isWhole = ids.length <= TOLD_IDS;
  const rest = "the others are in structuredContent; select fewer pages to have all of them here";
  const more = isWhole ? {} : { more: `These are the first ${TOLD_IDS} of ${ids.length} ids: ${rest}.` };
  return JSON.stringify({ ...told, ids: ids.slice(0, TOLD_IDS), ...more });
}

/** Creates a URL to which a person or a program can upload one file. */
export async function createUpload({ name }: Arguments, { dispatch }: Calling): Promise<CallToolResult> {
  const query = typeof name === "string" ? `?name=${encodeURIComponent(name)}` : "";
  const { uploadUrl, expires } = await post(dispatch, `${ONE_TIME_PATH}${query}`, {});
  const text =
    `Send the file once, with PUT or POST, to ${uploadUrl} before ${expires}: curl -T FILE ${uploadUrl}\n` +
    "No key is needed. Then use the same address as an input of the other tools.";
  return { content: [{ type: "text", text }], structuredContent: { uploadUrl, expires } };
}

/** Returns the ID of a stored file that an agent has named. */
export async function idOf(file: unknown, dispatch: Dispatch): Promise<string> {
  const { id } = await sourceOf(file, dispatch);
  if (id === undefined) throw new CallError("`file` must be the id or the address of a stored file.");
  return id;
}

/** Returns the name, type, size and URL of a stored file, and the number of pages of a PDF. */
export async function describeFile({ file }: Arguments, { dispatch }: Calling): Promise<CallToolResult> {
  const id = await idOf(file, dispatch);
  const { pages, ...info } = await json<Info & { pages?: number }>(await dispatch(`/resource/${id}?format=info`));
  const summary = { ...needed(info), ...(pages === undefined ? {} : { pages }) };
  return { content: [linkTo(info), { type: "text", text: JSON.stringify(summary) }], structuredContent: summary };
}

/** Deletes a stored file. */
export async function deleteFile({ file }: Arguments, { dispatch }: Calling): Promise<CallToolResult> {
  const id = await idOf(file, dispatch);
  const response = await dispatch(`/resource/${id}`, { method: "DELETE" });
  if (!response.ok) throw await errorOf(response);
  return { content: [{ type: "text", text: "The file was removed." }] };
}

const linkTo = ({ url, name, type, size }: Info) =>
  ({ type: "resource_link", uri: url, name, mimeType: type, size }) as const;

async function sourcesOf(operation: Described, inputs: unknown, dispatch: Dispatch): Promise<Record<string, unknown>> {
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
  return isSelectable(operation) ? { ...named, type, pages } : named;
}

/**
 * Replaces an argument that contains further files by the API's fields for their IDs and URLs. Keeps the order of the
 * files.
 */
async function furtherFilesOf(file: DescribedFile, given: unknown, dispatch: Dispatch): Promise<object> {
  const body: Record<string, unknown> = { [file.name]: undefined };
  for (const [index, each] of (given === undefined ? [] : [given].flat()).entries()) {
    const { id, url } = await sourceOf(each, dispatch);
    const field = id === undefined ? file.url : file.id;
    body[file.list ? `${field}[${index}]` : field] = id ?? url;
  }
  return body;
}

/**
 * Returns the ID or URL of a file that an agent has named. The agent can send an ID, the URL of a stored file, an
 * upload URL whose file has arrived, or any other URL.
 */
async function sourceOf(
  args: unknown,
  dispatch: Dispatch,
): Promise<{ readonly id: string; readonly url?: never } | { readonly url: string; readonly id?: never }> {
  const text = typeof args === "string" ? args.trim() : "";
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

async function post(
  dispatch: Dispatch,
  path: string,
  content: object,
  progress?: Tell,
): Promise<Record<string, unknown>> {
  const body = new TextEncoder().encode(JSON.stringify(content));
  // Clients with a daily byte limit must send Content-Length, which the runtime does not add to in-process requests.
  const headers = { "Content-Type": "application/json", "Content-Length": String(body.length) };
  return json(await dispatch(path, { method: "POST", headers, body, ...(progress ? { progress } : {}) }));
}

export async function json<T>(response: Response): Promise<T> {
  if (!response.ok) throw await errorOf(response);
  return (await response.json()) as T;
}

async function errorOf(response: Response): Promise<CallError> {
  const { error } = (await response.json()) as { error: string };
  return new CallError(error);
}
