// Describes each limit in src/document/contract/limits.ts and container/limits.ts. For a time limit, also names the
// outer limit that contains it. Only docs/limits.md and its test use this file; the Worker does not import it.

import { CONTAINER_LIMITS } from "../../container/limits.ts";
import { LIMITS } from "../../src/document/contract/limits.ts";

type TimeOf<Limits> = Extract<keyof Limits, `${string}Ms`>;
type SizeOf<Limits> = Exclude<keyof Limits, `${string}Ms`>;

export type TimeLimit = TimeOf<typeof LIMITS> | TimeOf<typeof CONTAINER_LIMITS>;

export interface TimeMeaning {
  readonly meaning: string;
  /** The outer limit, which must be longer. Undefined for limits of a whole job, and for limits outside jobs. */
  readonly within?: TimeLimit;
}

/** All time limits, in milliseconds. */
export const TIMES: Readonly<Record<TimeLimit, number>> = { ...LIMITS, ...CONTAINER_LIMITS };

export const TIME_LIMIT_DESCRIPTIONS: Readonly<Record<TimeLimit, TimeMeaning>> = {
  requestJobMs: { meaning: "job of a request, including retries" },
  permitWaitMs: { meaning: "wait for a permit in an isolate; then 503", within: "requestJobMs" },
  containerResponseMs: { meaning: "wait for the container's response; then 503", within: "requestJobMs" },
  containerReturnMs: { meaning: "wait for a lost container before the job is retried", within: "requestJobMs" },
  storeResponseMs: { meaning: "wait for a response of an S3 store, including retries", within: "requestJobMs" },
  slotWaitMs: { meaning: "wait for a slot of an instance; then 503", within: "requestJobMs" },
  slotLeaseMs: { meaning: "time without a renewal after which a job loses its slot", within: "slotWaitMs" },
  leaseRenewMs: { meaning: "interval at which a job renews its slot", within: "slotLeaseMs" },
  leaseAskMs: { meaning: "duration of one request for a slot; then the request is repeated", within: "slotLeaseMs" },
  instanceStartMs: { meaning: "start of an instance", within: "slotWaitMs" },
  instanceAskMs: { meaning: "wait for an instance's response to the check that it runs", within: "instanceStartMs" },
  instanceAliveMs: {
    meaning: "wait for a busy instance's response to a health check; then the instance is stopped",
    within: "requestJobMs",
  },
  instanceAwakeMs: { meaning: "time for which an instance counts as awake after its last job" },
  instanceGoneMs: { meaning: "time without new jobs for an instance whose connection broke", within: "slotWaitMs" },
  instanceFullMs: { meaning: "time without new jobs for an instance that rejected a job", within: "slotWaitMs" },
  instanceNotStartedMs: { meaning: "time without new jobs for an instance that did not start", within: "slotWaitMs" },
  instanceOtherVersionMs: {
    meaning: "time without new jobs for an instance of another version",
    within: "slotWaitMs",
  },
  instanceSlowAfterMs: {
    meaning: "time after which the slot of a job counts as slow; equal to `slowAfterMs`",
    within: "documentJobMs",
  },
  metricsMs: { meaning: "wait for the container's metrics; then the host serves only its own" },
  spansExportMs: { meaning: "export of traces to the collector, after the responses", within: "requestJobMs" },
  regionSilentMs: {
    meaning: "wait for the response of another region until it is asked whether it is reachable, and for that answer",
    within: "requestJobMs",
  },
  regionLostMs: { meaning: "time for which new requests avoid an unreachable region" },
  freshFileMs: {
    meaning: "time after which a location checks in the background that a file of another region still exists",
    within: "knownFileMs",
  },
  knownFileMs: { meaning: "time after which a location no longer serves pages of such a file without a check" },
  copyAfterMs: { meaning: "time within which the second read from another region causes a copy of a document" },
  copyMs: {
    meaning: "duration of copying a document to another region; then the copy is repeated or removed",
    within: "requestJobMs",
  },
  limiterMs: { meaning: "wait for the count of a client's requests; then 503", within: "requestJobMs" },
  usageMs: { meaning: "recording of usage, after the response", within: "requestJobMs" },
  clientLeaseMs: {
    meaning: "time without a renewal after which a job no longer counts for its client",
    within: "requestJobMs",
  },
  clientRenewMs: { meaning: "interval at which a job renews its count for its client", within: "clientLeaseMs" },
  allowanceMs: {
    meaning: "time for which a region can use an allowance of a client's limits",
    within: "clientLeaseMs",
  },
  allowanceCallMs: {
    meaning: "wait for an allowance of a client's limits; then the region asks once more",
    within: "limiterMs",
  },
  loanedJobMs: { meaning: "time for which the jobs of an unreachable region count for their client" },
  readyMs: { meaning: "duration of each check of `/ready`", within: "requestJobMs" },
  answerStallMs: {
    meaning: "time without reading after which the client of a streamed response is disconnected",
    within: "requestJobMs",
  },
  connectionStallMs: {
    meaning: "time without reading after which the host closes a client's connection",
    within: "requestJobMs",
  },
  answerLagMs: {
    meaning:
      "delay that a slow client can cause in a job whose response is streamed; then the remaining response is stored first",
    within: "answerStallMs",
  },
  bodyStallMs: {
    meaning: "time in which the next `bodyStallBytes` of a body, or its last bytes, must arrive; then 408",
    within: "requestJobMs",
  },
  claimWaitMs: {
    meaning: "wait for another request with the same `Idempotency-Key`; then 409",
    within: "requestJobMs",
  },
  claimLeaseMs: {
    meaning: "time without a renewal after which an `Idempotency-Key` is free again",
    within: "claimWaitMs",
  },
  claimRenewMs: {
    meaning: "interval at which a request renews the claim on its `Idempotency-Key`",
    within: "claimLeaseMs",
  },
  claimRpcMs: {
    meaning: "wait for the storage of an `Idempotency-Key`, with one retry; then 503",
    within: "claimLeaseMs",
  },
  storedResponseMs: { meaning: "time for which the response to an `Idempotency-Key` is stored" },
  retiredMs: { meaning: "time for which the deletion of a file is remembered" },
  asyncLeaseMs: {
    meaning: "time without a renewal after which an asynchronous job counts as lost",
    within: "requestJobMs",
  },
  asyncRenewMs: {
    meaning: "interval at which the runner of an asynchronous job renews its lease",
    within: "asyncGraceMs",
  },
  asyncGraceMs: {
    meaning: "time after a restart of the job queue until jobs without a renewal count as lost",
    within: "asyncLeaseMs",
  },
  asyncRpcMs: {
    meaning: "wait for the queue of asynchronous jobs, with one retry; then 503",
    within: "asyncLeaseMs",
  },
  asyncRetryMs: {
    meaning: "delay before the retry of an asynchronous job that found no capacity, or of a failed deletion",
    within: "requestJobMs",
  },
  webhookMs: { meaning: "one delivery of a webhook, including the start of an instance", within: "webhookLeaseMs" },
  webhookLeaseMs: {
    meaning: "time without a renewal after which a delivery counts as failed",
    within: "requestJobMs",
  },
  webhookDayMs: { meaning: "time for which the delivery of a webhook is retried" },
  webhookResponseMs: { meaning: "wait for the response of a webhook's receiver", within: "webhookMs" },
  statusPollMs: { meaning: "interval at which an event stream checks for changes", within: "statusHeartbeatMs" },
  statusHeartbeatMs: { meaning: "heartbeat interval of an event stream", within: "statusStreamMs" },
  statusStreamMs: { meaning: "duration of an event stream; then the client reconnects", within: "requestJobMs" },
  addressChecksMs: {
    meaning: "check of the numeric addresses in the URLs of an asynchronous job",
    within: "fetchesMs",
  },
  fetchesMs: { meaning: "download of all `url`s of a request" },
  oneTimeUploadMs: { meaning: "validity of an upload URL" },
  oneTimeHoldMs: {
    meaning: "time after which an upload URL is free again if its request was lost",
    within: "oneTimeUploadMs",
  },
  fetchMs: { meaning: "download of one `url`", within: "fetchesMs" },
  fetchResponseMs: { meaning: "wait for a web host's response to start", within: "fetchMs" },
  longJobMs: { meaning: "job in the container, except with HTML or a web page", within: "requestJobMs" },
  flatteningCpuMs: {
    meaning: "CPU time for flattening; a PDF that would take longer is rejected after its first pages",
    within: "longJobMs",
  },
  documentJobMs: { meaning: "job with HTML or a web page", within: "requestJobMs" },
  placeWaitMs: { meaning: "wait for a permit in the container; then 503", within: "requestJobMs" },
  slowAfterMs: { meaning: "time after which a job moves to the slow lane", within: "documentJobMs" },
  graceMs: {
    meaning: "time for running jobs when the container is stopped, unless `SHUTDOWN_GRACE_SECONDS` is set",
  },
  engineProofMs: { meaning: "probe of an engine for `/ready`", within: "readyMs" },
  libreOfficeMs: { meaning: "LibreOffice, for one document", within: "longJobMs" },
  libreOfficeCpuMs: {
    meaning: "CPU time of LibreOffice; a workbook that would take longer is rejected before its export",
    within: "libreOfficeMs",
  },
  ghostscriptMs: { meaning: "Ghostscript, for one PostScript file", within: "longJobMs" },
  ghostscriptCpuMs: { meaning: "CPU time of Ghostscript, for one PostScript file", within: "ghostscriptMs" },
  rewriterMs: { meaning: "Ghostscript, for one PDF in the conversion to PDF/A", within: "longJobMs" },
  rewriterCpuMs: { meaning: "CPU time of Ghostscript, for one PDF in the conversion to PDF/A", within: "rewriterMs" },
  veraPdfMs: { meaning: "validation of one PDF", within: "longJobMs" },
  embeddedPdfsMs: { meaning: "conversion of all embedded PDFs", within: "longJobMs" },
  compareMs: {
    meaning: "comparison of a document's pages with the original; after that, the remaining pages are not compared",
    within: "longJobMs",
  },
  lookMs: { meaning: "analysis of a PDF before its repair", within: "compareMs" },
  browserStartMs: { meaning: "wait for a browser that is starting; then 503", within: "documentJobMs" },
  pageParseMs: { meaning: "loading and parsing of a web page", within: "documentJobMs" },
  pageSettleMs: {
    meaning: "wait for images, fonts and scripts of a web page; content that has not loaded by then is left out",
    within: "documentJobMs",
  },
  pageResponseMs: { meaning: "time that a script can block a web page", within: "documentJobMs" },
  pagePrintMs: { meaning: "printing of a web page", within: "documentJobMs" },
  webLookupMs: { meaning: "one query for the address of a web host", within: "webConnectMs" },
  webConnectMs: { meaning: "connecting to a web host", within: "pageParseMs" },
  webIdleMs: { meaning: "time after which the connection to a silent web host is closed", within: "documentJobMs" },
};

