/** The pg-boss queue that holds the leases: one job a connection, at most one engine has it. */

export const LEASE_QUEUE = "watch";

/**
 * The defaults lose leases. exclusive: one job a connection, queued or active. A killed engine's leases are seen by
 * the missing heartbeat (10 s is pg-boss's least) and fetched again at once, for ever.
 */
export const leaseQueueOptions = {
  policy: "exclusive" as const,
  heartbeatSeconds: 10,
  retryLimit: 2_147_483_647,
  retryDelay: 0,
  retryBackoff: false,
  expireInSeconds: 86_399,
  deleteAfterSeconds: 3_600,
};

export interface LeaseData {
  organizationId: string;
  connectionId: string;
}
