import { AppError, type ErrorCode } from "../errors.ts";
import type { Tx } from "./transaction.ts";

/** The most that an organization, or a member, may have of what its people make, where no other room says. */
export const BOUNDS = {
  keys: 1_000,
  keysOfOne: 100,
  serviceAccounts: 500,
  agents: 1_000,
  /** Open ones; a directory may bring a whole company at once. */
  invitations: 10_000,
  /** Those that the operator defines do not count. */
  servers: 500,
  passkeys: 20,
};

/**
 * Throws `code` where a list of the organization is full. One caller at a time, so that two at once do not go beyond: the lock is the
 * list's, and ends with the transaction.
 */
export async function refuseFull(
  tx: Tx,
  {
    code,
    most,
    count,
    detail,
  }: { code: ErrorCode; most: number; count: () => Promise<number>; detail: string },
): Promise<void> {
  await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtextextended(${`${code} ${tx.organizationId}`}, 0))`;
  if ((await count()) >= most) throw new AppError(code, detail);
}
