// The version of the frame format (remote.ts). During a rollout, a new Worker connects to containers of the previous
// version, and must not misread their frames.

/** Increment it for each incompatible change of the frames. */
export const FRAME_VERSION = "3";

/** Header of every request and response with frames. */
export const FRAME_VERSION_HEADER = "X-Frame-Version";

/** Reports whether the other end uses the same frame version. */
export const sameFrames = (header: string | null | undefined): boolean => header === FRAME_VERSION;
