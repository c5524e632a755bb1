// Limits of a request at the edge, and the limits that the edge and the container share. container/limits.ts has those
// of the container alone. Names end with their unit (Ms, Bytes) unless they count something. scripts/limit-descriptions.ts
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
  instanceAliveMs: 20_000,
  /** Half of the time after which an instance sleeps (placement/engine-container.ts). */
  instanceAwakeMs: 300_000,
  /** The supervisor restarts a server within a second. */
  instanceGoneMs: 2_000,
  instanceFullMs: 2_000,
  instanceNotStartedMs: 10_000,
  instanceOtherVersionMs: 10_000,
  /** Equal to the container's own limit. */
  instanceSlowAfterMs: 3_000,
  limiterMs: 5_000,
  usageMs: 10_000,
  /** A few renewals may be late: an isolate that computes sends none. */
  clientLeaseMs: 60_000,
  clientRenewMs: 15_000,
  readyMs: 5_000,
  metricsMs: 2_000,
  spansExportMs: 5_000,
  fetchesMs: 300_000,
  /** Time for what the gate says about the addresses of an asynchronous job; after it, the job finds out. */
  addressChecksMs: 3_000,
  /** Below the 100 s after which Cloudflare and other proxies give up. */
  claimWaitMs: 60_000,
  /** Engines at the edge pause more often. */
  claimLeaseMs: 30_000,
  claimRenewMs: 5_000,
  claimAnswerMs: 10_000,
  keptAnswerMs: 24 * 3_600_000,
  retiredMs: 24 * 3_600_000,
  /** An engine at the edge may keep its runner from renewing for as long. */
  asyncLeaseMs: 30_000,
  asyncRenewMs: 1_000,
  /** Runners renew several times within it. */
  asyncGraceMs: 5_000,
  asyncAnswerMs: 10_000,
  asyncPauseMs: 5_000,
  /** An instance may have to start. */
  webhookMs: 70_000,
  webhookLeaseMs: 90_000,
  webhookDayMs: 24 * 3_600_000,
  statusPollMs: 500,
  statusBeatMs: 15_000,
  /** A request may ask the queue a limited number of times. */
  statusStreamMs: 240_000,
  /** An agent may hand the address to a person. */
  oneTimeUploadMs: 3_600_000,
  oneTimeHoldMs: 900_000,
  /** A job ends with its answer, so a client that does not read keeps others from the engine. */
  answerStallMs: 30_000,
  /** The system buffers megabytes, which a slow line takes in large parts. */
  connectionStallMs: 120_000,
  /** Time in which clients may keep a job waiting that makes what they take. */
  answerLagMs: 1_000,
  /** Leaves time for others that have the processors too, and for compressing the result. */
  flatteningCpuMs: 180_000,
  /** A line of 2 KB a second sends twice as much as it must in that time. */
  bodyStallMs: 30_000,

  uploadBytes: 100 * MIB,
  /** Two of the largest pictures. */
  outputBytes: 8192 * MIB,
  inputs: 1000,
  fieldBytes: 64 * KIB,
  fieldsBytes: 4 * MIB,
  /** Leaves room for fields that do not belong to an input. */
  formParts: 1000,
  /** Each input can have a file, an id, a type and an expression. */
  formPartsPerInput: 4,
  /** Thousands of parts have that much of names and boundaries. */
  formOverheadBytes: 8 * MIB,
  jsonBodyBytes: 8 * MIB,
  bodyStallBytes: 32 * KIB,
  agentMessageBytes: 4 * MIB,
  /** Fields are texts and lists of them; a compression profile is the deepest value. */
  jsonDepth: 64,
  jsonParts: 100_000,
  jsonFileBytes: MIB,
  /** Is held in memory beside the requests of an isolate. */
  checkedArchiveBytes: 4 * MIB,
  /** Is held in memory until the answer is made of it. */
  dataBytes: 4 * MIB,
  metricsBytes: 4 * MIB,
  /** Many clients read the response only after they have sent everything. */
  drainedBytes: 256 * MIB,
  spans: 2048,
  spansOfJob: 16,
  keyLength: 256,
  /** A file must not end while it is being stored. */
  fileLifetimeSeconds: 60,
  usageDays: 400,
  idempotencyKeyLength: 255,
  selectedPages: 20_000,
  addressLength: 8192,
  uploadMetadataLength: 8192,

  /** Up to here, each file is stored in one piece and not read back from storage. Most requests are below it. */
  keptUploadBytes: 8 * MIB,
  keptUploadsBytes: 16 * MIB,
  /** The largest body in JSON fits beside another one. */
  heldBodiesBytes: 16 * MIB,
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
  /** Leaves the rest to requests whose clients wait. */
  asyncJobs: 2,
  asyncJobsWaiting: 10_000,
  /** A service that crashes or restarts takes its jobs along, through no fault of theirs. */
  asyncAttempts: 5,
  /** Ten minutes, with the pauses. */
  asyncPostponements: 120,
  /** The streams of a job share one question a poll. */
  statusStreamsOfJob: 64,
  /** A proxy whose clients are not told apart is one client. */
  statusStreamsOfClient: 256,
  webhooks: 8,
  /** Nobody's slow receivers keep those of others waiting. */
  webhooksOfClient: 4,
  webhooksOfReceiver: 2,
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
  /** A3 at 600 dpi takes 70 million. */
  picturedPagePixels: 100_000_000,
  picturedDocumentPixels: 400_000_000,

  /** Pictures by URL are drawn one after the other, beside an engine at work if there is memory for both. */
  pictureJobs: 1,
  pictureJobsWaiting: 256,
  pictureHeapBytes: 36 * MIB,
  /** A0 at 300 dpi is beyond it, and is drawn as tiles. */
  picturePixels: 2 ** 26,
  pictureSidePixels: 16_384,
  pictureDpi: 2400,
  /** Up to here, a picture by URL is complete before it is sent, and cached. */
  wholePicturePixels: 2 ** 20,
  /** The largest side of a JPEG. */
  pageSidePixels: 65_535,
  extractedPageBytes: 8 * MIB,
  extractedGroups: 64,
  cachedPictureBytes: 2 * MIB,
  cachedPictures: 64,
} as const;
