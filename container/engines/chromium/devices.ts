// Emulates the device on which a page is shown: screen size, input and user agent.

import type { Session } from "./pipe.ts";

export type DeviceName = "desktop" | "tablet" | "mobile";

interface Device {
  /** Width in CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  /** True for touch input instead of a mouse. The page's `meta` element then defines the viewport. */
  readonly mobile: boolean;
  /** Text in the brackets of the user agent. It also determines the platform and form in the client hints. */
  readonly system: string;
  readonly platform: string;
  /** True for phones, whose user agents contain `Mobile`. The user agents of tablets do not. */
  readonly telephone: boolean;
}

export const DEVICES: Readonly<Record<DeviceName, Device>> = {
  desktop: {
    width: 1280,
    height: 1024,
    pixelRatio: 1,
    mobile: false,
    system: "X11; Linux x86_64",
    platform: "Linux",
    telephone: false,
  },
  tablet: {
    width: 768,
    height: 1024,
    pixelRatio: 2,
    mobile: true,
    system: "Linux; Android 10; K",
    platform: "Android",
    telephone: false,
  },
  mobile: {
    width: 390,
    height: 844,
    pixelRatio: 3,
    mobile: true,
    system: "Linux; Android 10; K",
    platform: "Android",
    telephone: true,
  },
};

const TOUCH_POINTS = 5;

/** @param version version of the browser; servers see only its first number */
export function userAgentOf(name: DeviceName, version: string): string {
  const { system, telephone } = DEVICES[name];
  const browser = `Chrome/${version.split(".")[0]}.0.0.0 ${telephone ? "Mobile " : ""}Safari/537.36`;
  return `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) ${browser}`;
}

/**
 * Emulates a device. Callers can load a page without waiting, because the browser executes commands in order.
 */
export function emulate(session: Session, name: DeviceName, version: string): void {
  const { width, height, pixelRatio, mobile, platform, telephone } = DEVICES[name];
  const major = version.split(".")[0];
  const brands = ["Chromium", "Not)A;Brand"].map((brand) => ({ brand, version: brand === "Chromium" ? major! : "99" }));
  void session.send("Emulation.setDeviceMetricsOverride", {
    width,
    height,
    screenWidth: width,
    screenHeight: height,
    deviceScaleFactor: pixelRatio,
    mobile,
  });
  if (mobile) void session.send("Emulation.setTouchEmulationEnabled", { enabled: true, maxTouchPoints: TOUCH_POINTS });
  void session.send("Emulation.setUserAgentOverride", {
    userAgent: userAgentOf(name, version),
    platform: mobile ? "Linux armv81" : "Linux x86_64",
    userAgentMetadata: {
      brands,
      platform,
      platformVersion: "",
      architecture: "",
      model: "",
      mobile: telephone,
    },
  });
}
