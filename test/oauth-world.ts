/** A world whose server takes the tokens of a real authorization server, with hands to sign in and look. */
import { randomUUID } from "node:crypto";
import type { Principal } from "../lib/access/principal.ts";
import { createNetwork } from "../lib/base/network.ts";
import type { Services } from "../lib/base/services.ts";
import type { Era } from "../lib/mcp/peer.ts";
import { finishConnecting } from "../lib/servers/connections/callback.ts";
import { beginConnecting } from "../lib/servers/connections/connect.ts";
import { type Grant, openTokens, readGrant } from "../lib/servers/connections/grants.ts";
import { type AuthorizationServer, startAuthorizationServer } from "./authorization-server.ts";
import { type GuardedServer, startGuardedServer } from "./guarded-server.ts";
import { startTestServer, type TestServer } from "./mcp-server.ts";
import { createWorld, type World } from "./world.ts";

export interface OAuthWorld {
  world: World;
  authority: AuthorizationServer;
  remote: GuardedServer;
  inner: TestServer;
  services: Services;
  serverId: string;
  /** The operator's own connection, or as an admin the shared one. Returns its id. */
  connect(options?: { shared?: boolean }): Promise<string>;
  grant(connectionId: string): Promise<Grant>;
  accessToken(connectionId: string): Promise<string>;
  /** Uses of refresh tokens so far. */
  renewals(): number;
  events(type: string): Promise<number>;
  close(): Promise<void>;
}

const ORIGIN = "http://localhost:3000";

/** `behind`: another server behind the guard than the usual one. */
export async function createOAuthWorld(behind?: { url: string; era: Era }): Promise<OAuthWorld> {
  const world = await createWorld(["127.0.0.1"]);
  const { organizationId } = world;
  const inner = await startTestServer();
  const authority = await startAuthorizationServer();
  const remote = await startGuardedServer(behind?.url ?? inner.url, authority);
  const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
  const services: Services = { db: world.database, network, seal: world.seal };
  const { serverId } = await world.addServer(remote.url, behind?.era ?? "2026-07-28");
  await world.within((tx) => tx.server.updateMany({ where: { id: serverId }, data: { authKind: "oauth" } }));

  const grant: OAuthWorld["grant"] = async (connectionId) => {
    const found = await world.within((tx) => readGrant(organizationId, tx, connectionId));
    if (!found) throw new Error("there is no grant");
    return found;
  };
  return {
    world,
    authority,
    remote,
    inner,
    services,
    serverId,
    grant,
    async connect({ shared = false } = {}) {
      const userId = world.operator.userId!;
      const principal: Principal & { userId: string } = { ...world.operator, role: "admin", userId };
      const sessionId = randomUUID();
      const connecting = { principal, sessionId, origin: ORIGIN };
      const { authorizationUrl } = await beginConnecting(services, connecting, serverId, { shared });
      const back = new URL(await authority.signIn(authorizationUrl));
      const arrival = await finishConnecting(services, principal, sessionId, back.searchParams);
      if (arrival.refused !== null) throw new Error(`not connected: ${arrival.refused}`);
      const where = { organizationId, serverId, userId: shared ? null : userId };
      return (await world.within((tx) => tx.connection.findFirstOrThrow({ where }))).id;
    },
    async accessToken(connectionId) {
      return openTokens(world.seal, organizationId, await grant(connectionId))?.accessToken ?? "";
    },
    renewals: () =>
      authority.seen.filter(
        ({ path, form }) => path === "/token" && form.get("grant_type") === "refresh_token",
      ).length,
    events: (type) => world.within((tx) => tx.event.count({ where: { organizationId, type } })),
    async close() {
      await world.close();
      await network.close();
      await remote.close();
      await authority.close();
      await inner.close();
    },
  };
}
