// Starts the slowest test files of a group first, so that none of them runs alone at its end. Vitest sorts by the
// durations of earlier runs, which a fresh clone does not have. Spreads the files of "native", which compute, among those
// that wait, so that neither kind runs alone.
import { existsSync } from "node:fs";
import { join, relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * Files that take more than 50 seconds on two idle cores, the slowest first, and then small ones that take more than 15:
 * the others are sorted by size, so that these would run alone at the end.
 */
const SLOWEST: readonly string[] = [
  "test/container/pdfa/corpus.test.ts",
  "test/e2e/workbench.test.ts",
  "test/http/limits.test.ts",
  "test/http/endpoints.test.ts",
  "test/http/client.test.ts",
  "test/container/world/trips.test.ts",
  "container/engines/chromium/test/chromium-recovery.test.ts",
  "test/native/host/hosts-under-faults.test.ts",
  "test/native/host/storage/postgres-away.test.ts",
  "test/native/regions/loss.test.ts",
  "test/native/regions/routing.test.ts",
  "test/native/host/balancer.test.ts",
  "test/native/host/shared-jobs.test.ts",
  "test/native/operations/compress-corpus.test.ts",
  "test/http/resumable-uploads.test.ts",
  "test/e2e/docs-examples.test.ts",
  "test/http/client-outages.test.ts",
  "test/http/pdf-pictures.test.ts",
  "test/e2e/keys.test.ts",
  "test/e2e/start.test.ts",
  "test/e2e/docs-page.test.ts",
  "test/http/validated-zugferd.test.ts",
  "test/http/pdf.test.ts",
  "test/native/operations/merge-pdfs.test.ts",
  "test/native/document/flattening/features.test.ts",
  "test/native/document/flattening/corpus.test.ts",
  "test/native/operations/large-redactions.test.ts",
  "test/native/operations/linearize-pdf.test.ts",
  "test/native/operations/zip-files.test.ts",
  "test/native/operations/protection/restrict-pdf.test.ts",
  "test/native/document/images/image-kinds.test.ts",
  "test/native/operations/protection/encrypt-pdf.test.ts",
  "test/native/operations/compress-pdf.test.ts",
  "test/native/operations/redaction-attack.test.ts",
  "test/native/operations/split-pdf.test.ts",
  "test/container/endurance.test.ts",
  "container/engines/libreoffice/test/libreoffice.test.ts",
  "test/http/memory.test.ts",
  "test/http/url.test.ts",
  "test/http/every-operation.test.ts",
  "test/e2e/serve.test.ts",
  "test/container/world/residency.test.ts",
  "container/engines/chromium/test/chromium-hostile.test.ts",
  "container/engines/chromium/test/chromium-isolation.test.ts",
  "container/engines/libreoffice/test/libreoffice-forms.test.ts",
  "container/engines/ghostscript/test/ghostscript-hostile.test.ts",
  "container/engines/libreoffice/test/libreoffice-hidden.test.ts",
  "test/http/zugferd-pdf.test.ts",
  "test/http/keyed-webhooks.test.ts",
  "test/http/idempotency.test.ts",
  "test/http/cli.test.ts",
  "test/http/pdf-postscript.test.ts",
  "test/http/mcp.test.ts",
  "test/http/secret-passwords.test.ts",
  "test/container/builds.test.ts",
  "container/engines/libreoffice/test/libreoffice-hostile.test.ts",
  "container/engines/verapdf/test/verapdf.test.ts",
  "test/container/readiness.test.ts",
  "container/engines/libreoffice/test/libreoffice-recovery.test.ts",
  "test/http/pages.test.ts",
  "test/http/async-restart.test.ts",
  "test/http/deep-zoom.test.ts",
  "test/http/keyed-limits.test.ts",
  "test/http/pdf-html.test.ts",
  "test/e2e/generated-clients.test.ts",
  "test/container/world/calls.test.ts",
  "test/container/server.test.ts",
  "test/container/jobs/threads.test.ts",
  "test/container/flattening-deck.test.ts",
  "container/engines/ghostscript/test/ghostscript-recovery.test.ts",
  "container/engines/mustang/test/mustang.test.ts",
  "container/engines/chromium/test/chromium-jobs.test.ts",
  "container/engines/chromium/test/chromium-killed.test.ts",
  "test/http/idempotency-restart.test.ts",
  "test/e2e/traces.test.ts",
  "test/http/corpus.test.ts",
  "test/e2e/metrics.test.ts",
  "test/http/split-pdf.test.ts",
  "test/e2e/two-isolates.test.ts",
  "test/e2e/bootstrap.test.ts",
  "test/native/host/storage/postgres-jobs.test.ts",
  "test/native/document/typesetting/scripts.test.ts",
  "test/native/deployment.test.ts",
  "test/native/host/shared-renderers.test.ts",
];

export default class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const missing = SLOWEST.filter((file) => !existsSync(join(root, file)));
    if (missing.length > 0) throw new Error(`test/support/slowest-first.ts lists missing files: ${missing.join(", ")}`);
    const groupOf = ({ project }: TestSpecification) => project.config.sequence.groupOrder;
    const rankOf = ({ moduleId }: TestSpecification) => {
      const rank = SLOWEST.indexOf(relative(root, moduleId));
      return rank === -1 ? SLOWEST.length : rank;
    };
    const sorted = (await super.sort(files)).toSorted((a, b) => groupOf(a) - groupOf(b) || rankOf(a) - rankOf(b));
    return [...Map.groupBy(sorted, groupOf).values()].flatMap(spread);
  }
}

/** Merges the files that compute and those that wait, both evenly. Keeps the order of each kind. */
function spread(files: readonly TestSpecification[]): TestSpecification[] {
  const kinds = Map.groupBy(files, ({ project }) => project.name === "native");
  const placed = [...kinds.values()].flatMap((kind) =>
    kind.map((file, index) => ({ file, place: index / kind.length })),
  );
  return placed.sort((a, b) => a.place - b.place).map(({ file }) => file);
}
