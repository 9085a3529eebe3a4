/** The pg-boss queue that holds the leases: one job per connection, held by at most one engine. */

export const LEASE_QUEUE = "watch";

/**
 * pg-boss's defaults lose leases. `exclusive` allows one job per connection, queued or active. A killed
 * engine's leases expire by missing heartbeat (10 s is pg-boss's minimum) and are retried at once, without
 * limit.
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
