// Lists the settings that the Worker reads from its bindings, and the host from environment variables. config.ts
// describes and parses them.

/** Default of `ALLOWED_HOSTS` for a service that only the same machine can reach. */
export const LOOPBACK_HOSTS = "localhost";

/** Names of the settings, except `VARIANT`. */
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
  "TIMESTAMP_URL",
  "OTEL_EXPORTER_OTLP_ENDPOINT",
  "OTEL_EXPORTER_OTLP_HEADERS",
  "OTEL_SERVICE_NAME",
  "OTEL_TRACES_SAMPLER_ARG",
] as const;
