import type { AddressInfo } from "node:net";
import { listenForChanges } from "./changes.ts";
import { readConfig } from "./config.ts";
import { openDatabase, prepareDatabase } from "./database.ts";
import { createDocuments } from "./documents/documents.ts";
import { withFixtures } from "./fixtures/requests.ts";
import { createJobs } from "./fixtures/workflow.ts";
import { invoiceTasks } from "./invoices/invoices.ts";
import { operationsOn } from "./invoices/operations.ts";
import { createProcessor } from "./invoices/workflow.ts";
import { log } from "./log.ts";
import { createOffice } from "./office/office.ts";
import { createPages } from "./office/page.ts";
import { forgetOfficeTasks } from "./office/store.ts";
import { modernHandler, taskRequests } from "./protocol/era-2026-07-28.ts";
import { createHttpServer } from "./protocol/http.ts";
import { createSessions } from "./protocol/sessions.ts";
import { quirkyRequests, quirkyRules, quirkySession } from "./quirks/quirks.ts";
import { together } from "./tasks.ts";
import { forgetExpired } from "./transitions.ts";

/** The sample invoice server: a durable MCP server for both eras on one port. See README.md. */

const FORGET_EVERY_MS = 60 * 60 * 1000;
/** How long open requests may take to finish on a stop; streams that wait for a person must not delay it. */
const GRACE_MS = 1000;

const config = readConfig();
await prepareDatabase(config.databaseUrl);
const db = await openDatabase(config.databaseUrl);
const changes = await listenForChanges(config.databaseUrl);
// Without INVOICE_QUIRKS, which only tests may set, the three `quirky…` functions return their arguments
// unchanged.
const processor = createProcessor(db, config, quirkyRules(config.quirks));
// The port is known once the server listens, which is before any URL question is shown.
const pages = () => `http://localhost:${(server.address() as AddressInfo | null)?.port ?? config.port}`;
const office = await createOffice(db, config, pages);
const documents = createDocuments(db);
const tasks = together(invoiceTasks(db, processor), office);
const requests = taskRequests(tasks);
const modern = config.fixtures ? withFixtures(requests, db, await createJobs(db)) : requests;
await processor.launch();
await office.resume();
const sessions = createSessions(tasks, documents, changes, (transport) =>
  quirkySession(transport, db, config.quirks),
);
const server = createHttpServer(config.host, {
  sessions,
  modern: modernHandler(quirkyRequests(modern, config.quirks), documents),
  operations: operationsOn(db),
  page: createPages(db),
});

setInterval(forget, FORGET_EVERY_MS).unref();

server.listen(config.port, config.host, () => {
  const { port } = server.address() as AddressInfo;
  const host = config.host.includes(":") ? `[${config.host}]` : config.host;
  process.stdout.write(`Invoice server listening on http://${host}:${port}/mcp\n`);
});
server.on("error", (error) => {
  log.error(`cannot listen on ${config.host}:${config.port}`, error);
  process.exit(1);
});

if (process.send) {
  // A terminal sends Ctrl-C to the whole process group; the supervisor orders the stops.
  process.on("SIGINT", () => log.debug("SIGINT is the supervisor's business"));
  process.on("SIGTERM", () => log.debug("SIGTERM is the supervisor's business"));
  process.on("message", (message) => {
    if (typeof message === "object" && message !== null && "type" in message && message.type === "drain")
      void stop();
  });
  process.on("disconnect", () => void stop());
} else {
  process.on("SIGINT", () => void stop());
  process.on("SIGTERM", () => void stop());
}

let stopping = false;
async function stop(): Promise<void> {
  if (stopping) return;
  stopping = true;
  // Interrupted work continues at the next start, exactly as after a crash.
  setTimeout(() => process.exit(0), 3 * GRACE_MS);
  server.close();
  setTimeout(() => server.closeAllConnections(), GRACE_MS).unref();
  try {
    await sessions.close();
    await processor.stop();
    await changes.close();
    await db.close();
  } catch (error) {
    log.error("stopping", error);
  }
  process.exit(0);
}

async function forget(): Promise<void> {
  try {
    await processor.forget([...(await forgetExpired(db)), ...(await forgetOfficeTasks(db))]);
  } catch (error) {
    log.error("forgetting expired tasks", error);
  }
}
