import { imageEndpoint } from "./image-endpoint.ts";

export const bmp = imageEndpoint({ format: "bmp", formatName: "BMP", colorModels: ["rgb", "gray"] });
