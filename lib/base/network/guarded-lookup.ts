/** Resolves names, and refuses those that lead to an address that is not allowed. */
import { AsyncResource } from "node:async_hooks";
import { lookup as dnsLookup, type LookupAddress, type LookupOptions as NodeLookupOptions } from "node:dns";
import { Resolver } from "node:dns/promises";
import type { LookupFunction } from "node:net";
import { threadCount } from "../env.ts";
import { type Allowed, checkAddress } from "./address-rules.ts";
import { NameTurns } from "./name-turns.ts";

/** `not_allowed`: the name leads to an address that is not allowed. `not_found`: the name leads nowhere. */
export interface NameFailure {
  host: string;
  port: number;
  why: "not_allowed" | "not_found";
}

/**
 * A lookup that fails ends at the next multiple of this time, whether the name leads nowhere or to a forbidden
 * address: resolvers know names of their own network sooner than others, or say later that there is none.
 */
const NAME_FAILURE_STEP_MS = 1_000;

/** What a lookup needs of the options of a network. */
export interface Resolving {
  /** Resolves names; the system's resolver by default, replaced in tests. */
  resolve?: typeof dnsLookup;
  /** Told why a name was not connected to, which callers cannot see. For the operator's log. */
  onNameFailed?: (failure: NameFailure) => void;
}

/**
 * A lookup for addresses that the installation's operator configured: private addresses are allowed, metadata
 * services are not. For clients with sockets of their own; ours use `createNetwork`.
 */
export const operatorLookup: LookupFunction = lookupFor(0, () => true, { isOpen: true });

export function guardedLookup(
  port: number,
  allowed: Allowed,
  { resolve, onNameFailed }: Resolving,
): LookupFunction {
  const onFailed = (host: string, why: NameFailure["why"]) => onNameFailed?.({ host, port, why });
  return lookupFor(port, allowed, { resolve, onFailed });
}

interface LookupOptions {
  resolve?: typeof dnsLookup;
  onFailed?: (host: string, why: NameFailure["why"]) => void;
  /** Says that a name was refused, and at once: for callers who are the operator's own. */
  isOpen?: true;
}

/** A refused name fails as one that does not exist, unless the lookup is open. */
function lookupFor(
  port: number,
  allowed: Allowed,
  { resolve = dnsLookup, onFailed, isOpen }: LookupOptions,
): LookupFunction {
  return (hostname, options, callback) => {
    const began = performance.now();
    const fail = (why: NameFailure["why"]) => {
      onFailed?.(hostname, why);
      const elapsed = performance.now() - began;
      const wait = Math.ceil(elapsed / NAME_FAILURE_STEP_MS) * NAME_FAILURE_STEP_MS - elapsed;
      setTimeout(() => callback(nameError(hostname), []), wait);
    };
    resolveOnce(resolve, hostname, options, (error, addresses) => {
      if (isOpen && error) return callback(error, []);
      if (error || addresses.length === 0) return fail("not_found");
      try {
        // One bad address rejects the name: a mixed answer is how rebinding begins.
        for (const { address } of addresses) checkAddress(hostname, address, port, allowed);
      } catch (refusal) {
        return isOpen ? callback(refusal as NodeJS.ErrnoException, []) : fail("not_allowed");
      }
      const first = addresses[0];
      if (options.all || !first) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

type Found = (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void;

/** Node's lookups get half of the process's threads. */
const MOST_LOOKUPS = Math.ceil(threadCount() / 2);

/** Who waits for each name, and whose turn it is, by the resolver that is asked. */
const underWay = new WeakMap<typeof dnsLookup, { names: Map<string, Found[]>; turns: NameTurns }>();

/**
 * Asks for a name once, however many connections wait for it, and in its turn: each question holds one of the process's few threads
 * until the name's servers answer, which may be strangers'.
 */
function resolveOnce(resolve: typeof dnsLookup, hostname: string, options: NodeLookupOptions, found: Found) {
  const asked = underWay.get(resolve) ?? { names: new Map(), turns: new NameTurns(MOST_LOOKUPS) };
  underWay.set(resolve, asked);
  const { names, turns } = asked;
  const key = JSON.stringify([hostname, options.family, options.hints]);
  const waiting = names.get(key);
  // Each goes on in the scope of its own call.
  const caller = AsyncResource.bind(found);
  if (waiting) return void waiting.push(caller);
  const all = [caller];
  names.set(key, all);
  turns.add(hostname, (done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
      names.delete(key);
      done();
      for (const each of all) each(error, addresses);
    }),
  );
}

function nameError(hostname: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`getaddrinfo ENOTFOUND ${hostname}`), { code: "ENOTFOUND", hostname });
}

/** The texts of a name; none where the name or a record is not there. Throws NameError where DNS did not answer. */
export type FindTexts = (name: string) => Promise<string[]>;

/** DNS did not say whether there is a record. */
export class NameError extends Error {
  override name = "NameError";
}

/** One answer is waited for this long, and asked for twice. */
const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** The most that is waited for, whatever the resolvers do. */
const MOST_MS = 8_000;

/**
 * Reads TXT records. Asks the resolvers of the system, or those that the operator names; no address that a tenant chose.
 * `servers`: addresses with or without a port; empty: the system's.
 */
export function textFinder(servers: readonly string[]): FindTexts {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
    if (servers.length > 0) resolver.setServers(servers);
    const timer = setTimeout(() => resolver.cancel(), MOST_MS);
    try {
      const records = await resolver.resolveTxt(name);
      // A long text comes in pieces.
      return records.map((pieces) => pieces.join(""));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOTFOUND" || code === "ENODATA") return [];
      throw new NameError(code ?? "unknown", { cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
}
