// Defines the parsed body of a POST, and the options for parsing it.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { RequestMemory } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import type { SentFields } from "./fields.ts";

/**
 * The fields and files of a request. The spellings of a list are equivalent: repeated `pages[]`, repeated `pages`, or
 * `pages[0]`, `pages[1]`.
 */
export interface Form extends SentFields {
  /** Files by field name, in the same order as values. */
  readonly files: ReadonlyMap<string, readonly ReceivedFile[]>;
  /** All files of the form. Some might still be in the process of being stored. */
  readonly uploads: Batch;
  /** Names of fields and files in order of arrival, one entry per value. */
  readonly order: readonly string[];
  /** Encoding of the body. `output` is optional in JSON and required in multipart (docs/api.md#json-bodies). */
  readonly encoding: "multipart" | "urlencoded" | "json";
}

export interface FormOptions extends Omit<RequestMemory, "responseReservation"> {
  readonly store: Store;
  /**
   * Names of the file fields. A part with any other name is a text field, even if its headers contain a file name.
   * @default none
   */
  readonly fileFields?: ReadonlySet<string>;
  /** Names of the file fields that contain text. In a JSON body, such a field is a string. @default none */
  readonly textFields?: ReadonlySet<string>;
  /**
   * Names of the fields that accept a small JSON file. The text of the file becomes the field's value. @default none
   */
  readonly jsonFileFields?: ReadonlySet<string>;
  /**
   * Names of the fields that accept a small secret file. The content of the file becomes the field's value, and is not
   * stored. @default none
   */
  readonly secretFileFields?: ReadonlySet<string>;
  /**
   * Names of the fields that contain passwords. In a JSON body, such a field is a string: a number can lose digits.
   * @default none
   */
  readonly passwordFields?: ReadonlySet<string>;
  /** True if the files are not needed after the request. They are then stored only if memory is insufficient. */
  readonly isTransient: boolean;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Limits concurrent uploads, because each buffers one part. */
  readonly uploadSemaphore: Semaphore;
  readonly signal: AbortSignal;
  /** Called with the first bytes of each file, before the remaining bytes arrive. */
  onFileStart?(start: Uint8Array, name: string): void;
  /** Size of the whole body in bytes, if the client sent it. */
  readonly bodySize?: number;
}

/** Returns the maximum number of parts. */
export const maxParts = (maxFiles: number) => LIMITS.formPartsPerInput * maxFiles + LIMITS.formParts;
