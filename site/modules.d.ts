// Types of the modules that site/build.ts generates (package.json "imports").
declare module "#site/files.js" {
  /** A file that the browser loads: its text, or its bytes in base64. */
  export const files: Readonly<
    Record<string, { readonly type: string; readonly etag: string; readonly text?: string; readonly base64?: string }>
  >;
}