export const EDGE_MEANINGS: Readonly<Record<SizeOf<typeof LIMITS>, string>> = {
  uploadBytes: "one uploaded file, unless `MAX_UPLOAD_MB` is set",
  outputBytes: "all outputs of a request, unless `MAX_OUTPUT_MB` is set",
  inputs: "inputs of a request (files, IDs and URLs), unless `MAX_INPUTS` is set",
  fieldBytes: "a text field",
  fieldsBytes: "all text fields together",
  formParts: "parts of a form",
  formPartsPerInput: "additional parts of a form per input allowed by `MAX_INPUTS`",
  formOverheadBytes: "names and boundaries of a form",
  jsonBodyBytes: "a JSON body",
  bodyStallBytes:
    "bytes of a body that must arrive in `bodyStallMs`, excluding the time in which the service does not read",
  agentMessageBytes: "message of an agent to `/mcp`",
  jsonDepth: "nesting depth of a JSON body",
  jsonParts: "arrays, objects and members of a JSON body",
  dataBytes: "output that is data for the response and not a stored file",
  metricsBytes: "metrics of the container; if they are larger, the host serves only its own metrics",
  jsonFileBytes: "a compression profile",
  checkedArchiveBytes: "an Office document whose parts are checked for its `problem`",
  connections: "connections to the host, and to its metrics port; further connections are closed immediately",
  drainedBytes: "bytes of a rejected upload that are still read before the connection is closed",
  spans: "queued spans; further spans are dropped",
  spansOfJob: "spans that the container reports per job",
  keyLength: "an API key, in characters",
  fileLifetimeSeconds: "shortest `File-Lifetime`, in seconds",
  usageDays: "days for which the usage of keys is stored",
  idempotencyKeyLength: "`Idempotency-Key`, in characters",
  selectedPages: "pages of one selection",
  boxesSet: "boxes of pages that one request sets",
  metadataLength: "characters of a text in metadata",
  metadataEntries: "entries of custom metadata, or keywords in a list, that one request sets",
  imagesAdded: "images that one request adds to pages",
  redactionMarks: "matches that one request marks",
  addressLength: "a `url`, in characters",
  uploadMetadataLength: "`Upload-Metadata` of a resumable upload, in characters",
  uploadMemoryPerRequestBytes: "uploads of a request in memory",
  uploadMemoryBytes: "uploads of an isolate in memory",
  heldBodiesBytes: "memory of an isolate for fields and buffered bodies, reserved before they arrive; beyond it, 503",
  uploads: "concurrent uploads in an isolate",
  uploadsQueued: "queued uploads in an isolate",
  engineJobs: "concurrent jobs with an engine in an isolate",
  engineJobsQueued: "queued jobs with an engine in an isolate",
  receivingJobs: "jobs in an isolate that receive or stream their output",
  receivingJobsQueued: "jobs in an isolate that are queued to receive or stream their output",
  containerJobs: "concurrent jobs of an isolate in the container",
  containerJobsQueued: "queued jobs of an isolate for the container",
  asyncJobs: "concurrent asynchronous jobs",
  asyncJobsQueued:
    "queued asynchronous jobs; one client can use at most half of the positions that others leave free; beyond it, 503",
  asyncAttempts: "lost attempts after which an asynchronous job fails",
  asyncPostponements: "postponements for lack of capacity after which an asynchronous job fails",
  statusStreamsOfJob: "event streams of one request's status; beyond it, 429",
  statusStreamsOfClient: "event streams of one client; beyond it, 429",
  webhooks: "concurrent webhook deliveries",
  webhooksOfClient: "concurrent webhook deliveries of one client",
  webhooksOfReceiver: "concurrent webhook deliveries of one client to one host",
  instanceJobs: "jobs of an instance before another instance is started",
  instanceSlowJobs: "jobs of an instance that have run for `instanceSlowAfterMs`, in addition to `instanceJobs`",
  instanceJobsQueued: "queued jobs for instances",
  isolateBytes: "memory of an isolate, set by the platform",
  edgeHeapBytes: "heap of an engine at the edge",
  edgeHeldBytes:
    "input of an engine at the edge, or input and output together if both are in memory; larger jobs move to the container",
  imageSamples: "samples of an image",
  imageSidePixels: "pixels on a side of an image",
  tiffPages: "pages of a TIFF",
  picturedPagePixels: "pixels of a page that becomes images",
  picturedDocumentPixels: "pixels, beyond the usual resolution, of all images that replace content in a document",
  pageImageJobs: "page images that an isolate renders concurrently",
  pageImageJobsQueued: "queued page images in an isolate",
  pageImageHeapBytes: "heap of an engine that renders a page image alongside another engine",
  pageImagePixels: "pixels of a page image",
  pageImageSidePixels: "pixels on a side of a page image",
  pageImageDpi: "resolution of a page image",
  wholePageImagePixels: "pixels of a page image that is complete before it is sent",
  pageSidePixels: "pixels on a side of a page at its full size",
  extractedPageBytes: "a page that is stored as a separate PDF",
  extractedGroups: "groups of 32 pages that are extracted in advance",
  cachedPictureBytes: "a cached page image",
  cachedPictures: "cached images of a page that are not tiles",
  copiedDocumentBytes: "a document that is copied to another region",
};

