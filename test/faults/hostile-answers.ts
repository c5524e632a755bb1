// Generates the bytes that a hostile web server and a hostile browser send. The same seed yields the same bytes. This
// file opens no sockets.

/** Returns a number from 0 (inclusive) to 1 (exclusive). */
export type Random = () => number;

/** What a peer does with its connection after its last byte. */
export type Ending = "end" | "reset" | "stay";

export interface Spoken {
  readonly kind: string;
  /** Chunks that are sent one after the other, each in a separate packet if the system allows it. */
  readonly chunks: readonly Buffer[];
  readonly ending: Ending;
}

export const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, choices: readonly T[]): T => choices[below(random, choices.length)]!;
const times = (random: Random, most: number): readonly undefined[] => Array(below(random, most + 1)).fill(undefined);

const VERSIONS = [
  "HTTP/1.1",
  "HTTP/1.0",
  "HTTP/0.9",
  "HTTP/2.0",
  "HTTP/9.9",
  "HTTP/1",
  "http/1.1",
  "ICY",
  "RTSP/1.0",
  "",
];
const STATUSES = [
  ...["000", "001", "042", "099", "100", "101", "102", "103", "150", "199", "200", "204", "205", "206", "226", "301"],
  ...[
    "304",
    "401",
    "407",
    "426",
    "499",
    "599",
    "600",
    "777",
    "999",
    "1000",
    "99999",
    "-1",
    "+200",
    "2e2",
    "0x1",
    "",
    "٢٠٠",
  ],
];
const REASONS = ["OK", "", "X", "\x00", "\x7f", "\xff\xfe", "a\tb", "x".repeat(70_000), "a\rb"];
const NAMES = [
  ...[
    "Content-Type",
    "X-Odd",
    "__proto__",
    "constructor",
    "toString",
    "Set-Cookie",
    "Connection",
    "Keep-Alive",
    "Upgrade",
  ],
  ...["Trailer", "Transfer-Encoding", "Content-Length", "Proxy-Connection", "Proxy-Authenticate", "Location", "Date"],
  ...[
    "",
    " ",
    "A B",
    "A:B",
    "\x00",
    "\x80\xff",
    "é",
    "X-Line\rBreak",
    "(x)",
    "x".repeat(300),
    "Host",
    "Content-Encoding",
  ],
];
const VALUES = [
  ...[
    "",
    "text/html",
    "close",
    "keep-alive",
    "upgrade",
    "close, content-length",
    "x-odd, \x80",
    "\x00",
    "\x7f",
    "\xff",
  ],
  ...["a\rb", "a\r\n b", "a\nb", "\tx\t", "-1", "0", "2", "99999999999999999999", "1, 2", "0x10", "chunked", "gzip"],
  ...[
    "identity, chunked",
    "chunked, chunked",
    "websocket",
    "h2c",
    "timeout=0, max=0",
    "x".repeat(20_000),
    "\\".repeat(9),
  ],
];

const header = (random: Random) => `${pick(random, NAMES)}: ${pick(random, VALUES)}\r\n`;

function statusLine(random: Random): string {
  if (random() < 0.5) return `HTTP/1.1 ${pick(random, STATUSES)} ${pick(random, REASONS.slice(0, 4))}\r\n`;
  return `${pick(random, VERSIONS)} ${pick(random, STATUSES)} ${pick(random, REASONS)}${pick(random, ["\r\n", "\n", "\r"])}`;
}

const CHUNK_SIZES = [
  "0",
  "2",
  "5",
  "ffffffffffffffffff",
  "-1",
  "g",
  "",
  " 2",
  "2 ",
  "0x2",
  "80000000",
  "7fffffffffffffff",
];

function chunked(random: Random): string {
  const extension = () => pick(random, ["", "", ";a=b", `;${"x".repeat(100_000)}`, ";\x00", ';"'] as const);
  const chunks = times(random, 5).map(
    () => `${pick(random, CHUNK_SIZES)}${extension()}\r\nhi${pick(random, ["\r\n", "\n", ""])}`,
  );
  const trailers = times(random, 3).map(() => header(random));
  return `Transfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n${chunks.join("")}0\r\n${trailers.join("")}${pick(random, ["\r\n", ""])}`;
}

