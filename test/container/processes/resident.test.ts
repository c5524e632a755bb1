// Tests that invalid output of an engine's process, or of an impostor, does not cause an exception outside the
// listeners.

import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { Pipe, ProtocolError } from "../../../container/engines/chromium/pipe.ts";
import { parseLine } from "../../../container/supervision/resident.ts";

test.each(["null", "5", '"text"', "true", "", "{", "[1]", "\0"])("the line %s says nothing", (line) => {
  const { id, pid, status } = parseLine(line);
  expect([id, pid, status]).toEqual([undefined, undefined, undefined]);
  expect("valid" in parseLine(line)).toBe(false);
});

describe("a browser that says what makes no sense", () => {
  test.each([
    ["no JSON", "{\0"],
    ["null", "null\0"],
    ["an event without what belongs to it", '{"method":"Page.frameNavigated"}\0'],
    ["an answer whose error is none", '{"id":1,"error":true}\0{"id":2,"error":null,"method":5}\0{\0'],
  ])("%s: it is ended, and whoever waits for an answer is told", async (_, said) => {
    const incoming = new PassThrough();
    let broken = 0;
    const pipe = new Pipe(new PassThrough(), incoming, () => broken++);
    pipe.browser.on("Page.frameNavigated", ({ frame }) => expect(frame.id).toBe(undefined));
    const answers = [pipe.browser.send("Browser.getVersion"), pipe.browser.send("Browser.close")];
    incoming.write(said);
    incoming.write('{"id":2,"result":{}}\0');
    await expect(answers[0]).rejects.toBeInstanceOf(ProtocolError);
    await Promise.allSettled(answers);
    expect(broken).toBe(1);
    await expect(pipe.browser.send("Browser.getVersion")).rejects.toThrow("it speaks no protocol");
  });
});
