/** The WebSockets of Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode), by the text of RFC 6455. */
import { createHash } from "node:crypto";
import type { Server } from "node:http";
import type { Duplex } from "node:stream";

export interface SlackSocket {
  /** Sends an envelope with a payload, and returns its id. */
  send(payload: object): string;
  /** The ids of envelopes that the client has acknowledged. */
  acknowledged: string[];
  /** Says that the socket is ready. */
  sayHello(): void;
  /** Asks the client to connect again, as Slack does every few hours. */
  askToReconnect(): void;
}

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const OPCODES = { text: 1, close: 8, ping: 9, pong: 10 };

/** Takes the server's upgrades. Returns the list of open sockets, which changes. `saysHello`: asked for each, when it is open. */
export function acceptSockets(server: Server, saysHello: () => boolean): SlackSocket[] {
  const sockets: SlackSocket[] = [];
  let envelopes = 0;
  server.on("upgrade", (request, stream: Duplex) => {
    const accept = createHash("sha1")
      .update(`${request.headers["sec-websocket-key"]}${GUID}`)
      .digest("base64");
    stream.write(
      `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
    );
    const say = (message: object) => stream.write(frame(OPCODES.text, Buffer.from(JSON.stringify(message))));
    const socket: SlackSocket = {
      acknowledged: [],
      send(payload) {
        const envelopeId = `envelope-${++envelopes}`;
        say({ type: "interactive", envelope_id: envelopeId, payload, accepts_response_payload: true });
        return envelopeId;
      },
      sayHello: () => say({ type: "hello", num_connections: sockets.length }),
      askToReconnect: () => say({ type: "disconnect", reason: "refresh_requested" }),
    };
    const leave = () => {
      const place = sockets.indexOf(socket);
      if (place >= 0) sockets.splice(place, 1);
    };
    let rest: Buffer = Buffer.alloc(0);
    stream.on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let read = readFrame(rest); read; read = readFrame(rest)) {
        rest = rest.subarray(read.length);
        if (read.opcode === OPCODES.text)
          socket.acknowledged.push(JSON.parse(read.payload.toString()).envelope_id);
        if (read.opcode === OPCODES.ping) stream.write(frame(OPCODES.pong, read.payload));
        if (read.opcode === OPCODES.close) stream.end(frame(OPCODES.close, read.payload));
      }
    });
    // A process that dies resets it.
    stream.on("error", leave);
    stream.on("close", leave);
    sockets.push(socket);
    if (saysHello()) socket.sayHello();
  });
  return sockets;
}

function frame(opcode: number, payload: Buffer): Buffer {
  const head = payload.length < 126 ? Buffer.from([0x80 | opcode, payload.length]) : Buffer.alloc(4);
  if (payload.length >= 126) {
    head.writeUInt8(0x80 | opcode, 0);
    head.writeUInt8(126, 1);
    head.writeUInt16BE(payload.length, 2);
  }
  return Buffer.concat([head, payload]);
}

/** A client's frame, which is masked; null: not all of it is here yet. */
function readFrame(bytes: Buffer): { opcode: number; payload: Buffer; length: number } | null {
  if (bytes.length < 2) return null;
  const opcode = bytes.readUInt8(0) & 0x0f;
  const short = bytes.readUInt8(1) & 0x7f;
  const head = short === 126 ? 4 : 2;
  if (bytes.length < head + 4) return null;
  const size = short === 126 ? bytes.readUInt16BE(2) : short;
  const length = head + 4 + size;
  if (bytes.length < length) return null;
  const mask = bytes.subarray(head, head + 4);
  const payload = Buffer.from(
    bytes.subarray(head + 4, length).map((byte, place) => byte ^ (mask[place % 4] ?? 0)),
  );
  return { opcode, payload, length };
}
