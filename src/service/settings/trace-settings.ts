// Reads the settings for exporting traces, which are OpenTelemetry's standard environment variables.

/** Environment variables (OpenTelemetry Specification, "Environment Variables"). */
export interface TraceVariables {
  /** Base URL of a collector with OTLP over HTTP. @default traces are not exported */
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string;
  /** Headers for the collector, such as `authorization=Bearer%20x,tenant=a`. */
  readonly OTEL_EXPORTER_OTLP_HEADERS?: string;
  readonly OTEL_SERVICE_NAME?: string;
  /** Fraction of the traces started by this service that are exported, from 0 to 1. @default 1 */
  readonly OTEL_TRACES_SAMPLER_ARG?: string;
}

export interface TraceSettings {
  /** URL of the collector's endpoint for traces. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly ratio: number;
}

/**
 * @returns undefined if traces are not exported
 * @throws Error with a message for the operator if a setting is invalid
 */
export function readTraceSettings(variables: TraceVariables): TraceSettings | undefined {
  const base = (variables.OTEL_EXPORTER_OTLP_ENDPOINT ?? "").replace(/\/+$/, "");
  if (base === "") return undefined;
  if (!/^https?:\/\/[^\s/?#]+[^\s?#]*$/.test(base) || !URL.canParse(base)) {
    throw new Error(`OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, not "${base}".`);
  }
  const ratio = Number(variables.OTEL_TRACES_SAMPLER_ARG?.trim() || "1");
  if (!(ratio >= 0 && ratio <= 1)) throw new Error("OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1.");
  return {
    url: `${base}/v1/traces`,
    headers: readHeaders(variables.OTEL_EXPORTER_OTLP_HEADERS ?? ""),
    service: variables.OTEL_SERVICE_NAME || "pagewright",
    ratio,
  };
}

/** Parses the headers. An error message omits their values, which might be secret. */
function readHeaders(list: string): Record<string, string> {
  const pairs = list.split(",").filter((pair) => pair.trim() !== "");
  return Object.fromEntries(
    pairs.map((pair) => {
      const [, name, value] = /^\s*([\w-]+)\s*=(.*)$/.exec(pair) ?? [];
      const decoded = decode(value?.trim());
      if (name === undefined || decoded === undefined) {
        throw new Error("OTEL_EXPORTER_OTLP_HEADERS must be a list such as name=value,other=value.");
      }
      return [name, decoded];
    }),
  );
}

/** @returns undefined if the text is not a valid percent-encoded header value */
function decode(text: string | undefined): string | undefined {
  try {
    const value = decodeURIComponent(text ?? "%");
    return /^[\t\x20-\x7e]*$/.test(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
