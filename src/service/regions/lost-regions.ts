// Detects lost regions: a call to a lost region fails within a limited time, and new requests avoid the region.

import { LIMITS } from "../../document/contract/limits.ts";
import { delay } from "../../runtime/delay.ts";
import { withTimeout } from "../../runtime/rpc.ts";
import { RegionLost } from "./region-errors.ts";
import type { Region } from "./regions.ts";

/** Times, by region, until which new requests avoid the region. */
const lostUntil = new Map<string, number>();

export const isLost = ({ name }: Region): boolean => (lostUntil.get(name) ?? 0) > Date.now();

/** Asks a region for any answer. */
export type Probe = () => Promise<unknown>;

/**
 * Waits for a call to a region, which can take long, for example because a client sends slowly. If the call is silent or
 * fails, the probe decides whether the region is lost.
 * @throws RegionLost
 * @throws the error of the call, if the region is reachable
 */
export async function callRegion<T>(region: Region, call: () => Promise<T>, probe: Probe): Promise<T> {
  const answered = new AbortController();
  try {
    return await Promise.race([call(), untilSilent(region, probe, answered.signal)]);
  } catch (error) {
    if (!(error instanceof RegionLost)) await checkReachable(region, probe);
    throw error;
  } finally {
    answered.abort();
  }
}

/** @throws RegionLost */
export async function checkReachable({ name }: Region, probe: Probe): Promise<void> {
  try {
    await withTimeout(LIMITS.regionSilentMs, probe);
  } catch (error) {
    lostUntil.set(name, Date.now() + LIMITS.regionLostMs);
    throw new RegionLost(name, error);
  }
}

/** Probes a region at intervals. @throws RegionLost */
async function untilSilent(region: Region, probe: Probe, signal: AbortSignal): Promise<never> {
  for (;;) {
    await delay(LIMITS.regionSilentMs, signal);
    await checkReachable(region, probe);
  }
}
