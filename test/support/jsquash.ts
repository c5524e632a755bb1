// Decodes PNG and JPEG with @jsquash (libpng's successor in Rust, and mozjpeg), which are third-party decoders that run
// in Node and in workerd alike.
import decodeJpeg, { init as initJpeg } from "@jsquash/jpeg/decode.js";
import decodePng, { init as initPng } from "@jsquash/png/decode.js";

/** Pixels as both decoders return them: RGBA, 8 bits, not premultiplied. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export interface Decoders {
  png(file: Uint8Array): Promise<Rgba>;
  jpg(file: Uint8Array): Promise<Rgba>;
}

/** @param modules the packages' binaries, which each runtime loads in its own way */
export async function jsquash(modules: {
  readonly png: WebAssembly.Module;
  readonly jpg: WebAssembly.Module;
}): Promise<Decoders> {
  await initPng(modules.png);
  await initJpeg(modules.jpg);
  const exactly = (file: Uint8Array) => Uint8Array.from(file).buffer;
  return {
    png: (file) => decodePng(exactly(file)) as Promise<Rgba>,
    jpg: (file) => decodeJpeg(exactly(file)) as Promise<Rgba>,
  };
}

/** Returns the first channels of each pixel; gray has its value in all three. */
export function channelsOf({ data }: Rgba, channels: number): Uint8Array {
  const samples = new Uint8Array((data.length / 4) * channels);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    for (let channel = 0; channel < channels; channel++) samples[to++] = data[from + channel]!;
  }
  return samples;
}
