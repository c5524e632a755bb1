// What a page is made to see of the device it is on: the size of its screen, its fingers, its name. Knows no job.

import type { Session } from "./pipe.ts";

export type DeviceName = "desktop" | "tablet" | "mobile";

interface Device {
  /** CSS pixels. */
  readonly width: number;
  readonly height: number;
  readonly pixelRatio: number;
  /** Touch instead of a mouse, and a viewport that the page describes itself. */
  readonly mobile: boolean;
  /** What its user agent says between the brackets, and of the client hints its platform and form. */
  readonly system: string;
  readonly platform: string;
  /** User agents of telephones say so, those of tablets do not. */
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

/** Commands are carried out in the order in which they are sent: nobody has to wait for these before a page is loaded. */
export function emulate(session: Session, name: DeviceName, version: string): void {
  const { width, height, pixelRatio, mobile, system, platform, telephone } = DEVICES[name];
  const major = version.split(".")[0];
  const brands = ["Chromium", "Not)A;Brand"].map((brand) => ({ brand, version: brand === "Chromium" ? major : "99" }));
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
    userAgent: `Mozilla/5.0 (${system}) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${major}.0.0.0 ${telephone ? "Mobile " : ""}Safari/537.36`,
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