/** Kinds of server responses. Real servers send only `sound`. */
const ANSWERS: Readonly<Record<string, (random: Random) => string>> = {
  sound: () => "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nhi",
  status: (random) => `${statusLine(random)}Content-Length: 2\r\n\r\nhi`,
  headers: (random) =>
    `HTTP/1.1 200 OK\r\n${times(random, 12)
      .map(() => header(random))
      .join("")}\r\nhi`,
  "many headers": (random) => `HTTP/1.1 200 OK\r\n${`X-${below(random, 9)}: 1\r\n`.repeat(below(random, 12_000))}\r\n`,
  "a line of 1 MB": (random) => {
    const line = "x".repeat(2 ** 20);
    return pick(random, [
      `HTTP/1.1 200 OK\r\nX: ${line}\r\n\r\n`,
      `HTTP/1.1 200 OK\r\n${line}: 1\r\n\r\n`,
      `HTTP/1.1 200 ${line}`,
      line,
    ]);
  },
  length: (random) => {
    const length = pick(random, ["0", "1", "3", "5000000000", "-2", "2\r\nContent-Length: 3", "2, 2", "", "two", "٢"]);
    return `HTTP/1.1 ${pick(random, ["200", "204", "304"])} OK\r\nContent-Length: ${length}\r\n\r\nhi`;
  },
  "length and chunks": (random) => `HTTP/1.1 200 OK\r\nContent-Length: 4\r\n${chunked(random)}`,
  chunks: (random) => `HTTP/1.1 ${pick(random, ["200", "204", "304", "500"])} OK\r\n${chunked(random)}`,
  informational: (random) => {
    const one = () =>
      `HTTP/1.1 1${below(random, 10)}${below(random, 10)} X\r\n${times(random, 2)
        .map(() => header(random))
        .join("")}\r\n`;
    const all = times(random, random() < 0.05 ? 2000 : 5).map(one);
    return `${all.join("")}${pick(random, ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", ""])}`;
  },
  upgrade: (random) => {
    const status = pick(random, ["101", "200", "426"]);
    return `HTTP/1.1 ${status} X\r\nConnection: upgrade\r\nUpgrade: ${pick(random, ["websocket", "h2c", "x"])}\r\n\r\n\x81\x02hi`;
  },
  pipelined: (random) => {
    const sound = ANSWERS.sound!(random);
    return pick(random, [
      sound + sound,
      `${sound}\x00\xff garbage\r\n`,
      `${sound}HTTP/1.1 042 X\r\n\r\n`,
      sound.repeat(50),
    ]);
  },
  "HTTP/0.9": (random) => pick(random, ["<html>hi</html>", "hi", "\r\n\r\n", "\n", "\x00".repeat(1000), ""]),
  "another protocol": (random) =>
    pick(random, [
      "SSH-2.0-x\r\n",
      "220 mail ESMTP\r\n",
      "\x16\x03\x01\x02\x00\x01",
      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
      "\x00\x00\x00\x04",
    ]),
  noise: (random) => String.fromCharCode(...Array.from({ length: below(random, 300) }, () => below(random, 256))),
};

const TARGETS = ["/", "/?x", "/%00", "/\xff", "/a b", "//", "", ":0/", "@x/", "/#f"];
const METHODS = [
  "GET",
  "GET",
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "DELETE",
  "OPTIONS",
  "TRACE",
  "PURGE",
  "M-SEARCH",
  "get",
  "X",
  "",
];

/** Kinds of browser requests. Real browsers send only `sound`. */
const REQUESTS: Readonly<Record<string, (random: Random, place: string) => string>> = {
  sound: (_, place) => `GET http://${place}/ HTTP/1.1\r\nHost: ${place}\r\n\r\n`,
  target: (random, place) =>
    `${pick(random, METHODS)} http://${place}${pick(random, TARGETS)} HTTP/1.1\r\nHost: x\r\n\r\n`,
  headers: (random, place) =>
    `${pick(random, METHODS)} http://${place}/ HTTP/1.1\r\nHost: x\r\n${times(random, 6)
      .map(() => header(random))
      .join("")}\r\nhi`,
  upload: (random, place) =>
    `POST http://${place}/ HTTP/1.1\r\nHost: x\r\nContent-Length: ${pick(random, ["2", "9", "100000"])}\r\n${pick(random, ["", "Expect: 100-continue\r\n", "Expect: x\r\n"])}\r\nhi`,
  chunks: (random, place) => `POST http://${place}/ HTTP/1.1\r\nHost: x\r\n${chunked(random)}`,
  upgrade: (_, place) =>
    `GET http://${place}/ HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: x\r\n\r\n`,
  tunnel: (random, place) => {
    const to = pick(random, [place, place, place, "", "/", "x", "[::1", "127.0.0.1:99999", ":", "a:b@c:d"]);
    return `CONNECT ${to} HTTP/1.1\r\nHost: x\r\n\r\n${pick(random, ["GET / HTTP/1.1\r\n\r\n", "\x00\xff", ""])}`;
  },
  pipelined: (_, place) => `GET http://${place}/ HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(5),
  "another protocol": (random) =>
    pick(random, ["\x16\x03\x01\x02\x00\x01", "\x04\x01", "\x05\x01\x00", "PRI * HTTP/2.0\r\n\r\n"]),
};

const ENDINGS: readonly Ending[] = [...Array<Ending>(6).fill("end"), "reset", "reset", "reset", "stay"];

/** Drops, changes or truncates some bytes, and splits the remaining bytes into chunks of random sizes. */
function spoken(random: Random, kind: string, text: string): Spoken {
  let bytes = Buffer.from(text, "latin1");
  if (random() < 0.1) for (const _ of times(random, 4)) bytes[below(random, bytes.length)] = below(random, 256);
  if (random() < 0.15) bytes = bytes.subarray(0, below(random, bytes.length));
  const cuts = random() < 0.5 ? [] : times(random, 4).map(() => below(random, bytes.length));
  const edges = [0, ...cuts.toSorted((one, other) => one - other), bytes.length];
  const chunks = edges.slice(1).map((edge, index) => bytes.subarray(edges[index], edge));
  return { kind, chunks, ending: pick(random, ENDINGS) };
}

export function hostileAnswer(random: Random): Spoken {
  // A line of 1 MB takes as long as a thousand other responses, so it is rarer.
  const kinds = Object.keys(ANSWERS).filter((kind) => kind !== "a line of 1 MB" || random() < 0.02);
  const kind = pick(random, kinds);
  return spoken(random, kind, ANSWERS[kind]!(random));
}

/** Returns one request to the proxy. @param place host and port of the hostile server */
export function hostileRequest(random: Random, place: string): Spoken {
  // Most requests are valid, because the test is mainly about the responses.
  if (random() < 0.7) return { kind: "sound", chunks: [Buffer.from(REQUESTS.sound!(random, place))], ending: "stay" };
  const kind = pick(random, Object.keys(REQUESTS));
  return spoken(random, kind, REQUESTS[kind]!(random, place));
}
