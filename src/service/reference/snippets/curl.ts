// Writes requests as commands of curl, for a POSIX shell.
import type { Call } from "./call.ts";

/** After an error, there is no file: the sentence is that of a header field. */
const ON_ERROR = "--fail --remove-on-error -w '%{onerror}%header{error}\\n'";
const PLAIN = /^\w[\w%+=:,./ -]*$/;

export const curl = (calls: readonly Call[]): string => calls.map(command).join(" &&\n");

function command({ url, keyed, accept, saveAs, files, texts, isRedirect }: Call): string {
  const options = [
    ...(isRedirect ? ["-L"] : []),
    ...(accept === undefined ? [] : [`-H ${quoted(`Accept: ${accept}`)}`]),
    // The shell puts the key in.
    ...(keyed ? ['-H "Api-Key: $API_KEY"'] : []),
    ...files.map(({ name, value }) => `-F ${quoted(`${name}=@${fileName(value)}`)}`),
    // Unlike -F, --form-string sends a text as it is, whatever it has.
    ...texts.map(({ name, value }) => `${PLAIN.test(value) ? "-F" : "--form-string"} ${quoted(`${name}=${value}`)}`),
    ...(saveAs === undefined ? ["--fail-with-body"] : [`-o ${quoted(saveAs)}`, ON_ERROR]),
  ];
  return [`curl ${quoted(url)}`, ...options].join(" \\\n  ");
}

/** Quotes a word for the shell, unless it needs no quotes. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a file name for -F, for which commas and semicolons end a name. */
const fileName = (name: string): string =>
  /[",;\\]/.test(name) ? `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : name;
