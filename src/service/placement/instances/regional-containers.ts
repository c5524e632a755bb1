// Defines the classes of the container instances in each region (src/service/regions/regions.ts). Each region has its own
// classes, because the platform restricts the location of containers by their class.

import { EngineContainer, WebContainer } from "./engine-container.ts";

export class EngineContainerWnam extends EngineContainer {}
export class WebContainerWnam extends WebContainer {}
export class EngineContainerEnam extends EngineContainer {}
export class WebContainerEnam extends WebContainer {}
export class EngineContainerWeur extends EngineContainer {}
export class WebContainerWeur extends WebContainer {}
export class EngineContainerEeur extends EngineContainer {}
export class WebContainerEeur extends WebContainer {}
export class EngineContainerApac extends EngineContainer {}
export class WebContainerApac extends WebContainer {}
export class EngineContainerOc extends EngineContainer {}
export class WebContainerOc extends WebContainer {}
export class EngineContainerEu extends EngineContainer {}
export class WebContainerEu extends WebContainer {}
export class EngineContainerFedramp extends EngineContainer {}
export class WebContainerFedramp extends WebContainer {}
