// Describes each entry of src/document/contract/limits.ts and container/limits.ts, and names the outer limit of each
// time limit. Used for docs/limits.md and its test only: the Worker does not import this.

import { CONTAINER_LIMITS } from "../../container/limits.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";

type TimeOf<Limits> = Extract<keyof Limits, `${string}Ms`>;
type SizeOf<Limits> = Exclude<keyof Limits, `${string}Ms`>;

export type TimeLimit = TimeOf<typeof LIMITS> | TimeOf<typeof CONTAINER_LIMITS>;

export interface TimeMeaning {
  readonly meaning: string;
  /** The outer limit, which must be longer. Absent for limits of a whole job, and for limits outside of jobs. */
  readonly within?: TimeLimit;
}

/** All time limits, in milliseconds. */
export const TIMES: Readonly<Record<TimeLimit, number>> = { ...LIMITS, ...CONTAINER_LIMITS };

export const TIME_LIMIT_DESCRIPTIONS: Readonly<Record<TimeLimit, TimeMeaning>> = {
  requestJobMs: { meaning: "job of a request, retries included" },
  permitWaitMs: { meaning: "wait for a turn in an isolate; then 503", within: "requestJobMs" },
  containerResponseMs: { meaning: "wait for the container to answer; then 503", within: "requestJobMs" },
  containerReturnMs: { meaning: "wait for a lost container before the job is retried", within: "requestJobMs" },
  storeResponseMs: { meaning: "wait for an S3 store to answer a request, retries included", within: "requestJobMs" },
  slotWaitMs: { meaning: "wait for a slot of an instance; then 503", within: "requestJobMs" },
  slotLeaseMs: { meaning: "time after which a slot is free again if its job is not heard of", within: "slotWaitMs" },
  leaseRenewMs: { meaning: "interval at which a job is heard of", within: "slotLeaseMs" },
  leaseAskMs: { meaning: "wait of one question for a slot; it is asked again", within: "slotLeaseMs" },
  instanceStartMs: { meaning: "start of an instance", within: "slotWaitMs" },
  instanceAskMs: { meaning: "answer of an instance that is asked whether it runs", within: "instanceStartMs" },
  instanceAliveMs: {
    meaning: "answer of a working instance that is asked whether it is alive; then it is ended",
    within: "requestJobMs",
  },
  instanceAwakeMs: { meaning: "time since its last job for which an instance is taken to be awake" },
  instanceGoneMs: { meaning: "time without new jobs for an instance whose connection broke", within: "slotWaitMs" },
  instanceFullMs: { meaning: "time without new jobs for an instance that refused one", within: "slotWaitMs" },
  instanceNotStartedMs: { meaning: "time without new jobs for an instance that did not start", within: "slotWaitMs" },
  instanceOtherVersionMs: {
    meaning: "time without new jobs for an instance of another version",
    within: "slotWaitMs",
  },
  instanceSlowAfterMs: {
    meaning: "time after which the slot of a job counts as slow; equal to `slowAfterMs`",
    within: "documentJobMs",
  },
  metricsMs: { meaning: "answer of the container with its metrics, which the host's leave out otherwise" },
  spansExportMs: { meaning: "sending of traces to their collector, after the answers", within: "requestJobMs" },
  limiterMs: { meaning: "wait for the count of a client's requests; then 503", within: "requestJobMs" },
  usageMs: { meaning: "recording of usage, after the answer", within: "requestJobMs" },
  clientLeaseMs: {
    meaning: "time after which a job of a client no longer counts if it is not heard of",
    within: "requestJobMs",
  },
  clientRenewMs: { meaning: "interval at which a job of a client is heard of", within: "clientLeaseMs" },
  readyMs: { meaning: "each check of `/ready`", within: "requestJobMs" },
  answerStallMs: {
    meaning: "time in which a client takes nothing of an answer that is sent while it is made",
    within: "requestJobMs",
  },
  connectionStallMs: {
    meaning: "time in which a client of the host takes nothing of an answer; then the host closes the connection",
    within: "requestJobMs",
  },
  answerLagMs: {
    meaning: "time beyond that of making an answer for which its client may delay it; then the rest goes to storage",
    within: "answerStallMs",
  },
  bodyStallMs: {
    meaning: "time in which `bodyStallBytes` of a body must arrive, or the rest of it; then 408",
    within: "requestJobMs",
  },
  claimWaitMs: {
    meaning: "wait for another request with the same `Idempotency-Key`; then 409",
    within: "requestJobMs",
  },
  claimLeaseMs: {
    meaning: "time after which an `Idempotency-Key` is free again if its request is not heard of",
    within: "claimWaitMs",
  },
  claimRenewMs: {
    meaning: "interval at which a request with an `Idempotency-Key` is heard of",
    within: "claimLeaseMs",
  },
  claimRpcMs: {
    meaning: "wait for the memory of an `Idempotency-Key` to answer, twice; then 503",
    within: "claimLeaseMs",
  },
  storedResponseMs: { meaning: "time for which the answer to an `Idempotency-Key` is kept" },
  retiredMs: { meaning: "time for which it is known that a client removed a file" },
  asyncLeaseMs: {
    meaning: "time after which an asynchronous job is lost if its runner is not heard of",
    within: "requestJobMs",
  },
  asyncRenewMs: { meaning: "interval at which the runner of an asynchronous job is heard of", within: "asyncGraceMs" },
  asyncGraceMs: {
    meaning: "the same time after the queue of asynchronous jobs has started again",
    within: "asyncLeaseMs",
  },
  asyncRpcMs: {
    meaning: "wait for the queue of asynchronous jobs to answer, twice; then 503",
    within: "asyncLeaseMs",
  },
  asyncRetryMs: {
    meaning: "pause before another attempt at an asynchronous job for which there was no capacity, or at a removal",
    within: "requestJobMs",
  },
  webhookMs: { meaning: "one delivery of a webhook, with the start of an instance", within: "webhookLeaseMs" },
  webhookLeaseMs: {
    meaning: "time after which a delivery counts as failed if it is not heard of",
    within: "requestJobMs",
  },
  webhookDayMs: { meaning: "time in which the delivery of a webhook is tried" },
  webhookResponseMs: { meaning: "wait for the receiver of a webhook to answer", within: "webhookMs" },
  statusPollMs: { meaning: "interval at which a stream of events looks for a change", within: "statusHeartbeatMs" },
  statusHeartbeatMs: { meaning: "longest silence of a stream of events", within: "statusStreamMs" },
  statusStreamMs: { meaning: "length of a stream of events; the client asks again", within: "requestJobMs" },
  addressChecksMs: { meaning: "check of the numbers among the addresses of an asynchronous job", within: "fetchesMs" },
  fetchesMs: { meaning: "fetching of all files that a request names by `url`" },
  oneTimeUploadMs: { meaning: "time in which an address for one upload can be used" },
  oneTimeHoldMs: {
    meaning: "time after which an address for one upload is free again if its request was lost",
    within: "oneTimeUploadMs",
  },
  fetchMs: { meaning: "fetching of one file that a request names by `url`", within: "fetchesMs" },
  fetchResponseMs: { meaning: "wait for a web host to begin its answer with a file", within: "fetchMs" },
  longJobMs: { meaning: "job in the container, apart from those of the next row", within: "requestJobMs" },
  flatteningCpuMs: {
    meaning: "processor time for flattening; a PDF whose pages would take longer is refused after the first ones",
    within: "longJobMs",
  },
  documentJobMs: { meaning: "job with HTML or a web page", within: "requestJobMs" },
  placeWaitMs: { meaning: "wait for a place in the container; then 503", within: "requestJobMs" },
  slowAfterMs: { meaning: "time after which a job moves to the slow lane", within: "documentJobMs" },
  graceMs: {
    meaning:
      "time that jobs have to end when the container is stopped, where `SHUTDOWN_GRACE_SECONDS` does not set another",
  },
  engineProofMs: { meaning: "proof of an engine for `/ready`, which then fails", within: "readyMs" },
  libreOfficeMs: { meaning: "LibreOffice, for one document", within: "longJobMs" },
  libreOfficeCpuMs: {
    meaning: "processor time of LibreOffice; a workbook whose pages would take longer is refused before they are made",
    within: "libreOfficeMs",
  },
  ghostscriptMs: { meaning: "Ghostscript, for one PostScript file", within: "longJobMs" },
  ghostscriptCpuMs: { meaning: "processor time of Ghostscript, for one PostScript file", within: "ghostscriptMs" },
  rewriterMs: { meaning: "Ghostscript, for one PDF on its way to PDF/A", within: "longJobMs" },
  rewriterCpuMs: { meaning: "its processor time", within: "rewriterMs" },
  veraPdfMs: { meaning: "validation of one PDF", within: "longJobMs" },
  embeddedPdfsMs: { meaning: "conversion of all embedded PDFs", within: "longJobMs" },
  compareMs: { meaning: "comparison of pages with the original; further pages are not compared", within: "longJobMs" },
  lookMs: { meaning: "look at a PDF before it is repaired", within: "compareMs" },
  browserStartMs: { meaning: "wait for a browser that is starting; then 503", within: "documentJobMs" },
  pageParseMs: { meaning: "loading and parsing of a web page", within: "documentJobMs" },
  pageSettleMs: {
    meaning: "wait for pictures, fonts and scripts of a web page; late ones are left out",
    within: "documentJobMs",
  },
  pageResponseMs: { meaning: "time that a script may run without a pause", within: "documentJobMs" },
  pagePrintMs: { meaning: "printing of a web page", within: "documentJobMs" },
  webLookupMs: { meaning: "one query for the address of a web host", within: "webConnectMs" },
  webConnectMs: { meaning: "connecting to a web host", within: "pageParseMs" },
  webIdleMs: { meaning: "time after which the connection to a silent web host is closed", within: "documentJobMs" },
};

