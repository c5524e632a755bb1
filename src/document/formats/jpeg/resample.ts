// Resamples a JPEG in the kernel, one component at a time, without color conversion and without upsampling chrominance
// first.

import type { ImageKernel } from "../image-kernel.ts";
import { coefficientBytes, type JpegReader } from "./entropy/coefficients.ts";
import { UnreadableJpeg } from "./file.ts";
import type { Plane } from "./samples.ts";

/**
 * Reads the whole image.
 * @param width width of the new image, in pixels
 * @param factors sampling factors of each component in the new image, 1 or 2
 * @returns one plane per component, without padding
 * @throws UnreadableJpeg if the data are damaged, or need more memory than available
 */
export function resampleJpeg(
  kernel: ImageKernel,
  reader: JpegReader,
  width: number,
  height: number,
  factors: readonly { readonly across: number; readonly down: number }[],
  memoryBytes: number,
): Plane[] {
  const { exports } = kernel;
  const { frame, grid } = reader;
  const whole = !reader.isOneScan;
  if (whole && coefficientBytes(grid) > memoryBytes) throw new UnreadableJpeg("too many coefficients to hold");
  if (whole) reader.readAll();
  else reader.startRows();
  const most = { across: Math.max(...factors.map((f) => f.across)), down: Math.max(...factors.map((f) => f.down)) };
  const areas = grid.components.map((from, index) => {
    const to = factors[index]!;
    const source = {
      width: Math.ceil((frame.width * from.across) / grid.across),
      height: Math.ceil((frame.height * from.down) / grid.down),
    };
    const target = {
      width: Math.ceil((width * to.across) / most.across),
      height: Math.ceil((height * to.down) / most.down),
    };
    const stride = Math.ceil(target.width / 16) * 16;
    const rows = Math.ceil(target.height / 16) * 16;
    const at = exports.allocate(stride * rows + 64);
    // The scale is that of the image, because the last sample of a component can be half outside the image.
    const scaleX = ((frame.width / width) * (from.across / grid.across)) / (to.across / most.across);
    const scaleY = ((frame.height / height) * (from.down / grid.down)) / (to.down / most.down);
    const area = exports.newArea(
      1,
      source.width,
      source.height,
      target.width,
      target.height,
      scaleX,
      scaleY,
      at,
      stride,
    );
    return { area, at, stride, rows, target, ...to };
  });
  for (let mcuRow = 0; mcuRow < grid.rows; mcuRow++) {
    if (!whole) reader.readRow();
    grid.components.forEach(({ columns, down }, index) => {
      for (let row = 0; row < down; row++) {
        const strip = exports.reconstruct(index, whole ? mcuRow * down + row : row);
        for (let line = 0; line < 8; line++) exports.addAreaRow(areas[index]!.area, strip + line * columns * 8);
      }
    });
  }
  return areas.map(({ at, stride, rows, target, across, down }) => {
    exports.pad(at, target.width, target.height, stride, rows, 1);
    return { at, stride, across, down };
  });
}
