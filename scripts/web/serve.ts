/** The web process: its settings, its server, and its end. */
import { Agent, createServer, get, type IncomingMessage, type RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import next from "next";
import { createDatabase } from "../../lib/base/db/db.ts";
import { ConfigurationError, env, need } from "../../lib/base/env.ts";
import { keyRing } from "../../lib/base/key-ring.ts";
import { createTenantNetwork } from "../../lib/base/network/allowed-hosts.ts";
import { drainSignal, onDrain } from "../../lib/base/process/lifecycle.ts";
import { createSeal } from "../../lib/base/seal.ts";
import { startTracing } from "../../lib/base/tracing/start.ts";
import { operatorServers } from "../../lib/servers/operator-file.ts";
import { warnWhileSetupIsClosed } from "../../lib/web/auth/setup.ts";
import { signInSettings } from "../../lib/web/auth/sign-in/providers.ts";
import { SlackSockets } from "../../lib/web/slack/sockets.ts";
import { refusePublicDemo } from "../supervise/settings.ts";

/** How long answers under way may take once the process drains. */
const graceMs = 5_000;

/** After this time without its being needed, the first page is made for nobody. */
const warmAfterMs = 1_000;

interface Way {
  /** Whether Next compiles pages as they are asked for, and tells browsers of changes. */
  dev: boolean;
  /** Which requests may become WebSockets, all of which are Next's. */
  mayUpgrade(request: IncomingMessage): boolean;
  /** Returns what answers requests, given Next. */
  answerWith(answerByNext: RequestListener): RequestListener;
}

/** Serves until the process drains. A setting that prevents it is said, and ends the process. */
export async function serve(way: Way): Promise<void> {
  await listen(way).catch((error) => {
    const expected = error instanceof ConfigurationError || error.code === "EADDRINUSE";
    process.stderr.write(`${expected ? error.message : error.stack}\n`);
    process.exit(1);
  });
}

async function listen({ dev, mayUpgrade, answerWith }: Way): Promise<void> {
  const { host, port, url, demo } = env();
  need("appDatabaseUrl");
  need("authSecret");
  keyRing();
  if (demo) refusePublicDemo({ host, url });
  operatorServers();
  signInSettings();
  // next-auth reads its public address from this variable only.
  process.env.NEXTAUTH_URL = url;
  const stopTracing = await startTracing("intray-web");

  const app = next({ dev, dir: process.cwd(), hostname: host, port });
  const handle = app.getRequestHandler();
  const answer = answerWith((request, response) => void handle(request, response));
  const server = createServer({ shouldUpgradeCallback: mayUpgrade }, answer);
  // Above the idle timeouts of common proxies, which would otherwise reuse a connection that we just closed.
  server.keepAliveTimeout = 75_000;
  // Strangers could else hold what they have sent of a body for five minutes.
  server.requestTimeout = 60_000;
  // Next would keep a WebSocket for as long as its page is open.
  server.on("upgrade", (_request, socket) =>
    drainSignal().addEventListener("abort", () => socket.destroy(), { once: true }),
  );

  // Its own of each: what the pages share would be made of this file's modules then, and their `instanceof` would not know its errors.
  const database = createDatabase(need("appDatabaseUrl"), { connections: 2 });
  const network = createTenantNetwork();
  const seal = createSeal(keyRing().keys);
  const sockets = new SlackSockets(async () => ({ database, network, seal, slackUrl: env().slackUrl }));

  onDrain(async () => {
    await sockets.stop();
    const closed = new Promise((resolve) => server.close(resolve));
    // Closes connections whose answers end from now on, which would otherwise wait for a next call.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    await Promise.race([closed, sleep(graceMs)]);
    clearInterval(idle);
    server.closeAllConnections();
    await app.close();
    await network.close();
    await database.close();
    await stopTracing();
  });

  await app.prepare();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  process.stdout.write(`Listening on http://${host}:${port}\n`);
  await warnWhileSetupIsClosed();
  void sockets.look();
  // In development that would compile two pages, before the one that somebody asks for.
  if (!dev) await warmUp(host, port);
}

/**
 * Asks for what the first person would wait for: modules run, templates compile, the pool connects. A page behind the
 * sign-in answers with its address, but has loaded what it needs to know that.
 */
async function warmUp(host: string, port: number): Promise<void> {
  // Next loads the modules of all pages first, which takes the same core.
  await sleep(warmAfterMs, undefined, { ref: false });
  const name = { "0.0.0.0": "127.0.0.1", "::": "::1" }[host] ?? host;
  for (const path of ["/sign-in", "/inbox", "/api/v1/me", "/readyz"])
    await new Promise<void>((resolve) => {
      get({ host: name, port, path, agent: new Agent() }, (response) => {
        response.resume().on("close", resolve);
      }).on("error", () => resolve());
    });
}
