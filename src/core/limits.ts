// Limits of a request at the edge, and the limits that the edge and the container share. container/limits.ts has those
// of the container alone. Names end with their unit (Ms, Bytes) unless they count something. scripts/limit-meanings.ts
// explains each one, and docs/limits.md lists all of them. Imports nothing.

const KIB = 2 ** 10;
const MIB = 2 ** 20;

export const LIMITS = {
  /** Equal to the platform's own limit of processor time (wrangler.toml). */
  requestJobMs: 300_000,
  turnWaitMs: 60_000,
  /** A sleeping instance must start first; a running one responds at once, before it starts to work. */
  containerAnswerMs: 30_000,
  /** The supervisor restarts a server within a second; the server takes a few seconds to load. */
  containerReturnMs: 15_000,
  storeAnswerMs: 30_000,
  slotWaitMs: 60_000,
  /** A few renewals may be late: an isolate that computes sends none. */
  leaseMs: 20_000,
  leaseRenewMs: 5_000,
  leaseAskMs: 5_000,
  /** The platform's library waits 8 s for a machine and 20 s for the server. */
  instanceStartMs: 40_000,
  instanceAskMs: 5_000,
  /** Half of the time after which an instance sleeps (placement/engine-container.ts). */
  instanceAwakeMs: 300_000,
  /** The supervisor restarts a server within a second. */
  instanceGoneMs: 2_000,
  instanceFullMs: 2_000,
  instanceNotStartedMs: 10_000,
  instanceOtherVersionMs: 10_000,
  /** Equal to the container's own limit. */
  instanceSlowAfterMs: 3_000,
  readyMs: 5_000,
  metricsMs: 2_000,
  fetchesMs: 300_000,
  /** A job ends with its answer, so a client that does not read keeps others from the engine. */
  answerStallMs: 30_000,

  uploadBytes: 100 * MIB,
  inputs: 1000,
  fieldBytes: 64 * KIB,
  fieldsBytes: 4 * MIB,
  /** Leaves room for fields that do not belong to an input. */
  formParts: 1000,
  /** Each input can have a file, an id, a type and an expression. */
  formPartsPerInput: 4,
  jsonBodyBytes: 8 * MIB,
  jsonFileBytes: MIB,
  metricsBytes: 4 * MIB,
  /** Many clients read the response only after they have sent everything. */
  drainedBytes: 256 * MIB,
  keyLength: 256,
  selectedPages: 20_000,
  addressLength: 8192,
  uploadMetadataLength: 8192,

  /** Up to here, each file is stored in one piece and not read back from storage. Most requests are below it. */
  keptUploadBytes: 8 * MIB,
  keptUploadsBytes: 16 * MIB,
  /** Each upload in progress holds a part of 5 MiB, or the bytes that are kept of it. */
  uploads: 6,
  uploadsWaiting: 64,
  /** A Wasm engine needs most of an isolate's memory. */
  engineJobs: 1,
  engineJobsWaiting: 16,
  /** A job that receives its output from the container holds one part of 5 MiB, and so does a streaming job. */
  receivingJobs: 6,
  receivingJobsWaiting: 32,
  /**
   * A job that waits for the container's first byte holds only a chunk. The container limits how many of them it runs.
   */
  containerJobs: 64,
  containerJobsWaiting: 64,
  /** One for each processor of the instance type (wrangler.toml). */
  instanceJobs: 2,
  /** Equal to the container's slow lane on a machine of that type. */
  instanceSlowJobs: 8,
  instanceJobsWaiting: 128,

  /** Workers end an isolate at 128 MB, which cover code, requests, buffers, the Wasm heap and the input. */
  isolateBytes: 128 * MIB,
  edgeHeapBytes: 88 * MIB,
  /** Leaves an engine a heap of 56 MiB, which opens a document of this size (measured: 22 MiB to start with). */
  edgeHeldBytes: 40 * MIB,

  /**
   * A3 at 2400 dpi in rgb passes, and the size of a BMP still fits its 32-bit field; 14,400 points at 2400 dpi do not.
   */
  imageSamples: 2 ** 32 - 2 ** 16,
  imageSidePixels: 400_000,
  tiffPages: 10_000,
} as const;
