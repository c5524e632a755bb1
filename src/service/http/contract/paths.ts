// Paths for modules that cannot import the handlers of these paths.

/** Single-use upload URLs. */
export const ONE_TIME_PATH = "/upload/once";
/** Resumable uploads (tus). */
export const TUS_PATH = "/upload/tus";
/** Start of the routes of Gotenberg. */
export const FOREIGN_PATHS = "/forms/";
/** Tools for agents (MCP). */
export const MCP_PATH = "/mcp";
