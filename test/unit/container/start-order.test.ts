// Tests the order in which engines start: engines for which a job waits first, the others one after the other.
import { expect, test } from "vitest";
import { StartOrder } from "../../../container/engine-lifecycle/start-order.ts";

/** Returns engines whose starts the test completes, and the names of those that have started. */
function engines(...names: string[]) {
  const order = new StartOrder();
  const begun: string[] = [];
  const all = Object.fromEntries(
    names.map((name) => {
      const { promise, resolve, reject } = Promise.withResolvers<string>();
      const place = order.register();
      const start = () =>
        place.run(() => {
          begun.push(name);
          return promise;
        });
      return [name, { start, hurry: place.prioritize, done: () => resolve(name), fail: reject }];
    }),
  );
  return { order, begun, all };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test("nothing starts before it may, then one after the other in the order of the places", async () => {
  const { order, begun, all } = engines("a", "b", "c");
  const started = ["c", "a", "b"].map((name) => all[name]!.start());
  await settled();
  expect(begun).toEqual([]);
  order.open();
  await settled();
  expect(begun).toEqual(["a"]);
  all.a!.done();
  await settled();
  expect(begun).toEqual(["a", "b"]);
  all.b!.done();
  all.c!.done();
  expect(await Promise.all(started)).toEqual(["c", "a", "b"]);
});

test("an engine that a job waits for starts at once, and the others after it", async () => {
  const { order, begun, all } = engines("a", "b", "c");
  for (const engine of Object.values(all)) void engine.start();
  order.open();
  all.c!.hurry();
  await settled();
  expect(begun).toEqual(["a", "c"]);
  all.a!.done();
  await settled();
  expect(begun, "not beside one that a job waits for").toEqual(["a", "c"]);
  all.c!.done();
  await settled();
  expect(begun).toEqual(["a", "c", "b"]);
});

test("a job's engine starts while the others are held back", async () => {
  const { begun, all } = engines("a", "b");
  all.b!.hurry();
  for (const engine of Object.values(all)) void engine.start();
  await settled();
  expect(begun).toEqual(["b"]);
});

test("no further engine starts after the order is closed, unless a job waits for it", async () => {
  const { order, begun, all } = engines("a", "b", "c");
  for (const engine of Object.values(all)) void engine.start();
  order.open();
  order.close();
  all.a!.done();
  await settled();
  expect(begun).toEqual(["a"]);
  all.c!.hurry();
  await settled();
  expect(begun).toEqual(["a", "c"]);
});

test("a start that fails lets the next one begin, and is reported", async () => {
  const { order, begun, all } = engines("a", "b");
  const failed = all.a!.start();
  void all.b!.start();
  order.open();
  all.a!.fail(new Error("no room"));
  await expect(failed).rejects.toThrow("no room");
  await settled();
  expect(begun).toEqual(["a", "b"]);
});
