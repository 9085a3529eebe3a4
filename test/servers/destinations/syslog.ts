/** A syslog server by TLS (RFC 5425) on this machine, which reads frames strictly. */
import { once } from "node:events";
import type { AddressInfo, Socket } from "node:net";
import { createServer, type TLSSocket } from "node:tls";
import type { Authority } from "./certificates.ts";

export interface SyslogMessage {
  priority: number;
  at: string;
  host: string;
  app: string;
  id: string;
  text: string;
}

export interface SyslogServer {
  port: number;
  hostAndPort: string;
  messages: SyslogMessage[];
  connections: number;
  /** Bytes that broke a frame. */
  broken: string[];
  /** How it treats connections: well; it ends one after so many bytes; or it never reads. */
  behaviour: "well" | { closesAfterBytes: number } | "never reads";
  close(): Promise<void>;
}

export async function startSyslog(authority: Authority, ...names: string[]): Promise<SyslogServer> {
  const { cert, key } = await authority.issue(...(names.length > 0 ? names : ["127.0.0.1"]));
  const sockets = new Set<Socket>();
  const server = createServer({ cert, key }, (socket) => {
    syslog.connections++;
    socket.on("error", () => {});
    if (syslog.behaviour === "never reads") return void socket.pause();
    read(socket, syslog);
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket)).on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const syslog: SyslogServer = {
    port,
    hostAndPort: `127.0.0.1:${port}`,
    messages: [],
    connections: 0,
    broken: [],
    behaviour: "well",
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return syslog;
}

function read(socket: TLSSocket, syslog: SyslogServer): void {
  let buffer = Buffer.alloc(0);
  let bytes = 0;
  socket.on("data", (chunk: Buffer) => {
    const { behaviour } = syslog;
    const limit = typeof behaviour === "object" ? behaviour.closesAfterBytes : Number.POSITIVE_INFINITY;
    buffer = Buffer.concat([buffer, chunk.subarray(0, Math.max(0, limit - bytes))]);
    bytes += chunk.length;
    for (;;) {
      const space = buffer.indexOf(" ");
      if (space === -1) break;
      const digits = buffer.subarray(0, space).toString();
      if (!/^[1-9]\d*$/.test(digits)) return void syslog.broken.push(digits);
      const end = space + 1 + Number(digits);
      if (buffer.length < end) break;
      const parsed = parse(buffer.subarray(space + 1, end).toString());
      if (parsed) syslog.messages.push(parsed);
      else syslog.broken.push(digits);
      buffer = buffer.subarray(end);
    }
    if (bytes >= limit) socket.destroy();
  });
  socket.on("end", () => {
    if (buffer.length > 0) syslog.broken.push(buffer.toString());
  });
}

/** HEADER SP STRUCTURED-DATA SP MSG, as RFC 5424 writes it. */
function parse(message: string): SyslogMessage | null {
  const found =
    /^<(\d{1,3})>1 (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z) ([!-~]{1,255}) ([!-~]{1,48}) - ([!-~]{1,32}) - (.*)$/su.exec(
      message,
    );
  if (!found) return null;
  const [, priority, at = "", host = "", app = "", id = "", text = ""] = found;
  return { priority: Number(priority), at, host, app, id, text };
}
