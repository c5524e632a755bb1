// Tests for how long a page is kept for the static documents of a client (decision 83).
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SharedPages } from "../../../container/engines/chromium/shared-pages.ts";
import { CONTAINER_LIMITS } from "../../../container/limits.ts";

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => vi.useRealTimers());

const { sharedRendererPages, sharedRendererMs } = CONTAINER_LIMITS;
const page = (name: string) => ({ name });

test("a page is for one client, for a number of documents", () => {
  const pages = new SharedPages<ReturnType<typeof page>>(3, () => {});
  const one = page("one");
  for (let document = 1; document < sharedRendererPages; document++) {
    expect(pages.keep("a", one)).toBe(true);
    expect(pages.take("b")).toBeUndefined();
    expect(pages.take("a")).toBe(one);
    expect(pages.take("a")).toBeUndefined();
  }
  expect(pages.keep("a", one)).toBe(false);
  const other = page("other");
  pages.keep("a", other);
  pages.take("a");
  expect(pages.keep("b", other)).toBe(false);
});

test("a page ends after a time, whether it is idle or not", () => {
  const ended: string[] = [];
  const pages = new SharedPages<ReturnType<typeof page>>(3, ({ name }) => ended.push(name));
  const [idle, busy] = [page("idle"), page("busy")];
  pages.keep("a", idle);
  pages.keep("b", busy);
  vi.advanceTimersByTime(sharedRendererMs - 1);
  expect(pages.take("b")).toBe(busy);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(["idle"]);
  expect(pages.take("a")).toBeUndefined();
  expect(pages.keep("b", busy)).toBe(false);
});

test("few pages are kept: the one that was idle for longest ends, and a lost one is removed", () => {
  const ended: string[] = [];
  const pages = new SharedPages<ReturnType<typeof page>>(2, ({ name }) => ended.push(name));
  for (const name of ["a", "b", "c"]) pages.keep(name, page(name));
  expect(ended).toEqual(["a"]);
  const lost = pages.take("b")!;
  expect(pages.remove(lost)).toBe(false);
  pages.keep("b", lost);
  expect(pages.remove(lost)).toBe(true);
  expect(pages.take("b")).toBeUndefined();
  expect(ended).toEqual(["a"]);
});
