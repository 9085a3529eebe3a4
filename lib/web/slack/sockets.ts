/**
 * Socket Mode: sockets that Intray opens to Slack, so that Slack does not have to reach Intray. One web process holds an organization's
 * socket, by a lease in `slack_app`; when it dies, another one takes it over. Presses come as they do over HTTP, and each is carried out
 * once, also where two processes hold a socket for a moment. A web process holds them rather than an engine, which may not vote.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { SocketModeClient } from "@slack/socket-mode";
import { z } from "zod";
import { type Database, Prisma, type Tx } from "../../base/db/db.ts";
import { uuidv7 } from "../../base/ids.ts";
import { log } from "../../base/log.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { readInteraction } from "../../outbound/slack/press-schema.ts";
import { clientOptions, failureOf, SILENT, secretPlace } from "../../outbound/slack/slack-api.ts";
import { takeInteraction } from "./interactions.ts";

interface Means {
  database: Database;
  network: Network;
  seal: Seal;
  slackUrl: string;
}

/** Pause between two looks at which sockets are to be held. */
const LOOK_MS = 15_000;
/** A lease lasts for some looks. */
const LEASE_MS = 50_000;
/** Time for Slack to say hello. */
const HELLO_MS = 15_000;

interface Lease {
  id: string;
  teamId: string;
  sealedAppToken: string;
}

export class SlackSockets {
  readonly #means: () => Promise<Means>;
  readonly #holder = uuidv7();
  readonly #held = new Map<string, { client: SocketModeClient; sealedAppToken: string }>();
  #timer: NodeJS.Timeout | undefined;
  #turn = Promise.resolve();
  #isStopping = false;

  constructor(means: () => Promise<Means>) {
    this.#means = means;
  }

  /** Looks now, and from then on. Never rejects: what fails is tried again at the next look. */
  look(): Promise<void> {
    clearTimeout(this.#timer);
    this.#turn = this.#turn
      .then(() => this.#look())
      .catch((error: unknown) => log.warn({ err: error }, "sockets at Slack were not looked at"))
      .then(() => {
        if (!this.#isStopping) this.#timer = setTimeout(() => void this.look(), LOOK_MS).unref();
      });
    return this.#turn;
  }

  /** Closes all sockets, so that another process opens them at once. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearTimeout(this.#timer);
    await this.#turn;
    if (this.#held.size === 0) return;
    const { database } = await this.#means();
    for (const [organizationId, { client }] of this.#held) {
      this.#held.delete(organizationId);
      await client.disconnect();
      await database.withOrganization(organizationId, (tx) => release(tx, this.#holder));
    }
  }

  async #look(): Promise<void> {
    if (this.#isStopping) return;
    const means = await this.#means();
    const leases = new Map<string, Lease>();
    const query = Prisma.sql`SELECT id FROM gate.organizations_with_slack_sockets()`;
    for (const { id } of await means.database.gate<{ id: string }>(query)) {
      const lease = await means.database.withOrganization(id, (tx) => takeLease(tx, this.#holder));
      if (lease) leases.set(id, lease);
    }
    const gone = [...this.#held].filter(
      ([id, { sealedAppToken }]) => leases.get(id)?.sealedAppToken !== sealedAppToken,
    );
    for (const [organizationId] of gone) this.#held.delete(organizationId);
    const missing = [...leases].filter(([organizationId]) => !this.#held.has(organizationId));
    // Side by side: one that Slack does not answer must not keep others until their leases end.
    await Promise.all([
      ...gone.map(([, { client }]) => client.disconnect()),
      ...missing.map(([organizationId, lease]) => this.#open(means, organizationId, lease)),
    ]);
  }

  async #open(means: Means, organizationId: string, { id, teamId, sealedAppToken }: Lease): Promise<void> {
    const { database, network, seal, slackUrl } = means;
    const note = (error: string | null) =>
      database.withOrganization(organizationId, (tx) => noteSocket(tx, this.#holder, error));
    // Loaded where an organization has a socket: others need none of it.
    const { SocketModeClient: Client } = await import("@slack/socket-mode");
    const client = new Client({
      appToken: seal.open(secretPlace(organizationId, id, "sealed_app_token"), sealedAppToken),
      clientOptions: clientOptions(means),
      dispatcher: network.dispatcherFor(slackUrl, "held"),
      logger: SILENT,
      // A look opens it again, if this process still has the lease.
      autoReconnectEnabled: false,
    });
    client.on("interactive", (envelope: unknown) => {
      receive(means, organizationId, teamId, envelope).catch((error: unknown) =>
        log.error({ err: error }, "a press over a socket was not stored"),
      );
    });
    const begunAt = performance.now();
    client.on("disconnected", () => {
      if (this.#held.get(organizationId)?.client !== client) return;
      this.#held.delete(organizationId);
      // Slack ends each socket after some hours. One that ends at once waits for the next look.
      if (performance.now() - begunAt > LOOK_MS) void this.look();
    });
    try {
      await Promise.race([client.start(), noHello()]);
      this.#held.set(organizationId, { client, sealedAppToken });
      await note(null);
    } catch (error) {
      // Not awaited: it ends by itself, and other organizations' sockets must not wait.
      void client.disconnect();
      const failure = failureOf(error ?? new Error("Slack closed the socket"));
      await note("code" in failure ? `Slack answered ${failure.code}.` : "Slack can’t be reached.");
    }
  }
}

async function noHello(): Promise<never> {
  await sleep(HELLO_MS, undefined, { ref: false });
  throw new Error("Slack did not say hello");
}

const envelopeSchema = z.object({ body: z.unknown(), ack: z.custom<() => Promise<void>>() });

/** Slack sends an envelope again that was not acknowledged: here, where the press was not stored. */
async function receive(
  means: Means,
  organizationId: string,
  teamId: string,
  envelope: unknown,
): Promise<void> {
  const { body, ack } = envelopeSchema.parse(envelope);
  const interaction = readInteraction(JSON.stringify(body));
  if (interaction && (interaction.press === null || interaction.teamId === teamId))
    await takeInteraction(means, organizationId, interaction);
  await ack();
}

/** Takes or renews the lease. Null: another process has it, or there is nothing to hold. */
async function takeLease(tx: Tx, holder: string): Promise<Lease | null> {
  const [lease] = await tx.$queryRaw<Lease[]>`UPDATE slack_app SET socket_holder = ${holder}::uuid,
      socket_until = now() + ${LEASE_MS} * interval '1 ms',
      socket_since = CASE WHEN socket_holder = ${holder}::uuid THEN socket_since END
    WHERE organization_id = ${tx.organizationId}::uuid AND sealed_app_token IS NOT NULL AND revoked_at IS NULL
      AND (socket_holder = ${holder}::uuid OR socket_until IS NULL OR socket_until < now())
    RETURNING id, team_id AS "teamId", sealed_app_token AS "sealedAppToken"`;
  return lease ?? null;
}

async function noteSocket(tx: Tx, holder: string, error: string | null): Promise<void> {
  await tx.$executeRaw`UPDATE slack_app SET socket_error = ${error},
      socket_since = CASE WHEN ${error}::text IS NULL THEN now() END
    WHERE organization_id = ${tx.organizationId}::uuid AND socket_holder = ${holder}::uuid`;
}

async function release(tx: Tx, holder: string): Promise<void> {
  await tx.$executeRaw`UPDATE slack_app SET socket_until = NULL, socket_holder = NULL, socket_since = NULL
    WHERE organization_id = ${tx.organizationId}::uuid AND socket_holder = ${holder}::uuid`;
}
