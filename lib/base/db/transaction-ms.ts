/** How long a transaction may take in all, in ms. It is rolled back then, and its caller told that it failed. */
export const TRANSACTION_MS = 20_000;
