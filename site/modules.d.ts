// Types of the module that site/build.ts generates (see "imports" in package.json).
declare module "#site/files.js" {
  /** Files that the browser loads, by path. Each has its text, or its bytes in base64. */
  export const files: Readonly<
    Record<string, { readonly type: string; readonly etag: string; readonly text?: string; readonly base64?: string }>
  >;
}
