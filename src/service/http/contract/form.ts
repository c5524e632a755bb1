// Defines what the body of a POST is read into, and how.

import { LIMITS } from "../../../document/contract/limits.ts";
import type { Semaphore } from "../../placement/semaphore.ts";
import type { Batch } from "../../storage/batch.ts";
import type { ReceivedFile } from "../../storage/file.ts";
import type { Reservation } from "../../storage/memory-quota.ts";
import type { Store } from "../../storage/store.ts";
import type { SentFields } from "./fields.ts";

/**
 * A request's fields and files. All spellings of lists are equivalent: `pages[]`, repeated `pages`, and `pages[0]`,
 * `pages[1]`.
 */
export interface Form extends SentFields {
  /** Files by the name of their field, in the same order. */
  readonly files: ReadonlyMap<string, readonly ReceivedFile[]>;
  /** All files, on their way into the store. */
  readonly uploads: Batch;
  /** Names of fields and files in the order of arrival, one entry for each value. */
  readonly order: readonly string[];
  /**
   * Encoding of the body. JSON clients may leave out `output`, which multipart clients must send
   * (docs/api.md#json-bodies).
   */
  readonly encoding: "multipart" | "urlencoded" | "json";
}

export interface FormOptions {
  readonly store: Store;
  /** Names of the file fields. A part with any other name is a field, whatever its headers claim. */
  readonly fileFields: ReadonlySet<string>;
  /** Names of the file fields that hold text, which is a string in a JSON body. */
  readonly textFields: ReadonlySet<string>;
  /** Names of the fields that are small JSON files. Their text becomes a value of the field. */
  readonly jsonFileFields: ReadonlySet<string>;
  /** True if files need not outlive the request. They are stored only if there is no memory for them. */
  readonly isTransient: boolean;
  readonly maxFileBytes: number;
  readonly maxFiles: number;
  /** Limits concurrent uploads, because each holds a buffer of one part. */
  readonly uploadTurns: Semaphore;
  /** Memory for files until the request ends. Files stay in memory as long as there is room. */
  readonly uploadReservation: Reservation;
  /** Memory for files that wait to be stored together with others. */
  readonly batchReservation: Reservation;
  /** Memory for fields and for bodies that are read as a whole, from before they arrive until the request ends. */
  readonly held: Reservation;
  readonly signal: AbortSignal;
  /** Called with the first bytes of each file, while the rest arrives. */
  onFileStart?(start: Uint8Array, name: string): void;
  /** Size of the whole body in bytes, if the client sent it. */
  readonly bodySize?: number;
}

/** Returns the limit of parts. */
export const maxParts = (maxFiles: number) => LIMITS.formPartsPerInput * maxFiles + LIMITS.formParts;
