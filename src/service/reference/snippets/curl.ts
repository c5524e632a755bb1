// Generates curl commands for a POSIX shell.
import type { Call } from "./call.ts";

/** After an error curl removes the output file, so it prints the message of the Error header. */
const ON_ERROR = "--fail --remove-on-error -w '%{onerror}%header{error}\\n'";
const PLAIN = /^\w[\w%+=:,./ -]*$/;

export const curl = (calls: readonly Call[]): string => calls.map(command).join(" &&\n");

function command({ url, keyed, accept, saveAs, files, texts, isRedirect }: Call): string {
  const options = [
    ...(isRedirect ? ["-L"] : []),
    ...(accept === undefined ? [] : [`-H ${quoted(`Accept: ${accept}`)}`]),
    // The shell substitutes the key.
    ...(keyed ? ['-H "Api-Key: $API_KEY"'] : []),
    ...files.map(({ name, value }) => `-F ${quoted(`${name}=@${fileName(value)}`)}`),
    // Unlike -F, --form-string sends text literally: a leading `@` or `<` has no meaning.
    ...texts.map(({ name, value }) => `${PLAIN.test(value) ? "-F" : "--form-string"} ${quoted(`${name}=${value}`)}`),
    ...(saveAs === undefined ? ["--fail-with-body"] : [`-o ${quoted(saveAs)}`, ON_ERROR]),
  ];
  return [`curl ${quoted(url)}`, ...options].join(" \\\n  ");
}

/** Quotes a word for the shell if necessary. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a file name for -F, where a comma or semicolon would end it. */
const fileName = (name: string): string =>
  /[",;\\]/.test(name) ? `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : name;
