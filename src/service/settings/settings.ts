// Lists the Worker's settings that are environment variables outside Cloudflare. config.ts describes and reads them.

/** `ALLOWED_HOSTS` of a service that only this machine can reach, unless the operator sets host names. */
export const LOOPBACK_HOSTS = "localhost";

/** All except `VARIANT`. */
export const SETTINGS = [
  "API_DIALECT",
  "MAX_UPLOAD_MB",
  "MAX_OUTPUT_MB",
  "MAX_INPUTS",
  "FILE_LIFETIME_HOURS",
  "BASE_URL",
  "ALLOWED_HOSTS",
  "CORS_ORIGINS",
  "ADDRESS_REQUESTS_PER_MINUTE",
  "ADDRESS_CONCURRENT_JOBS",
  "ADDRESS_MEGABYTES_PER_DAY",
  "ADDRESS_STORED_MEGABYTES",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER_ARG",
] as const;
