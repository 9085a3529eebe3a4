/** A DNS server on loopback that knows TXT records. What it does not know is not there; it can also keep silent. */
import { createSocket } from "node:dgram";
import type { AddressInfo } from "node:net";

export interface DnsServer {
  /** `127.0.0.1:port`. */
  address: string;
  /** Texts by name, in lower case. A text of more than 255 bytes is sent in pieces, as it has to be. */
  texts: Map<string, string[]>;
  /** Answers nothing. */
  silent: boolean;
  /** Names that were asked for. */
  asked: string[];
  stop(): Promise<void>;
}

const TXT = 16;

export async function startDns(): Promise<DnsServer> {
  const socket = createSocket("udp4");
  const self: DnsServer = {
    address: "",
    texts: new Map(),
    silent: false,
    asked: [],
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
  socket.on("message", (query, { port, address }) => {
    const { name, end } = nameIn(query);
    self.asked.push(name);
    if (self.silent) return;
    const type = query.readUInt16BE(end);
    const found = type === TXT ? (self.texts.get(name) ?? []) : [];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // A response, with recursion as asked for; code 3 where there is no such name.
    head.writeUInt16BE(0x8180 | (self.texts.has(name) ? 0 : 3), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(found.length, 6);
    const question = query.subarray(12, end + 4);
    socket.send(Buffer.concat([head, question, ...found.map(record)]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  self.address = `127.0.0.1:${(socket.address() as AddressInfo).port}`;
  return self;
}

function nameIn(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join(".").toLowerCase(), end: at + 1 };
}

function record(text: string): Buffer {
  const bytes = Buffer.from(text);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += 255) {
    const piece = bytes.subarray(at, at + 255);
    pieces.push(Buffer.from([piece.length]), piece);
  }
  const data = Buffer.concat(pieces);
  const head = Buffer.alloc(12);
  // The name of the question, by a pointer.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
