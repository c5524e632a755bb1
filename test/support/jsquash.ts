// Decodes PNG and JPEG with @jsquash (the Rust crate png, and mozjpeg). These third-party decoders run in Node and in
// workerd.
import decodeJpeg, { init as initJpeg } from "@jsquash/jpeg/decode.js";
import decodePng, { init as initPng } from "@jsquash/png/decode.js";

/** Pixels as both decoders return them: 8-bit RGBA, not premultiplied. */
export interface Rgba {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8ClampedArray;
}

export interface Decoders {
  png(file: Uint8Array): Promise<Rgba>;
  jpg(file: Uint8Array): Promise<Rgba>;
}

/** @param modules the binaries of the packages, which each runtime loads differently */
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

/** Returns the first `channels` samples of each pixel. In gray images, all three colors have the same value. */
export function channelsOf({ data }: Rgba, channels: number): Uint8Array {
  const samples = new Uint8Array((data.length / 4) * channels);
  for (let from = 0, to = 0; from < data.length; from += 4) {
    for (let channel = 0; channel < channels; channel++) samples[to++] = data[from + channel]!;
  }
  return samples;
}
