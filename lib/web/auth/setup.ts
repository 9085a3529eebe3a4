/**
 * Makes the first organization. The caller needs the installation's setup token, so that no stranger at the
 * address can.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import { type Database, Prisma } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { log } from "../../base/log.ts";
import type { SetupRequest } from "../../people/members/member-schema.ts";
import { alreadySetUp, setUp } from "../../people/organizations/setup.ts";
import { database } from "../database.ts";
import { throttle } from "../http/throttle.ts";
import { SETUP_TRIES } from "../tunables.ts";

/** Whether no real organization has been made yet, by /setup or the command line. */
export async function setupPossible(db: Database): Promise<boolean> {
  const [row] = await db.gate<{ possible: boolean }>(Prisma.sql`SELECT gate.setup_possible() AS possible`);
  return row?.possible === true;
}

/** Throws `already_set_up` whatever the token, else `setup_closed` or `wrong_setup_token`. */
export async function setUpWithToken({ token, ...input }: SetupRequest): Promise<{ slug: string }> {
  const db = await database();
  if (!(await setupPossible(db))) throw alreadySetUp();
  try {
    checkSetupToken(token, env().setupToken);
  } catch (error) {
    // Only wrong tokens are counted, so that guessing can't keep out the owner of the right one.
    await throttle("setup-token", SETUP_TRIES);
    throw error;
  }
  return setUp(db, input);
}

/** `expected`: the installation's token; undefined: it has none. */
export function checkSetupToken(given: string, expected: string | undefined): void {
  if (expected === undefined) throw new AppError("setup_closed", SETUP_CLOSED);
  if (isSame(given.trim(), expected.trim())) return;
  throw new AppError("wrong_setup_token", "Some values are not valid.", {
    errors: [{ field: "token", message: "This is not the setup token of this installation" }],
  });
}

const SETUP_CLOSED =
  "Setup is closed: set INTRAY_SETUP_TOKEN for the web app and start it again, or make the first organization with `intray org create`.";

/** Logs how to open setup, for a web process that runs by itself while Intray is not set up. */
export async function warnWhileSetupIsClosed(): Promise<void> {
  if (env().setupToken !== undefined) return;
  try {
    if (await setupPossible(await database())) log.warn(SETUP_CLOSED);
  } catch (error) {
    log.warn(
      { err: error },
      "The database cannot be reached yet, so that it is not known whether setup is closed",
    );
  }
}

/** Compares in a time that depends neither on where two tokens differ nor on their lengths. */
function isSame(one: string, other: string): boolean {
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(one), digest(other));
}
