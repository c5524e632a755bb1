// Returns the URLs of page images, which the service renders. The page never opens a stored document in the browser.
import { isPicture, type Side } from "../../model/pairs.ts";
import type { Problem } from "../../model/problems.ts";
import { fileAddress, urlOf } from "../../session/service.ts";

const WIDTH = 1000;

export function pictureAddress(side: Side | undefined): string | undefined {
  if (!side) return undefined;
  if (isPicture(side.type)) return fileAddress(side.id);
  return urlOf(`resource/${side.id}/pages/${side.page}.png?width=${WIDTH}`);
}

/** Requests the URL of an image that failed to load, and returns the error message. */
export async function problemAt(address: string): Promise<Problem> {
  const lost = { status: 0, sentence: "The picture could not be loaded." };
  const response = await fetch(address).catch(() => undefined);
  if (!response || response.ok) return lost;
  const { error = lost.sentence } = (await response.json().catch(() => ({}))) as { error?: string };
  return { status: response.status, sentence: error };
}
