/**
 * Counts tries of passwords in Postgres, for all processes together: pauses that grow for each pair of an account and
 * a network (or a browser that the account is known by), an allowance that refills for an account and for a network,
 * and no lock. Who signed in from a network or browser before is held by wrong tries of that pair alone
 * (docs/decisions/035-pauses-not-locks.md).
 */
import { createHmac } from "node:crypto";
import { type Database, Prisma } from "../../base/db/db.ts";

export interface TryLimits {
  /** Wrong tries of a pair before it pauses: `firstPauseMs`, and twice as long each time. */
  free: number;
  firstPauseMs: number;
  longestPauseMs: number;
  /** The longest pause of a pair that has signed in before. */
  longestKnownPauseMs: number;
  /** For one account, from networks and browsers that it never signed in from. */
  account: Allowance;
  /** From one network, for accounts that never signed in there. */
  network: Allowance;
}

/** So many at once, and one more each `everyMs`. */
interface Allowance {
  tries: number;
  everyMs: number;
}

export interface TryPlace {
  network: string;
  browser: string | null;
}

export interface Try {
  /** Above 0: the try has to wait, must not be looked at, and was not counted. */
  waitMs: number;
  /** The account of the address; null: there is none. */
  userId: string | null;
  /** The account has signed in from this network or browser before. */
  isKnown: boolean;
  /** Takes the try back, for a password that was right. */
  wasRight(): Promise<void>;
}

/**
 * Counts a try as wrong before it is looked at. `email`: null for a text that is no address. `secret` keys the hashes
 * that rows are found by, so that the table does not tell which addresses were tried.
 */
export async function beginTry(
  db: Database,
  secret: string,
  limits: TryLimits,
  email: string | null,
  { network, browser }: TryPlace,
): Promise<Try> {
  const { account: ofAccount, network: ofNetwork } = limits;
  const account = keyOf(secret, `account ${email}`);
  const place = keyOf(secret, `network ${network}`);
  const [row] = await db.gate<{ wait_ms: bigint; pair: Uint8Array; known: boolean; user_id: string | null }>(
    Prisma.sql`SELECT * FROM gate.begin_try(${email}, ${account}, ${place}, ${network}, ${browser},
      ${limits.free}::integer, ${limits.firstPauseMs}::bigint, ${limits.longestPauseMs}::bigint,
      ${limits.longestKnownPauseMs}::bigint, ${ofAccount.tries}::integer, ${ofAccount.everyMs}::bigint,
      ${ofNetwork.tries}::integer, ${ofNetwork.everyMs}::bigint)`,
  );
  if (!row) throw new Error("no try was counted");
  return {
    waitMs: Number(row.wait_ms),
    userId: row.user_id,
    isKnown: row.known,
    wasRight: async () => {
      await db.gate(Prisma.sql`SELECT 1 AS done FROM gate.was_right(${row.pair}, ${row.known}, ${account},
        ${ofAccount.everyMs}::bigint, ${place}, ${ofNetwork.everyMs}::bigint)`);
    },
  };
}

/** The name of an account in the log: the same for one address, and nothing that leads back to it. */
export function accountMark(secret: string, email: string | null): string {
  return keyOf(secret, `log ${email}`).toString("hex").slice(0, 12);
}

function keyOf(secret: string, of: string): Buffer {
  return createHmac("sha256", secret).update(`intray tries ${of}`).digest();
}
