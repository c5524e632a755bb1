// Defines name, version and date of this release.

/** The version must equal the version in package.json. */
export const RELEASE = { product: "Pagewright", version: "0.1.0", releaseDate: "2026-11-25" } as const;
