/**
 * What stands outside of an Intray in the browser's tests: a mail server, and a receiver of webhooks. `GET /told` is what
 * they were sent; every other call is taken for a webhook's.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type ReceivedMail, startMailServer } from "../test/mail-server.ts";
import { type ReceivedCall, startReceiver } from "../test/receiver.ts";

export interface Told {
  mails: ReceivedMail[];
  calls: ReceivedCall[];
}

export interface Outside {
  /** Of `GET /told`. */
  url: string;
  smtpUrl: string;
  hostAndPort: string;
  close(): Promise<void>;
}

export async function startOutside(): Promise<Outside> {
  const mail = await startMailServer();
  const receiver = await startReceiver();
  const told = createServer((_, response) => {
    const all: Told & { receiver: string } = {
      mails: mail.mails,
      calls: receiver.calls,
      receiver: receiver.url,
    };
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(all));
  });
  await new Promise<void>((resolve) => told.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(told.address() as AddressInfo).port}`,
    smtpUrl: mail.url,
    hostAndPort: receiver.hostAndPort,
    async close() {
      told.closeAllConnections();
      await new Promise((resolve) => told.close(resolve));
      await Promise.all([mail.close(), receiver.close()]);
    },
  };
}

/** What was told so far, and where webhooks may go. */
export async function toldOutside(): Promise<Told & { receiver: string }> {
  return (await fetch(process.env.E2E_OUTSIDE_URL ?? "")).json();
}
