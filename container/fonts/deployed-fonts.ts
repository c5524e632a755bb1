// The fonts of the deployment (FONTS_DIR), which all engines of this process use as if they were installed.

/** A font file with a single font. */
export interface NamedFont {
  readonly path: string;
  /** Names of the font itself, not of its family. */
  readonly names: readonly string[];
}

interface DeployedFonts {
  /** Folder whose folder `fonts` has the fonts. */
  readonly folder: string;
  /** All fonts except collections. */
  readonly named: readonly NamedFont[];
}

let deployed: DeployedFonts | undefined;

export function useFonts(fonts: DeployedFonts | undefined): void {
  deployed = fonts;
}

/** Returns the folder, which engines can read; an empty list without such fonts. */
export const deployedFonts = (): readonly string[] => (deployed ? [deployed.folder] : []);

export const namedFonts = (): readonly NamedFont[] => deployed?.named ?? [];

/** Returns the variable with which fontconfig finds the fonts (fontconfig.ts). */
export const fontVariables = (): Readonly<Record<string, string>> =>
  deployed ? { XDG_DATA_HOME: deployed.folder } : {};
