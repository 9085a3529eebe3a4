/** Timings and sizes of audit streams. */

/** Lines of one batch. */
export const BATCH_LINES = 500;
/** Characters of one batch's details, which bounds the memory of a sender. One line may be larger. */
export const BATCH_CHARACTERS = 1_000_000;
/** An anchor follows after this number of lines. */
export const ANCHOR_LINES = 1_000;
/** An anchor follows after this time if there are lines since the last one. */
export const ANCHOR_MS = 5 * 60_000;

/** Time for a destination to take a batch. */
export const SEND_MS = 30_000;
/** Time for a destination to take a test line, while a person waits. */
export const TEST_MS = 10_000;
/** Duration of a claim, longer than any attempt with its transactions. */
export const CLAIM_MS = 60_000;

/** Base of the pause after failures, doubled on each one up to the cap. */
export const PAUSE_BASE_MS = 1_000;
/** Cap of the pause after failures. A destination that is back gets its lines within this time. */
export const PAUSE_CAP_MS = 5 * 60_000;
/** Owners are told of a destination that has been away for this long. */
export const REPORT_AFTER_MS = 3600_000;

/**
 * A syslog server has no way to say that it took a line. Intray waits this long after the last byte for a connection
 * that ends early, before it ends the connection itself.
 */
export const SYSLOG_LISTEN_MS = 250;
