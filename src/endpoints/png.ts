import { imageEndpoint } from "./image-endpoint.ts";

export const png = imageEndpoint({ format: "png", formatName: "PNG", colorModels: ["rgb", "rgba", "gray"] });
