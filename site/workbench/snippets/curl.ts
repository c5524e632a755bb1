// Writes requests as commands of curl, for a POSIX shell.
import type { Call } from "./call.ts";

export const curl = (calls: readonly Call[]): string => calls.map(command).join(" &&\n");

function command({ baseUrl, path, keyed, accept, saveAs, files, texts }: Call): string {
  const options = [
    `-H ${quoted(`Accept: ${accept}`)}`,
    // The shell puts the key in.
    ...(keyed ? ['-H "Api-Key: $API_KEY"'] : []),
    ...files.map(({ name, value }) => `-F ${quoted(`${name}=@${fileName(value)}`)}`),
    // Unlike -F, it sends a text as it is, whatever it begins with.
    ...texts.map(({ name, value }) => `--form-string ${quoted(`${name}=${value}`)}`),
    `-o ${quoted(saveAs)}`,
    // After an error, there is no file: the sentence is that of a header field.
    "--fail --remove-on-error -w '%{onerror}%header{error}\\n'",
  ];
  return [`curl ${quoted(baseUrl + path)}`, ...options].join(" \\\n  ");
}

/** Quotes a word for the shell, unless it needs no quotes. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a file name for -F, for which commas and semicolons end a name. */
const fileName = (name: string): string =>
  /[",;\\]/.test(name) ? `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : name;
