/** An organization with two servers, an engine, endpoints for agents in processes of their own, and agents. */
import pg from "pg";
import { createMakerlessAgent } from "../../lib/agents/agent-writes.ts";
import { createNetwork } from "../../lib/base/network/network.ts";
import { COMMAND_LINE } from "../../lib/people/organizations/organization-writes.ts";
import { checkServer } from "../../lib/servers/check.ts";
import { freePort } from "../../scripts/ports.ts";
import { type AgentEndpoint, startAgentEndpoint } from "../../test/agent-process.ts";
import { type EngineProcess, startEngineProcess } from "../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
} from "../../test/fixtures/organization-fixture.ts";
import { type Child, startChild } from "../child.ts";
import { type Inspector, inspect } from "../hot-path/inspector.ts";
import { startInstallation } from "../installation.ts";
import type { Urls } from "./server.ts";

export interface Scene {
  organization: OrganizationFixture;
  urls: Urls;
  server: Child;
  engine: EngineProcess;
  /** Returns the secret of a new agent that is granted the server, or people alone. */
  agent(granted: keyof Urls | null): Promise<string>;
  endpoint(): Promise<AgentEndpoint>;
  /** An endpoint whose heap can be looked into, and profiled; which costs some time. */
  inspected(): Promise<{ endpoint: AgentEndpoint; inspector: Inspector }>;
  /** Has Postgres look at its tables, as autovacuum does within a minute or two: until then it plans for empty ones. */
  analyze(): Promise<void>;
  close(): Promise<void>;
}

/** The longest that an agent's calls may be held. */
const HOLD_MS = 210_000;

export async function createScene(): Promise<Scene> {
  const installation = await startInstallation();
  const organization = await createOrganizationFixture(["127.0.0.1"]);
  const { within, database, seal, operator } = organization;
  const server = startChild(new URL("server.ts", import.meta.url));
  const urls = await server.next<Urls>((message) => "quick" in message);
  const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
  const ids: Partial<Record<keyof Urls, string>> = {};
  for (const name of ["quick", "many"] as const) {
    const { serverId } = await organization.addServer(urls[name], "2026-07-28");
    await within((tx) => tx.server.updateMany({ where: { id: serverId }, data: { name } }));
    await checkServer({ db: database, network, seal }, { ...operator, role: "admin" }, serverId);
    ids[name] = serverId;
  }
  const engine = await startEngineProcess(organization.engineEnvironment);
  const endpoints: AgentEndpoint[] = [];
  const start = async (settings: Record<string, string> = {}) => {
    const environment = { ...organization.webEnvironment, INTRAY_RATE_LIMIT: "1000000", ...settings };
    const endpoint = await startAgentEndpoint(environment);
    endpoints.push(endpoint);
    return endpoint;
  };
  return {
    organization,
    urls,
    server,
    engine,
    async agent(granted) {
      const serverId = granted && ids[granted];
      const grants = serverId ? [{ serverId }] : [];
      const made = await within((tx) =>
        createMakerlessAgent(tx, COMMAND_LINE, { name: "Bench", holdMs: HOLD_MS, grants }),
      );
      return made.secret;
    },
    endpoint: () => start(),
    async inspected() {
      const port = await freePort();
      const endpoint = await start({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
      const reply = await fetch(`http://127.0.0.1:${port}/json/list`);
      const [target] = (await reply.json()) as { webSocketDebuggerUrl: string }[];
      return { endpoint, inspector: await inspect(target!.webSocketDebuggerUrl) };
    },
    async analyze() {
      const admin = new pg.Client({ connectionString: organization.adminUrl });
      await admin.connect();
      await admin.query("ANALYZE");
      await admin.end();
    },
    async close() {
      await Promise.all([...endpoints.map((endpoint) => endpoint.kill()), engine.kill(), server.end()]);
      await organization.close();
      await installation.end();
    },
  };
}
