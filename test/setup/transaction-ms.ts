/** In the place of lib/base/db/transaction-ms.ts: a test process on a busy machine may stand still for many seconds. */
export const TRANSACTION_MS = 120_000;
