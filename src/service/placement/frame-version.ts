// Names the version of the frames (remote.ts). A new Worker meets older containers during a rollout, and must not
// misread them.

/** Raise it when a Worker and a container of different versions would misunderstand each other. */
export const FRAME_VERSION = "2";

/** Header of every request with frames and of every response to one. */
export const FRAME_VERSION_HEADER = "X-Frame-Version";

/** Reports whether the other end uses the same frames. */
export const sameFrames = (header: string | null | undefined): boolean => header === FRAME_VERSION;
