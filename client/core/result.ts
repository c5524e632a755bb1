// Results of calls: stored files, which further calls accept as inputs.
import { type Connection, discardBody, json } from "./connection.ts";
import { type Download, download } from "./download.ts";
import { PagewrightError } from "./error.ts";
import type { StoredInput } from "./inputs.ts";
import type { JobResponse } from "./jobs.ts";
import type { CallOptions } from "./progress.ts";

/** Writes a download to a path, or into a folder under its own name. Returns the path of the file. */
export type SaveDownload = (download: Download, path: string) => Promise<string>;

export interface FileInfo {
  readonly id: string;
  readonly name: string;
  readonly url: string;
  /** Media type. */
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** ISO 8601. */
  readonly modified: string;
  /** Number of pages of a PDF. */
  readonly pages?: number;
  /** Error message if the content shows that no operation can read the file. */
  readonly problem?: string;
}

/** A file stored at the service. Only its methods download the content. */
export class StoredFile implements StoredInput {
  readonly id: string;
  /** Undefined until the service has reported it. */
  readonly sizeBytes: number | undefined;
  readonly #connection: Connection;
  readonly #save: SaveDownload;

  constructor(connection: Connection, save: SaveDownload, { id, sizeBytes }: StoredInput) {
    this.#connection = connection;
    this.#save = save;
    this.id = id;
    this.sizeBytes = sizeBytes;
  }

  /** URL of the file, for downloads without this client. */
  get url(): string {
    return `${this.#connection.baseUrl}/resource/${this.id}?format=file`;
  }

  /** Starts to download the file; returns its name, type, size and a stream of its bytes. */
  download(options?: CallOptions): Promise<Download> {
    return download(this.#connection, this.id, options);
  }

  async stream(options?: CallOptions): Promise<Download["body"]> {
    return (await this.download(options)).body;
  }

  async blob(options?: CallOptions): Promise<Blob> {
    const { body, type } = await this.download(options);
    // Not `new Response(body)`: browsers would replace the stream's error by a generic one.
    const parts: Uint8Array<ArrayBuffer>[] = [];
    const reader = body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) parts.push(next.value);
    return new Blob(parts, { type });
  }

  async bytes(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return new Uint8Array(await (await this.blob(options)).arrayBuffer());
  }

  async text(options?: CallOptions): Promise<string> {
    return (await this.blob(options)).text();
  }

  /**
   * Saves the file, on platforms with a file system. The file appears at the path when it is complete.
   * @param path of the file, or of a folder that exists or ends with a slash
   * @returns the path of the file
   */
  async save(path: string, options?: CallOptions): Promise<string> {
    return this.#save(await this.download(options), path);
  }

  info({ signal }: CallOptions = {}): Promise<FileInfo> {
    return this.#connection.request(`/resource/${this.id}?format=info`, { signal }, json<FileInfo>);
  }

  /** Deletes the file from the service. Deleting a missing file succeeds. */
  delete({ signal }: CallOptions = {}): Promise<void> {
    const call = { method: "DELETE", signal, expects: [404] };
    return this.#connection.request(`/resource/${this.id}`, call, discardBody);
  }
}

/** Methods that a result offers before the operation has finished. */
export type PendingResult = Pick<Promise<Result>, "then" | "catch" | "finally"> &
  Pick<Result, "blob" | "bytes" | "delete" | "save" | "stream" | "text">;

/** The output files of an operation, or its data. Methods such as `bytes()` require exactly one file. */
export class Result {
  readonly files: readonly StoredFile[];
  /** The response of an operation that returns data instead of files. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** IDs of the stored inputs, in order. */
  readonly inputIds: readonly string[];
  /** Content that the documents lost, one sentence per kind of loss. */
  readonly notices: readonly string[];
  readonly inputSizeBytes: number | undefined;
  readonly substitutedFonts: NonNullable<JobResponse["substitutedFonts"]>;

  constructor(answer: JobResponse, fileOf: (stored: StoredInput) => StoredFile) {
    const { outputId, outputSize, inputSize, inputId = [], notices = [], substitutedFonts = [], ...others } = answer;
    const { outputUrl: _, requestId: __, ...data } = others;
    this.files = [outputId ?? []].flat().map((id) => fileOf({ id, sizeBytes: outputSize }));
    this.data = outputId === undefined ? data : undefined;
    this.inputIds = [inputId].flat();
    this.notices = notices;
    this.inputSizeBytes = inputSize;
    this.substitutedFonts = substitutedFonts;
  }

  /** The only file. @throws PagewrightError if there are several */
  get file(): StoredFile {
    const [file, ...others] = this.files;
    if (file && others.length === 0) return file;
    const instead = this.data ? "data" : "files";
    throw new PagewrightError(0, `The result has ${this.files.length} files: use its \`${instead}\`.`);
  }

  get id(): string {
    return this.file.id;
  }

  get url(): string {
    return this.file.url;
  }

  get sizeBytes(): number | undefined {
    return this.file.sizeBytes;
  }

  stream(options?: CallOptions): Promise<Download["body"]> {
    return this.file.stream(options);
  }

  blob(options?: CallOptions): Promise<Blob> {
    return this.file.blob(options);
  }

  bytes(options?: CallOptions): Promise<Uint8Array<ArrayBuffer>> {
    return this.file.bytes(options);
  }

  text(options?: CallOptions): Promise<string> {
    return this.file.text(options);
  }

  /** Saves the file like {@link StoredFile.save}; several files go into a folder under their own names. */
  async save(path: string, options?: CallOptions): Promise<readonly string[]> {
    const [file, ...others] = this.files;
    if (file && others.length === 0) return [await file.save(path, options)];
    const folder = path.endsWith("/") ? path : `${path}/`;
    const paths: string[] = [];
    for (const each of this.files) paths.push(await each.save(folder, options));
    return paths;
  }

  /** Deletes the output files from the service, and keeps the stored inputs. */
  async delete(options?: CallOptions): Promise<void> {
    for (const file of this.files) await file.delete(options);
  }
}