export const EDGE_MEANINGS: Readonly<Record<SizeOf<typeof LIMITS>, string>> = {
  uploadBytes: "one uploaded file, where `MAX_UPLOAD_MB` does not set another limit",
  outputBytes: "all outputs of a request, where `MAX_OUTPUT_MB` does not set another limit",
  inputs: "files and ids of a request, where `MAX_INPUTS` does not set another limit",
  fieldBytes: "a text field",
  fieldsBytes: "all text fields together",
  formParts: "parts of a form",
  formPartsPerInput: "further parts of a form for each input that `MAX_INPUTS` allows",
  formOverheadBytes: "names and boundaries of a form",
  jsonBodyBytes: "a JSON body",
  bodyStallBytes: "least part of a body that arrives in `bodyStallMs`; waits for the service do not count",
  agentMessageBytes: "message of an agent to `/mcp`",
  jsonDepth: "nesting of a JSON body",
  jsonParts: "lists, objects and members of a JSON body",
  dataBytes: "data that are the answer themselves, and no file",
  metricsBytes: "metrics of the container, which the host's leave out otherwise",
  jsonFileBytes: "a compression profile",
  checkedArchiveBytes: "an Office document whose parts are checked for its `problem`",
  connections: "connections to the host, and to its metrics; it closes others at once",
  drainedBytes: "rest of a refused upload that is read before the connection is closed",
  spans: "spans that wait to be sent; more are dropped",
  spansOfJob: "spans that the container reports of one job",
  keyLength: "an API key, in characters",
  fileLifetimeSeconds: "shortest `File-Lifetime`",
  usageDays: "days for which the usage of keys is kept",
  idempotencyKeyLength: "`Idempotency-Key`, in characters",
  selectedPages: "pages of one selection",
  addressLength: "an address in `url`, in characters",
  uploadMetadataLength: "`Upload-Metadata` of a resumable upload, in characters",
  uploadMemoryPerRequestBytes: "uploads of a request that are kept in memory",
  uploadMemoryBytes: "uploads of an isolate that are kept in memory",
  heldBodiesBytes:
    "memory of an isolate for fields and bodies that are read as a whole, also for what has not arrived; then 503",
  uploads: "uploads in an isolate",
  uploadsQueued: "uploads that wait in an isolate",
  engineJobs: "jobs with an engine in an isolate",
  engineJobsQueued: "jobs with an engine that wait in an isolate",
  receivingJobs: "jobs in an isolate that receive or stream their output",
  receivingJobsQueued: "jobs in an isolate that wait to receive or stream their output",
  containerJobs: "jobs of an isolate in the container",
  containerJobsQueued: "jobs of an isolate that wait for the container",
  asyncJobs: "asynchronous jobs that run at a time",
  asyncJobsQueued: "asynchronous jobs that wait, of one client at most as many as there is room for others; then 503",
  asyncAttempts: "attempts at an asynchronous job that are lost before it fails",
  asyncPostponements: "times that an asynchronous job is put back for want of capacity before it fails",
  statusStreamsOfJob: "event streams of a request's status; then 429",
  statusStreamsOfClient: "event streams of a client; then 429",
  webhooks: "webhooks that are delivered at a time",
  webhooksOfClient: "webhooks of one client that are delivered at a time",
  webhooksOfReceiver: "webhooks of one client to one host that are delivered at a time",
  instanceJobs: "jobs of an instance before another one is started",
  instanceSlowJobs: "further jobs of an instance, which have run for `instanceSlowAfterMs`",
  instanceJobsQueued: "jobs that wait for an instance",
  isolateBytes: "memory of an isolate, set by the platform",
  edgeHeapBytes: "heap of an engine at the edge",
  edgeHeldBytes:
    "input of an engine at the edge, or input and output where both are held; larger jobs move to the container",
  imageSamples: "samples of an image",
  imageSidePixels: "pixels on a side of an image",
  tiffPages: "pages of a TIFF",
  picturedPagePixels: "pixels of a page that becomes pictures",
  picturedDocumentPixels:
    "pixels of pictures that replace content, beyond those of the usual resolution, in a document",
  pageImageJobs: "pictures by URL that an isolate draws",
  pageImageJobsQueued: "pictures by URL that wait in an isolate",
  pageImageHeapBytes: "heap of an engine that draws a picture by URL beside another engine",
  pageImagePixels: "pixels of a picture by URL",
  pageImageSidePixels: "pixels on a side of a picture by URL",
  pageImageDpi: "resolution of a picture by URL",
  wholePageImagePixels: "pixels of a picture by URL that is complete before it is sent",
  pageSidePixels: "pixels on a side of a page at its full size",
  extractedPageBytes: "a page that is kept as a PDF of its own",
  extractedGroups: "groups of 32 pages that are extracted ahead",
  cachedPictureBytes: "a picture by URL that is cached",
  cachedPictures: "cached pictures of a page that are not tiles",
};

