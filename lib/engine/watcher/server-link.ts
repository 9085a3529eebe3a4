/** A watcher's link to its server: wire, era, traits, health and call statistics. */
import type { Logger } from "pino";
import type { Database, Tx } from "../../base/db/db.ts";
import type { Network } from "../../base/network/network.ts";
import type { Seal } from "../../base/seal.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";
import { discover } from "../../mcp/discover.ts";
import type { Endpoint, Era, Peer } from "../../mcp/peer.ts";
import { NOT_REACHED, PeerError, SignInNeeded } from "../../mcp/peer-error.ts";
import { ToolCalls } from "../../mcp/tool-calls.ts";
import { timed } from "../../mcp/wire/timed.ts";
import type { Wire } from "../../mcp/wire/wire.ts";
import { noteUnreachable } from "../../requests/deliveries/delivery-writes.ts";
import type { Counted, FailureClass } from "../../servers/call-statistics/call-statistics-schema.ts";
import { addCalls, failureOf, Tally } from "../../servers/call-statistics/call-statistics-writes.ts";
import { endpointOf } from "../../servers/connections/connection-reads.ts";
import { recordLogTail } from "../../servers/connections/connection-writes.ts";
import { LogTail } from "../../servers/connections/log-tail.ts";
import {
  type CircuitState,
  recordCircuit,
  recordEra,
  recordHealth,
  recordLastError,
  recordLate,
} from "../../servers/health.ts";
import { EntryGone } from "../../servers/operator-file.ts";
import type { Health, Late } from "../../servers/server-schema.ts";
import { learn } from "../../servers/server-writes.ts";
import type { Traits } from "../../servers/traits.ts";
import type { ConnectionRow } from "../leases/takeover.ts";
import { SessionsForgotten } from "../sessions/session-moves.ts";
import { LEAVE_DEADLINE_MS, OPEN_DEADLINE_MS } from "../tunables.ts";
import { AnswerTimes, differsNotably } from "./server-latency.ts";
import { traced } from "./traced-peer.ts";

export interface LinkOptions {
  connection: ConnectionRow;
  database: Database;
  network: Network;
  seal: Seal;
  log: Logger;
  /** Runs a transaction under the watcher's fence. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Owns the errors of work that nobody awaits. */
  own(work: Promise<unknown>): void;
}

