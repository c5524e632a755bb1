// Starts an IIIF server of another kind as a process of its own: iiif-processor from npm, whose engine is sharp. It
// serves pictures and reads no PDF, so it has a picture of the page at its full size.

import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../test/dist/iiif-processor");
const PACKAGES = ["iiif-processor@7.0.0", "sharp@0.34.5"];

const SERVER = `
import { createReadStream } from "node:fs";
import { createServer } from "node:http";
import { Processor } from "iiif-processor";
import sharp from "sharp";

// Tiles and smaller sizes, as its users prepare them.
const picture = process.argv[2] + ".tif";
await sharp(process.argv[2]).tiff({ tile: true, pyramid: true, compression: "deflate" }).toFile(picture);
const streamResolver = async () => createReadStream(picture);

const server = createServer(async ({ url }, response) => {
  const processor = new Processor("http://localhost" + url, streamResolver);
  try {
    const { contentType, body } = await processor.execute();
    response.writeHead(200, { "Content-Type": contentType }).end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

export interface IiifPeer extends Disposable {
  /** Address of the picture. */
  readonly url: string;
}

/** Installs the server if it is not there. @param picture file with the whole page */
export async function startIiifPeer(picture: string): Promise<IiifPeer> {
  if (!existsSync(join(folder, "node_modules/iiif-processor"))) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "private": true, "type": "module" }');
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    execFileSync("npm", ["install", ...options, ...PACKAGES], { cwd: folder });
  }
  writeFileSync(join(folder, "server.js"), SERVER);
  const server = spawn(process.execPath, [join(folder, "server.js"), picture], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise<string>((resolve, reject) => {
    server.stdout.once("data", (line: Buffer) => resolve(line.toString().trim()));
    server.once("exit", () => reject(new Error("the other IIIF server has ended")));
  });
  return { url: `http://127.0.0.1:${port}/iiif/3/page`, [Symbol.dispose]: () => void server.kill() };
}
