// Limits of the edge, and limits shared by edge and container; container/limits.ts has the container's other limits.
// Names end with their unit (Ms, Bytes) unless they count something. scripts/limits/limit-descriptions.ts explains each
// limit, and docs/limits.md lists all. This file imports nothing.

const KIB = 2 ** 10;
const MIB = 2 ** 20;

export const LIMITS = {
  /** Equal to the platform's CPU time limit (wrangler.toml). */
  requestJobMs: 300_000,
  permitWaitMs: 60_000,
  /** A sleeping instance must start first. A running instance responds at once, before it runs the job. */
  containerResponseMs: 30_000,
  /** The supervisor restarts a crashed server within a second; loading takes a few seconds more. */
  containerReturnMs: 15_000,
  storeResponseMs: 30_000,
  slotWaitMs: 60_000,
  /** Allows for a few late renewals: an isolate sends none while it computes. */
  slotLeaseMs: 20_000,
  leaseRenewMs: 5_000,
  leaseAskMs: 5_000,
  /** The platform's library waits 8 s for a machine and 20 s for the server. */
  instanceStartMs: 40_000,
  instanceAskMs: 5_000,
  instanceAliveMs: 20_000,
  /** Half of the idle time after which an instance sleeps (placement/engine-container.ts). */
  instanceAwakeMs: 300_000,
  /** The supervisor restarts a crashed server within a second. */
  instanceGoneMs: 2_000,
  instanceFullMs: 2_000,
  instanceNotStartedMs: 10_000,
  instanceOtherVersionMs: 10_000,
  /** Equal to the container's limit. */
  instanceSlowAfterMs: 3_000,
  limiterMs: 5_000,
  regionSilentMs: 5_000,
  regionLostMs: 15_000,
  freshFileMs: 30_000,
  /** The contract states it as the time in which a deletion takes effect everywhere. */
  knownFileMs: 60_000,
  copyAfterMs: 600_000,
  /** Longer than the platform lets work continue after a response. */
  copyMs: 60_000,
  usageMs: 10_000,
  /** Allows for a few late renewals: an isolate sends none while it computes. */
  clientLeaseMs: 60_000,
  clientRenewMs: 15_000,
  /** Short, because other regions cannot use what one region holds and does not use. */
  allowanceMs: 20_000,
  /** A request can wait for two calls within `limiterMs`. */
  allowanceCallMs: 2_000,
  /** Includes the time for which a job waits, and for which its body arrives. */
  loanedJobMs: 600_000,
  readyMs: 5_000,
  metricsMs: 2_000,
  spansExportMs: 5_000,
  fetchesMs: 300_000,
  timeStampMs: 5_000,
  /**
   * Maximum time to check the URLs of an asynchronous job before it is accepted. After this time, the job itself
   * rejects blocked URLs.
   */
  addressChecksMs: 3_000,
  /** Below 100 s, the timeout of Cloudflare and other proxies. */
  claimWaitMs: 60_000,
  /** Engines at the edge yield at shorter intervals, so that renewals are on time. */
  claimLeaseMs: 30_000,
  claimRenewMs: 5_000,
  claimRpcMs: 10_000,
  /** A host answers 503 soon, so that a balancer can try another one. */
  databaseConnectMs: 3_000,
  databaseLockMs: 3_000,
  databaseStatementMs: 4_000,
  databaseAnswerMs: 5_000,
  databaseProbeMs: 2_000,
  knownKeyMs: 60_000,
  databasePollMs: 5_000,
  storedResponseMs: 24 * 3_600_000,
  retiredMs: 24 * 3_600_000,
  /** Longer than the time for which an engine at the edge can block renewals. */
  asyncLeaseMs: 30_000,
  asyncRenewMs: 1_000,
  /** Several times the interval between renewals. */
  asyncGraceMs: 5_000,
  asyncRpcMs: 10_000,
  /** Below 100 s, the timeout of Cloudflare and other proxies. */
  asyncWaitMs: 60_000,
  asyncRetryMs: 5_000,
  /** Includes the start of an instance. */
  webhookMs: 70_000,
  webhookLeaseMs: 90_000,
  webhookDayMs: 24 * 3_600_000,
  statusPollMs: 500,
  statusHeartbeatMs: 15_000,
  /** A request can poll the queue only a limited number of times. */
  statusStreamMs: 240_000,
  /** Long enough for an agent to pass the URL to a person. */
  oneTimeUploadMs: 3_600_000,
  oneTimeHoldMs: 900_000,
  /** A job runs until its response is read, so a client that stops reading blocks an engine. */
  answerStallMs: 30_000,
  /** The operating system buffers megabytes, which a slow connection drains in large steps. */
  connectionStallMs: 120_000,
  /** Total time for which slow readers can delay the job that produces their output. */
  answerLagMs: 1_000,
  /** Leaves time for other jobs on the CPU, and for compressing the result. */
  flatteningCpuMs: 180_000,
  /** Shorter than the container's limit for a document. */
  pageWaitMs: 30_000,
  /** In this time, a connection with 2 KB/s sends twice the required minimum. */
  bodyStallMs: 30_000,

  uploadBytes: 100 * MIB,
  /** Twice the largest page image. */
  outputBytes: 8192 * MIB,
  inputs: 1000,
  fieldBytes: 64 * KIB,
  fieldsBytes: 4 * MIB,
  /** Leaves parts for fields that belong to no input. */
  formParts: 1000,
  /** Each input can have a file, an ID, a type and a page selection. */
  formPartsPerInput: 4,
  /** Limit for the boundaries and names of thousands of parts. */
  formOverheadBytes: 8 * MIB,
  jsonBodyBytes: 8 * MIB,
  bodyStallBytes: 32 * KIB,
  agentMessageBytes: 4 * MIB,
  /** Fields are strings and lists of strings; the deepest value is a compression profile. */
  jsonDepth: 64,
  jsonParts: 100_000,
  jsonFileBytes: MIB,
  /** The archive is in memory at the same time as the isolate's requests. */
  checkedArchiveBytes: 4 * MIB,
  /** Buffered in memory until the response is built from it. */
  dataBytes: 4 * MIB,
  /** In memory together with the document and its engine. */
  extractedTextBytes: 24 * MIB,
  metricsBytes: 4 * MIB,
  /** A proxy opens a few hundred connections, a browser up to six. */
  connections: 4096,
  /** Many clients read the response only after sending the whole request. */
  drainedBytes: 256 * MIB,
  spans: 2048,
  spansOfJob: 16,
  keyLength: 256,
  /** A file must not expire while it is being stored. */
  fileLifetimeSeconds: 60,
  usageDays: 400,
  idempotencyKeyLength: 255,
  selectedPages: 20_000,
  boxesSet: 100_000,
  bookmarks: 20_000,
  bookmarkLevels: 10,
  bookmarkTitleLength: 1000,
  metadataLength: 4000,
  metadataEntries: 100,
  imagesAdded: 100_000,
  textAddedLength: 100_000,
  textPlaces: 100_000,
  shapesAdded: 100_000,
  tableCells: 25_000,
  tableColumns: 200,
  tablePages: 2000,
  tableTextLength: 500_000,
  tableRowTextLength: 25_000,
  /** The browser prints 5,000 cells a second while other jobs use the processors. */
  csvCells: 250_000,
  csvLength: 12_000_000,
  textLength: 5_000_000,
  dataLines: 100_000,
  fontFiles: 32,
  fontBytes: 32 * MIB,
  mailParts: 10_000,
  mailDepth: 100,
  mailsInMail: 10,
  mailAppended: 100,
  mailRtfBytes: 32 * MIB,
  unzippedEntries: 10_000,
  zipDirectoryBytes: 16 * MIB,
  /** Text compresses 20 times, logs 100 times; deflate reaches 1,000 times only for the same byte again and again. */
  unzippedRatio: 200,
  unzippedAnywayBytes: 256 * MIB,
  redactionMarks: 100_000,
  redactionGlyphs: 20_000_000,
  addressLength: 8192,
  pageCookies: 100,
  pageHeaders: 100,
  pageHeaderLength: 8192,
  pageTemplateLength: 60_000,
  pagePicturePixels: 2 ** 26,
  pagePictureSidePixels: 16_384,
  uploadMetadataLength: 8192,

  /** Files up to this size are stored in one write and processed from memory. Most requests are smaller. */
  uploadMemoryPerRequestBytes: 8 * MIB,
  uploadMemoryBytes: 16 * MIB,
  /** Twenty fonts without hints. */
  typefaceCacheBytes: 6 * MIB,
  /** Two JSON bodies of the maximum size. */
  heldBodiesBytes: 16 * MIB,
  /** Each upload in progress buffers one part of 5 MiB, or the bytes received so far. */
  uploads: 6,
  uploadsQueued: 64,
  /** A Wasm engine needs most of an isolate's memory. */
  engineJobs: 1,
  engineJobsQueued: 16,
  /** Each such job receives its output from the container, or streams it, and buffers one part of 5 MiB. */
  receivingJobs: 6,
  receivingJobsQueued: 32,
  /**
   * A job that waits for the container's first byte buffers only one chunk. The container limits how many such jobs
   * run.
   */
  containerJobs: 64,
  containerJobsQueued: 64,
  /** Reserves the container's remaining capacity for synchronous requests. */
  asyncJobs: 2,
  steps: 20,
  asyncJobsQueued: 10_000,
  /** A crash or restart of the service aborts jobs that are not its cause. */
  asyncAttempts: 5,
  /** Ten minutes, including the delays. */
  asyncPostponements: 120,
  /** All streams of a job share one poll of the queue. */
  statusStreamsOfJob: 64,
  /** Clients behind one proxy can share an address and then count as one client. */
  statusStreamsOfClient: 256,
  webhooks: 8,
  /** Slow receivers of one client must not delay the webhooks of others. */
  webhooksOfClient: 4,
  webhooksOfReceiver: 2,
  /** One per CPU of the instance type (wrangler.toml). */
  instanceJobs: 2,
  /** Equal to the slow lane of a container with that instance type. */
  instanceSlowJobs: 8,
  instanceJobsQueued: 128,

  /** The platform terminates an isolate that uses 128 MB for code, requests, buffers, Wasm heap and input. */
  isolateBytes: 128 * MIB,
  edgeHeapBytes: 88 * MIB,
  /**
   * An input of this size leaves the engine a heap of 56 MiB, which is enough (measured: an idle engine uses 22 MiB).
   */
  edgeHeldBytes: 40 * MIB,

  /**
   * Allows an A3 page at 2400 dpi in RGB: the size of its BMP fits the 32-bit field. Rejects a square page of 14,400
   * points at 2400 dpi.
   */
  imageSamples: 2 ** 32 - 2 ** 16,
  imageSidePixels: 400_000,
  /** An A4 page at 600 dpi, or an A3 page at 400 dpi. The encoders need 30 bytes per pixel. */
  encodedPicturePixels: 36_000_000,
  /** A camera with 64 million pixels. The decoders need 10 bytes per pixel. */
  decodedPicturePixels: 2 ** 26,
  tiffPages: 10_000,
  /** An A3 page at 600 dpi has 70 million pixels. */
  picturedPagePixels: 100_000_000,
  picturedDocumentPixels: 400_000_000,
  /** An A2 page at 300 dpi. */
  recognizedPagePixels: 36_000_000,
  /** Tesseract's maximum is 32,767. */
  recognizedSidePixels: 32_000,

  /** Page images are drawn one at a time, concurrently with an engine job if memory allows both. */
  pageImageJobs: 1,
  pageImageJobsQueued: 256,
  pageImageHeapBytes: 36 * MIB,
  /** Less than A0 at 300 dpi, which clients request as tiles. */
  pageImagePixels: 2 ** 26,
  pageImageSidePixels: 16_384,
  pageImageDpi: 2400,
  /** Page images up to this size are complete before they are sent, and cached. */
  wholePageImagePixels: 2 ** 20,
  /** Maximum side of a JPEG. */
  pageSidePixels: 65_535,
  extractedPageBytes: 8 * MIB,
  extractedGroups: 64,
  cachedPictureBytes: 2 * MIB,
  cachedPictures: 64,
  /** Its parts are copied in less time than the platform lets work continue after a response. */
  copiedDocumentBytes: 64 * MIB,
} as const;
