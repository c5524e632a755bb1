// The events of a container's response, and how failures become events and events become failures.

import {
  EngineFailure,
  FAILURE_REASONS,
  type FailureReason,
  type Nonconformity,
  OutOfRange,
} from "../../document/contract/failure.ts";
import type { Notice } from "../../document/contract/notice.ts";
import type { Output, StepProgress } from "../../document/contract/operation.ts";
import type { Span } from "../../document/contract/trace.ts";

const MAX_DETAIL_LENGTH = 4000;

/** The JSON of one frame of a response (remote.ts). */
export type ResponseEvent =
  | { readonly output: OutputHeader }
  | { readonly end: OutputTrailer }
  | { readonly done: true }
  | { readonly failure: Failure }
  | {
      readonly outOfRange: Pick<OutOfRange, "parameter" | "value"> & { readonly why?: string; readonly step?: number };
    }
  | StepProgress
  | { readonly notices: readonly Notice[] }
  | { readonly spans: readonly Span[] };

export interface OutputHeader extends Pick<Output, "extension" | "name" | "suffix" | "role" | "type" | "total"> {
  /**
   * False if the first bytes of the output are final when they are sent. @default the end of the output can overwrite
   * them
   */
  readonly headed?: boolean;
}

/** Properties of an output that are known only at its end. */
export interface OutputTrailer {
  readonly head?: string;
  readonly notices?: readonly Notice[];
}

interface Failure {
  readonly reason: FailureReason;
  readonly detail: string;
  readonly nonconformity?: Nonconformity;
  readonly feature?: string;
  readonly limitBytes?: number;
  readonly why?: string;
  readonly step?: number;
}

/** Returns the event of a failure that ends an incomplete response. An unexpected error becomes `crashed`. */
export function failureEvent(error: unknown): ResponseEvent {
  if (error instanceof EngineFailure) return failure(error.reason, error.detail, error);
  if (error instanceof OutOfRange) {
    const { parameter, value, why, step } = error;
    const details = { ...(why === undefined ? {} : { why }), ...(step === undefined ? {} : { step }) };
    return { outOfRange: { parameter, value, ...details } };
  }
  return failure("crashed", String(error));
}

function failure(reason: FailureReason, detail: string, error?: EngineFailure): ResponseEvent {
  const { nonconformity, feature, limitBytes, why, step } = error ?? {};
  return {
    failure: {
      reason,
      detail: detail.slice(0, MAX_DETAIL_LENGTH),
      ...(nonconformity ? { nonconformity } : {}),
      ...(feature === undefined ? {} : { feature }),
      ...(limitBytes === undefined ? {} : { limitBytes }),
      ...(why === undefined ? {} : { why }),
      ...(step === undefined ? {} : { step }),
    },
  };
}

/**
 * Throws the failure that an event reports, if any.
 * @throws EngineFailure, OutOfRange
 */
export function throwFailure(event: ResponseEvent): void {
  if ("outOfRange" in event) {
    const { parameter, value, why, step } = event.outOfRange;
    throw new OutOfRange(parameter, value, why, step);
  }
  if (!("failure" in event)) return;
  const { reason, detail, nonconformity, feature, limitBytes, why, step } = event.failure;
  // The container might run a newer version, which has other reasons.
  const known = FAILURE_REASONS.includes(reason) ? reason : "crashed";
  throw new EngineFailure(known, `container: ${detail}`, {
    ...(nonconformity ? { nonconformity } : {}),
    ...(feature === undefined ? {} : { feature }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(why === undefined ? {} : { why }),
    step,
  });
}
