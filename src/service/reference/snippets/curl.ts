// Generates curl commands for a POSIX shell.
import type { Call, Entry } from "./call.ts";

/** Options for saving a file. After an error, curl deletes the file and prints the message in the header Error. */
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
    ...texts.map(textOption),
    ...(saveAs === undefined ? ["--fail-with-body"] : [`-o ${quoted(saveAs)}`, ON_ERROR]),
  ];
  return [`curl ${quoted(url)}`, ...options].join(" \\\n  ");
}

function textOption({ name, value, variable }: Entry): string {
  if (variable !== undefined) return `--form-string "${name}=$${variable}"`;
  return `${PLAIN.test(value) ? "-F" : "--form-string"} ${quoted(`${name}=${value}`)}`;
}

/** Quotes a word for the shell if necessary. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** Quotes a file name for the option -F, in which a comma or semicolon would end the name. */
const fileName = (name: string): string =>
  /[",;\\]/.test(name) ? `"${name.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"` : name;
