/** A receiver of webhooks, on this machine. */
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedCall {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface Receiver {
  url: string;
  hostAndPort: string;
  calls: ReceivedCall[];
  /** The status of its answers; null: it never answers. */
  status: number | null;
  /** Its answer's body. */
  body(call: ReceivedCall): string;
  /** Ends every connection, also with calls that wait for an answer. */
  drop(): void;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = Buffer.concat(chunks).toString();
      const call = { path: request.url ?? "", headers: request.headers, body };
      receiver.calls.push(call);
      if (receiver.status === null) return;
      response.writeHead(receiver.status, { location: `${receiver.url}/elsewhere` }).end(receiver.body(call));
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const hostAndPort = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const receiver: Receiver = {
    url: `http://${hostAndPort}`,
    hostAndPort,
    calls: [],
    status: 204,
    body: () => "a secret of the receiver's",
    drop: () => server.closeAllConnections(),
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return receiver;
}

/** The signature of a call by a secret, written independently from the Standard Webhooks' text. */
export function expectedSignature(secret: string, { headers, body }: ReceivedCall): string {
  const key = Buffer.from(secret.replace("whsec_", ""), "base64");
  const signed = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".");
  return `v1,${createHmac("sha256", key).update(signed).digest("base64")}`;
}
