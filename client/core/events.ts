// Parses the subset of server-sent events (WHATWG HTML, 9.2) that the service sends.

/** Yields the data of each event. Yields an empty string for each comment, because comments are heartbeats. */
export async function* eventsIn(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      text = (text + decoder.decode(next.value, { stream: true })).replaceAll("\r\n", "\n");
      const events = text.split("\n\n");
      text = events.pop()!;
      for (const event of events) {
        const lines = event.split("\n").filter((line) => line.startsWith("data:"));
        yield lines.map((line) => line.slice("data:".length).trim()).join("\n");
      }
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
