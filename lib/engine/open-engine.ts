import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import { createDatabase, refusePowerfulRole } from "../base/db/db.ts";
import { need } from "../base/env.ts";
import { keyRing } from "../base/key-ring.ts";
import { log } from "../base/log.ts";
import { createTenantNetwork } from "../base/network/allowed-hosts.ts";
import { createSeal } from "../base/seal.ts";
import { operatorServers } from "../servers/operator-file.ts";
import { Engine } from "./engine.ts";
import { TimelineWatch } from "./timeline.ts";

/**
 * Opens an engine on this process's environment. Throws ConfigurationError. `start` also throws one, and may
 * be called again after a database outage.
 */
export function openEngine(logger: Logger): {
  engine: Engine;
  start(): Promise<void>;
  close(): Promise<void>;
} {
  const databaseUrl = need("engineDatabaseUrl");
  const directUrl = need("engineDirectUrl");
  operatorServers();
  const timeline = new TimelineWatch(databaseUrl, logger);
  const database = createDatabase(databaseUrl, {
    connections: 12,
    admit: (client) => timeline.admit(client),
  });
  const network = createTenantNetwork();
  const seal = createSeal(keyRing().keys);
  const engine = new Engine({
    database,
    directUrl,
    network,
    seal,
    log: logger,
  });
  return {
    engine,
    async start() {
      await refusePowerfulRole(database, "ENGINE_DATABASE_URL");
      await engine.start();
      timeline.start(database);
    },
    async close() {
      await timeline.stop();
      await network.close();
      await database.close();
    },
  };
}

/**
 * Runs an engine for `ms`, on platforms without long-lived processes, and gives its leases back at the end.
 */
export async function runEngineFor(ms: number): Promise<{ leases: number }> {
  const { engine, start, close } = openEngine(log.child({ part: "engine" }));
  try {
    await start();
    await pause(ms);
    return { leases: engine.leases };
  } finally {
    await engine.stop();
    await close();
  }
}
