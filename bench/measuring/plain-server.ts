// A server that stores the body of a POST in a file and returns the file: the minimum work of any service.
import { createReadStream, createWriteStream } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";

export class PlainServer {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(folder: string): Promise<PlainServer> {
    const path = join(folder, "kept");
    const server = createServer(async (incoming, outgoing) => {
      if (incoming.method !== "POST") return pipeline(createReadStream(path), outgoing);
      await pipeline(incoming, createWriteStream(path, { flush: true }));
      outgoing.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new PlainServer(server);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
