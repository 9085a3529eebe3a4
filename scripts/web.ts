import { existsSync } from "node:fs";
import { Agent, createServer, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import next from "next";
import { ConfigurationError, env, need } from "../lib/base/env.ts";
import { keyRing } from "../lib/base/key-ring.ts";
import { onDrain } from "../lib/base/lifecycle.ts";
import { operatorServers } from "../lib/servers/operator-file.ts";
import { startTracing } from "../lib/tracing/start.ts";
import { agentOAuthFront } from "../lib/web/agent-oauth/front.ts";
import { markDirect } from "../lib/web/auth/direct.ts";
import { warnWhileSetupIsClosed } from "../lib/web/auth/setup.ts";
import { signInSettings } from "../lib/web/auth/sign-in/providers.ts";
import { markCaller } from "../lib/web/http/caller/forwarded.ts";
import { warnOfProxy } from "../lib/web/http/caller/proxy-warning.ts";
import { receive } from "../lib/web/http/front.ts";
import { callServer } from "../lib/web/http/serve.ts";
import { serveAgent } from "../lib/web/mcp/endpoint.ts";
import { builtCalls, loadBuiltCall } from "./built-calls.ts";
import { pageCounter } from "./check/page-metrics.ts";
import { refusePublicDemo } from "./supervise/settings.ts";

/** How long answers under way may take once the process drains. */
const graceMs = 5_000;

/** After this time without its being needed, the first page is made for nobody. */
const warmAfterMs = 1_000;

async function serve(): Promise<void> {
  const { host, port, url, demo, trustedProxies } = env();
  need("appDatabaseUrl");
  need("authSecret");
  keyRing();
  if (demo) refusePublicDemo({ host, url });
  operatorServers();
  signInSettings();
  if (!existsSync(".next/BUILD_ID"))
    throw new ConfigurationError("The app is not built: run `npm run build` first.");
  // next-auth reads its public address from this variable only.
  process.env.NEXTAUTH_URL = url;
  const stopTracing = await startTracing("intray-web");

  const app = next({ dev: false, dir: process.cwd(), hostname: host, port });
  const handle = app.getRequestHandler();
  // Intray speaks no WebSocket, and Next's own upgrade handling is better never reached.
  const count = pageCounter();
  const answerOAuth = agentOAuthFront();
  const serveCall = callServer(builtCalls(), loadBuiltCall);
  const server = createServer({ shouldUpgradeCallback: () => false }, (request, response) => {
    markDirect(request);
    if (!receive(request, response)) return;
    warnOfProxy(request, trustedProxies);
    markCaller(request, trustedProxies);
    if (answerOAuth(request, response)) return;
    if (serveAgent(request, response)) return;
    serveCall(request, response, () => count(request, response, () => void handle(request, response)));
  });
  // Above the idle timeouts of common proxies, which would otherwise reuse a connection that we just closed.
  server.keepAliveTimeout = 75_000;

  onDrain(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    // Closes connections whose answers end from now on, which would otherwise wait for a next call.
    const idle = setInterval(() => server.closeIdleConnections(), 50);
    await Promise.race([closed, sleep(graceMs)]);
    clearInterval(idle);
    server.closeAllConnections();
    await app.close();
    await stopTracing();
  });

  await app.prepare();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  process.stdout.write(`Listening on http://${host}:${port}\n`);
  await warnWhileSetupIsClosed();
  await warmUp(host, port);
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

serve().catch((error) => {
  const expected = error instanceof ConfigurationError || error.code === "EADDRINUSE";
  process.stderr.write(`${expected ? error.message : error.stack}\n`);
  process.exit(1);
});