export class ServerLink {
  /** Traits learned so far. */
  traits: Traits;
  /** Latencies of the last polls. */
  readonly answers = new AnswerTimes();
  /** Call statistics that are not stored yet. */
  readonly calls = new Tally();
  /** Calls of tools that answer at once, in a session of their own. */
  readonly toolCalls = new ToolCalls(async () => this.peer(await this.era()));
  /** Calls answered by the server, successfully or not. */
  replies = 0;
  #options: LinkOptions;
  #endpoint: Endpoint | null = null;
  #wire: Wire | null = null;
  #peers = new Map<Era, Peer>();
  /** Health as stored in the database. */
  #isWell: boolean;
  /** The stored circuit state is open, or was open and is not reset yet. */
  #circuitIsKept: boolean;
  #late: Late | null;
  #lastError: { code: FailureClass; at: Date } | null = null;
  #log = new LogTail();
  #logChanged = false;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.traits = options.connection.traits;
    this.#isWell = options.connection.isWell;
    this.#circuitIsKept = options.connection.circuitFailures > 0;
    this.#late = options.connection.late;
  }

  /** The server is known to be a child process of ours; false until the wire is open. */
  get isCommand(): boolean {
    return this.#wire?.kind === "stdio";
  }

  /** Records observed traits, in memory at once and in the database in the background. */
  learn(seen: Traits): void {
    const { serverId } = this.#options.connection;
    const keys = Object.keys(seen) as (keyof Traits)[];
    if (keys.every((key) => JSON.stringify(this.traits[key]) === JSON.stringify(seen[key]))) return;
    this.traits = { ...this.traits, ...seen };
    this.#options.own(this.#options.transaction((tx) => learn(tx, serverId, seen)));
  }

  /** The configured or stored era; null until one is found. */
  get knownEra(): Era | null {
    return this.#options.connection.era;
  }

  /** Returns the configured or stored era, else discovers and stores one. Throws PeerError. */
  async era(): Promise<Era> {
    const { connection, transaction } = this.#options;
    if (connection.era) return connection.era;
    const options = { deadlineMs: OPEN_DEADLINE_MS };
    const begun = performance.now();
    const found = await discover(this.#open(), connection.eraSetting, options).catch((error: unknown) => {
      this.#count(performance.now() - begun, error);
      throw error;
    });
    this.#count(performance.now() - begun, null);
    await transaction((tx) => recordEra(tx, connection.serverId, found.era));
    connection.era = found.era;
    return found.era;
  }

  /** Ensures a valid access token where the server requires one. Throws PeerError. */
  async ready(): Promise<void> {
    const endpoint = this.#whereTo();
    const access = "url" in endpoint ? endpoint.access : undefined;
    if (access && access.current() === null) await access.fresh();
  }

  renewAccess(): void {
    const endpoint = this.#endpoint;
    if (endpoint && "url" in endpoint) endpoint.access?.forget();
  }

  /** Returns the peer of an era. Throws PeerError if the address is not allowed. */
  peer(era: Era): Peer {
    let peer = this.#peers.get(era);
    if (!peer) {
      const inTime = timed(createPeer(era, this.#open()), (ms, error) => this.#count(ms, error));
      const { serverId } = this.#options.connection;
      peer = traced(inTime, { "intray.server_id": serverId, "mcp.protocol.version": era });
      this.#peers.set(era, peer);
    }
    return peer;
  }

  /** Stores the circuit and the server's health after a failure, worded for people. */
  async failed(error: PeerError, taskIds: string[], circuit: CircuitState): Promise<void> {
    const { connectionId, userId } = this.#options.connection;
    const unauthorized = error.code === "unauthorized";
    await this.#options.transaction((tx) => recordCircuit(tx, connectionId, circuit));
    this.#circuitIsKept = true;
    // A member's sign-in says nothing about the server, which others use too.
    if (unauthorized && userId !== null) return;
    const state = unauthorized ? "unauthorized" : error.reached === "yes" ? "failing" : "unreachable";
    // `TokensUnreadable`, whose words a call's reason has, is no failure of the server.
    const hasWords =
      error instanceof EntryGone || error instanceof SignInNeeded || error instanceof SessionsForgotten;
    const words = hasWords ? error.message : HEALTH_WORDS[error.code];
    await this.#health(state, words ?? NOT_REACHED, taskIds);
  }

  /** Stores that the server works again, if the database says otherwise. */
  async answered(): Promise<void> {
    if (this.#circuitIsKept) await this.#closeCircuit();
    if (!this.#isWell) await this.#health("ok", null, []);
  }

  /** The stored state tells people that the server is slow. */
  get isLate(): boolean {
    return this.#late !== null;
  }

  /** Stores a notable change in the server's lateness. */
  async reportLateness(late: Late | null): Promise<void> {
    const before = this.#late;
    if (!differsNotably(before, late)) return;
    const { connectionId } = this.#options.connection;
    this.#late = late;
    await this.#options
      .transaction((tx) => recordLate(tx, connectionId, late))
      .catch((error: unknown) => {
        this.#late = before;
        throw error;
      });
  }

  async #closeCircuit(): Promise<void> {
    const { connectionId } = this.#options.connection;
    const closed = { failures: 0, openForMs: 0 };
    // Many polls end at once; only the first writes.
    this.#circuitIsKept = false;
    await this.#options
      .transaction((tx) => recordCircuit(tx, connectionId, closed))
      .catch((error: unknown) => {
        this.#circuitIsKept = true;
        throw error;
      });
  }

  /** Stores the new log lines of a command server's child process. */
  async flushLog(): Promise<void> {
    if (!this.#logChanged) return;
    this.#logChanged = false;
    const { connectionId } = this.#options.connection;
    const logs = this.#log.take();
    if (logs) await this.#options.transaction((tx) => recordLogTail(tx, connectionId, logs));
  }

  /** Ends the session of `toolCalls`, in which no later process calls. Only logs failures. */
  async endToolCalls(): Promise<void> {
    await this.toolCalls
      .close({ deadlineMs: LEAVE_DEADLINE_MS })
      .catch((error: unknown) => this.#options.log.debug({ err: error }, "a session was not closed"));
  }

  /** Ends a command server's child process. Sends nothing to any server. */
  async end(): Promise<void> {
    await this.#wire?.end();
  }

  /** Adds new call statistics to the stored ones. */
  async flushCalls(tx: Tx, counted: Counted): Promise<void> {
    const { serverId } = this.#options.connection;
    await addCalls(tx, serverId, counted);
    const error = this.#lastError;
    if (error) await recordLastError(tx, serverId, { ...error, message: ERROR_WORDS[error.code] });
  }

  #count(ms: number | null, error: unknown): void {
    if (error === null || (error instanceof PeerError && isReply(error))) this.replies++;
    const failure = error === null ? null : failureOf(error);
    if (failure === undefined) return;
    this.calls.count(ms, failure);
    const isOwnSignIn = failure === "unauthorized" && this.#options.connection.userId !== null;
    if (failure !== null && !isOwnSignIn) this.#lastError = { code: failure, at: new Date() };
  }

  #open(): Wire {
    this.#wire ??= openWire(this.#whereTo(), this.#options.network, {
      onLog: (line, startedAt) => {
        this.#log.add(line, startedAt);
        this.#logChanged = true;
      },
    });
    return this.#wire;
  }

  #whereTo(): Endpoint {
    const { connection, database, network, seal } = this.#options;
    this.#endpoint ??= endpointOf(connection, { db: database, network, seal });
    return this.#endpoint;
  }

  async #health(state: Health["state"], message: string | null, taskIds: string[]): Promise<void> {
    const { serverId } = this.#options.connection;
    await this.#options.transaction(async (tx) => {
      if (state === "unreachable") await noteUnreachable(tx, taskIds);
      await recordHealth(tx, serverId, { state, message });
    });
    this.#isWell = state === "ok";
  }
}

/** Returns whether the server has read the call and did not turn it away. */
export function isReply({ code, reached }: PeerError): boolean {
  return reached === "yes" && code !== "unauthorized" && code !== "rate_limited";
}

const HEALTH_WORDS: Record<string, string> = {
  unauthorized: "The server refuses our credentials.",
  rate_limited: "The server asks us to wait.",
  timeout: "The server does not answer in time.",
  bad_reply: "The server’s replies make no sense.",
  too_large: "The server’s replies are larger than Intray takes.",
};

/** The last failed call, worded for people. */
const ERROR_WORDS: Record<FailureClass, string> = {
  unreachable: NOT_REACHED,
  timeout: "The server did not answer in time.",
  unauthorized: "The server refused our credentials.",
  rate_limited: "The server asked us to wait.",
  bad_reply: "The server’s reply made no sense.",
};
