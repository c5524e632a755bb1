// Defines the limits of a job in the container: time and a share of the machine. src/document/contract/limits.ts
// defines the limits of a request. Names end with their unit (Ms, Bytes), unless they count something.
// scripts/limits/limit-descriptions.ts describes each limit, and docs/limits.md lists all of them. Imports nothing,
// because every module imports this file.

const KIB = 2 ** 10;
const MIB = 2 ** 20;
const GIB = 2 ** 30;

export const CONTAINER_LIMITS = {
  longJobMs: 280_000,
  documentJobMs: 120_000,
  placeWaitMs: 60_000,
  slowAfterMs: 3_000,
  /** Platforms kill a container ten seconds or more after SIGTERM. */
  graceMs: 4_000,
  engineProofMs: 1_000,
  /**
   * Longer than the limit of CPU time: other jobs use the processors too, and limiting images takes time after the
   * export.
   */
  libreOfficeMs: 240_000,
  libreOfficeCpuMs: 180_000,
  ghostscriptMs: 240_000,
  ghostscriptCpuMs: 115_000,
  rewriterMs: 150_000,
  rewriterCpuMs: 90_000,
  popplerMs: 150_000,
  popplerCpuMs: 90_000,
  veraPdfMs: 180_000,
  mustangMs: 180_000,
  /** Shorter than a job, so that the pages recognized so far are written. */
  recognitionMs: 200_000,
  recognizedPageMs: 90_000,
  tesseractCpuMs: 60_000,
  embeddedPdfsMs: 60_000,
  compareMs: 8_000,
  lookMs: 4_000,
  browserStartMs: 45_000,
  pageParseMs: 45_000,
  pageSettleMs: 15_000,
  pageResponseMs: 15_000,
  pagePrintMs: 75_000,
  fetchMs: 120_000,
  fetchResponseMs: 20_000,
  webhookResponseMs: 15_000,
  deliveryMs: 120_000,
  webLookupMs: 3_000,
  webConnectMs: 10_000,
  webIdleMs: 60_000,

  jobInputBytes: GIB,
  threadHeapBytes: GIB,
  /** Buffer for finished pages while an earlier page is not finished. */
  shareAheadBytes: 16 * MIB,
  jobsWaitingPerPlace: 8,
  slowJobsPerPlace: 4,
  /** Jobs that need more memory are rare, and their engines have separate limits. */
  slowJobBytes: GIB,
  jobFiles: 1000,
  memoryFoldersBytes: 512 * MIB,
  libreOfficeMemoryBytes: 2 * GIB,
  libreOfficeFileBytes: GIB,
  ghostscriptMemoryBytes: GIB,
  ghostscriptFileBytes: GIB,
  rewriterMemoryBytes: 1.5 * GIB,
  rewriterFileBytes: 512 * MIB,
  popplerMemoryBytes: GIB,
  popplerFileBytes: GIB,
  /** Only heavy files use the whole heap, and only one heavy file is validated at a time. */
  veraPdfHeapBytes: 2 * GIB,
  mustangHeapBytes: GIB,
  tesseractMemoryBytes: 1.5 * GIB,
  embeddedPdfs: 16,
  embeddedDepth: 1,
  fetchRedirects: 10,
  /** Chromium reads a drawing as an address of this length. */
  drawingBytes: 32 * MIB,
  pageFileBytes: GIB,
  archivedPageBytes: 128 * MIB,
  pageTrafficBytes: 256 * MIB,
  pageRequests: 5000,
  pageNavigations: 20,
  sharedRendererPages: 50,
  sharedRendererMs: 60_000,
  staticPageBytes: 128 * KIB,
  staticPageMs: 50,
  pageConnections: 256,
  pageConnectionsToOne: 16,
  webHeaderBytes: 64 * KIB,
  rendererBytes: 1.5 * GIB,
  browserBytes: 4 * GIB,
} as const;