export const CONTAINER_MEANINGS: Readonly<Record<SizeOf<typeof CONTAINER_LIMITS>, string>> = {
  jobInputBytes: "all inputs of a job",
  threadHeapBytes: "heap of an edge engine",
  shareAheadBytes: "buffer for finished pages while an earlier page is not finished, per thread of a job",
  jobsWaitingPerPlace: "queued jobs of an operation per permit",
  slowJobsPerPlace: "jobs in the slow lane per permit of an operation",
  slowJobBytes: "memory of the machine per job in the slow lane",
  jobFiles: "files in a job's folder",
  memoryFoldersBytes: "folders in memory, at most a quarter of the free memory",
  libreOfficeMemoryBytes: "memory of LibreOffice",
  libreOfficeFileBytes: "a file that LibreOffice writes",
  ghostscriptMemoryBytes: "memory of Ghostscript for PostScript",
  ghostscriptFileBytes: "a file that Ghostscript writes for PostScript",
  rewriterMemoryBytes: "memory of Ghostscript for PDF/A",
  rewriterFileBytes: "a file that Ghostscript writes for PDF/A",
  veraPdfHeapBytes: "heap of veraPDF",
  embeddedPdfs: "embedded PDFs of a document that are converted to PDF/A; further ones are removed",
  embeddedDepth: "levels of embedded PDFs that are converted to PDF/A",
  fetchRedirects: "redirects on the way to a file",
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