export const CONTAINER_MEANINGS: Readonly<Record<SizeOf<typeof CONTAINER_LIMITS>, string>> = {
  jobInputBytes: "all inputs of a job",
  threadHeapBytes: "heap of an edge engine",
  shareAheadBytes: "pages that wait for those before them, for each thread that draws pages of one job",
  jobsWaitingPerPlace: "waiting jobs of an operation for each of its places",
  slowJobsPerPlace: "jobs in the slow lane for each place of an operation",
  slowJobBytes: "memory of the machine for each job in the slow lane",
  jobFiles: "files in a job's folder",
  memoryFoldersBytes: "folders in memory, at most a quarter of what is free",
  libreOfficeMemoryBytes: "memory of LibreOffice",
  libreOfficeFileBytes: "a file that LibreOffice writes",
  ghostscriptMemoryBytes: "memory of Ghostscript for PostScript",
  ghostscriptFileBytes: "a file that Ghostscript writes for PostScript",
  rewriterMemoryBytes: "memory of Ghostscript for PDF/A",
  rewriterFileBytes: "a file that Ghostscript writes for PDF/A",
  veraPdfHeapBytes: "heap of veraPDF",
  embeddedPdfs: "embedded PDFs that are converted to PDF/A; others are removed",
  embeddedDepth: "levels of embedded PDFs that are converted to PDF/A",
  fetchRedirects: "redirects to a file",
  pageFileBytes: "PDF of a web page",
  pageTrafficBytes: "traffic of a web page",
  pageRequests: "requests of a web page",
  pageNavigations: "redirects and other navigations of a web page",
  pageConnections: "connections of a web page to web hosts",
  pageConnectionsToOne: "connections of a web page to one web host",
  webHeaderBytes: "headers of a web response",
  rendererBytes: "memory of a web page",
  browserBytes: "memory of all web pages in a browser",
};
