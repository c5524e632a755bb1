// Defines the errors of requests whose region cannot serve them.

/** The region is unreachable. Its files and jobs are available again when it returns. */
export class RegionLost extends Error {
  readonly region: string;

  constructor(region: string, cause: unknown) {
    super(`the region ${region} is unreachable: ${cause}`, { cause });
    this.region = region;
  }
}

/** The file is bound to another region, in which a request must be carried out to read it. */
export class FileBoundElsewhere extends Error {
  readonly region: string;

  constructor(region: string) {
    super(`the file is bound to the region ${region}`);
    this.region = region;
  }
}
