/** Outages of the database at the worst moments. */
import net, { type AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { databaseForFile } from "../../../test/for-file.ts";
import { connectRaw } from "../../../test/setup/postgres.ts";
import { uuidv7 } from "../ids.ts";
import { isDatabaseDown } from "./database-errors.ts";
import { createDatabase, Prisma } from "./db.ts";

const postgres = databaseForFile();

const LAST = "last words";
const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** Returns Postgres' message for a shutdown. */
function farewell(): Buffer {
  const fields = Buffer.from("SFATAL\0VFATAL\0C57P01\0Mterminating connection\0\0");
  const head = Buffer.alloc(5);
  head.write("E");
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

/** Starts a proxy that adds the shutdown message to the packet with the reply to the query with LAST. */
async function betweenThem(url: string) {
  const proxy = net.createServer((client) => {
    const server = connectRaw(url);
    let isLast = false;
    client.on("data", (chunk) => {
      isLast ||= chunk.includes(LAST);
      server.write(chunk);
    });
    server.on("data", (chunk) => {
      if (isLast && chunk.subarray(-READY.length).equals(READY))
        client.end(Buffer.concat([chunk, farewell()]));
      else client.write(chunk);
    });
    client.on("close", () => server.destroy()).on("error", () => server.destroy());
    server.on("close", () => client.destroy()).on("error", () => client.destroy());
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return { port: (proxy.address() as AddressInfo).port, close: () => proxy.close() };
}

test("it shuts down as a connection passes from one to the next: that one fails, and nothing else does", async () => {
  const url = new URL(postgres.appUrl);
  const proxy = await betweenThem(postgres.appUrl);
  url.hostname = "127.0.0.1";
  url.port = String(proxy.port);
  const database = createDatabase(url.href, { connections: 1 });
  try {
    const last = database.gate(Prisma.sql`SELECT ${LAST}`);
    const next = database.withOrganization(uuidv7(), (tx) => tx.$queryRaw`SELECT 1`);
    await last;
    // vitest fails where an error that nobody listens for ends the process.
    const error = await next.then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error === null || isDatabaseDown(error)).toBe(true);
    await database.withOrganization(uuidv7(), (tx) => tx.$queryRaw`SELECT 1`);
  } finally {
    await database.close();
    proxy.close();
  }
});

test.each(["ECONNREFUSED", "EAI_AGAIN", "ENOTFOUND", "EHOSTUNREACH", "ETIMEDOUT"])(
  "a database whose name leads nowhere just now (%s), at each of its addresses, is away",
  (code) => {
    // As Node makes it of several addresses: without a message.
    expect(isDatabaseDown(Object.assign(new AggregateError([]), { code }))).toBe(true);
  },
);
