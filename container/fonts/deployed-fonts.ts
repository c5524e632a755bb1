// The fonts of the deployment (FONTS_DIR), which all engines of this process use as if they were installed.

let folder: string | undefined;

/** @param path folder whose folder `fonts` has the fonts */
export function useFonts(path: string | undefined): void {
  folder = path;
}

/** Returns the folder, which engines can read; an empty list without such fonts. */
export const deployedFonts = (): readonly string[] => (folder === undefined ? [] : [folder]);

/** Returns the variable with which fontconfig finds the fonts (fontconfig.ts). */
export const fontVariables = (): Readonly<Record<string, string>> =>
  folder === undefined ? {} : { XDG_DATA_HOME: folder };
