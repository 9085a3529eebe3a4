/**
 * Gives the transactions of an organization with a key of its own that key: what they read is opened, and what they write
 * by the client's models is sealed. Raw statements seal what they write with `contentOf(tx)`.
 */

import { setImmediate as otherWork } from "node:timers/promises";
import type { Tx } from "../db/transaction.ts";
import { keyRing } from "../key-ring.ts";
import { log } from "../log.ts";
import { createSeal, type Seal, type SealedPlace } from "../seal.ts";
import { type Content, createContent, PLAIN, type Unopened } from "./content.ts";
import { sealWrite } from "./content-writes.ts";

/** Bytes of an organization's key. */
export const KEY_BYTES = 32;
/** A key that can't be opened is tried again after this time: INTRAY_KEYS may change while the process runs. */
const AGAIN_MS = 5_000;
/** Organizations whose keys are held in memory. */
const MOST = 1_000;

/** Where an organization's key is sealed, under the installation's ring. */
export function keyPlace(organizationId: string, kid: string): SealedPlace {
  return { organizationId, table: "organization_key", row: kid, column: "sealed_key" };
}

interface Known {
  /** `organization.content_keys` when they were read. */
  keys: string;
  content: Content;
  /** Set if a key could not be opened. */
  againAt: number | null;
}

export class ContentKeys {
  #ring: Seal | undefined;
  #known = new Map<string, Known>();

  constructor(ring: Seal | undefined) {
    this.#ring = ring;
  }

  /** Returns the transaction with opened reads. `keys`: the organization's keys as this transaction sees them. */
  async opening(tx: Tx, keys: string): Promise<Tx> {
    let known = this.#known.get(tx.organizationId);
    if (!known || known.keys !== keys || (known.againAt !== null && known.againAt <= performance.now()))
      known = await this.#read(tx, keys);
    return opened(tx, known.content, "refuse");
  }

  async #read(tx: Tx, keys: string): Promise<Known> {
    const { organizationId } = tx;
    const rows = await tx.$queryRaw<{ kid: string; sealedKey: string }[]>`
      SELECT kid, sealed_key AS "sealedKey" FROM organization_key
      WHERE organization_id = ${organizationId}::uuid ORDER BY made_at, kid`;
    const stored = new Map(rows.map((row) => [row.kid, row.sealedKey]));
    const seals = new Map<string, Seal | null>();
    let current: string | null = null;
    for (const named of keys.split(",").filter((name) => name !== "")) {
      const kid = named.replace("+", "");
      if (named.endsWith("+")) current = kid;
      seals.set(kid, this.#open(organizationId, kid, stored.get(kid)));
    }
    const isWhole = [...seals.values()].every((seal) => seal !== null);
    const content = createContent({ organizationId, seals, current });
    const known = { keys, content, againAt: isWhole ? null : performance.now() + AGAIN_MS };
    this.#known.delete(organizationId);
    this.#known.set(organizationId, known);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST && oldest !== undefined) this.#known.delete(oldest);
    return known;
  }

  #open(organizationId: string, kid: string, sealedKey: string | undefined): Seal | null {
    try {
      if (sealedKey === undefined) throw new Error("the key is gone");
      this.#ring ??= createSeal(keyRing().keys);
      const key = Buffer.from(this.#ring.open(keyPlace(organizationId, kid), sealedKey), "base64");
      if (key.length !== KEY_BYTES) throw new Error("the key has another length");
      return createSeal([{ kid, key }]);
    } catch (error) {
      log.error(
        { err: error, organizationId },
        "a key of an organization can't be opened: its content waits",
      );
      return null;
    }
  }
}

/** Symbols, since Next bundles its own copies of this module into the process. */
const CONTENT = Symbol.for("intray.content");
const PLAINLY = Symbol.for("intray.content.plain");

type Marked = { [CONTENT]?: Content; [PLAINLY]?: Tx };

/** How the organization of this transaction keeps content. */
export function contentOf(tx: Tx): Content {
  return (tx as Marked)[CONTENT] ?? PLAIN;
}

/**
 * The ids of the organization's keys by now. A transaction that began before the organization had its first one, or another,
 * takes what was sealed under that for plain text.
 */
export async function keysByNow(tx: Tx): Promise<Set<string>> {
  const [row] = await tx.$queryRaw<{ keys: string | null }[]>`
    SELECT gate.content_keys(${tx.organizationId}::uuid) AS keys`;
  return new Set((row?.keys ?? "").split(",").map((named) => named.replace("+", "")));
}

/** The same transaction, whose results are as they are stored. Deferred writes need the first one. */
export function asStored(tx: Tx): Tx {
  return (tx as Marked)[PLAINLY] ?? tx;
}

/**
 * The same transaction for readers that go on without what can't be opened. Deferred writes need the first one.
 */
export function openingWhatOpens(tx: Tx, unopened: "mark" | "blank" | "flag"): Tx {
  const plain = (tx as Marked)[PLAINLY];
  return plain ? opened(plain, contentOf(tx), unopened) : tx;
}

/** Rows that are opened in one turn of the event loop: each may have a megabyte. */
const OPENED_AT_ONCE = 10;

const READS = new Set(["findFirst", "findFirstOrThrow", "findMany", "findUnique", "findUniqueOrThrow"]);
const WRITES = new Set(["create", "createMany", "update", "updateMany", "upsert"]);

function opened(tx: Tx, content: Content, unopened: Unopened): Tx {
  const open = async <T>(result: PromiseLike<T>): Promise<T> => {
    const rows = await result;
    if (!Array.isArray(rows)) return content.open(rows, unopened);
    for (let at = 0; at < rows.length; at += OPENED_AT_ONCE) {
      if (at > 0) await otherWork();
      content.open(rows.slice(at, at + OPENED_AT_ONCE), unopened);
    }
    return rows;
  };
  type Method = (...given: unknown[]) => PromiseLike<unknown>;
  const raw: Method = (...given) => open(Reflect.apply(tx.$queryRaw, tx, given));
  const models = new Map<string, object>();

  const model = (name: string, delegate: object): object =>
    new Proxy(delegate, {
      get(target, method) {
        const run = Reflect.get(target, method) as unknown;
        if (typeof run !== "function" || typeof method !== "string") return run;
        if (READS.has(method)) return (...given: unknown[]) => open(Reflect.apply(run, target, given));
        if (!WRITES.has(method)) return run.bind(target);
        return (args: unknown, ...more: unknown[]) =>
          open(Reflect.apply(run, target, [sealWrite(content, name, args), ...more]));
      },
    });

  return new Proxy(tx, {
    get(target, name) {
      if (name === CONTENT) return content;
      if (name === PLAINLY) return target;
      if (name === "$queryRaw") return raw;
      const member = Reflect.get(target, name) as unknown;
      if (typeof name !== "string" || name.startsWith("$") || typeof member !== "object" || member === null)
        return typeof member === "function" ? member.bind(target) : member;
      let wrapped = models.get(name);
      if (!wrapped) {
        wrapped = model(name, member);
        models.set(name, wrapped);
      }
      return wrapped;
    },
  });
}
