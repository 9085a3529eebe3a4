import type { Moment } from "../../base/moment.ts";
import type { Watcher } from "../watcher/watcher.ts";
import type { LeaseData } from "./lease-queue.ts";
import type { LeaseRef } from "./takeover.ts";

/** A lease held by this engine. */
export interface OwnedLease {
  lease: LeaseRef;
  data: LeaseData;
  watcher: Watcher | null;
  /** Hints received before the watcher existed. */
  hints: ((watcher: Watcher) => void)[];
  since: number;
  /** The connection's settings changed, so the next heartbeat gives the lease back. */
  outdated: boolean;
  /**
   * Pending release. Heartbeats continue until then, so that no engine takes the lease from running steps.
   */
  leaving: Promise<void> | null;
  /** When the last confirmed heartbeat was sent; null if the database's clock says it is too old. */
  heartbeatAt: Moment | null;
  /** Time of the last confirmed heartbeat by the database's clock, in ms, or slightly earlier. */
  beatAt: number;
  waiting: { resolve(): void; reject(error: Error): void }[];
}

/**
 * Creates a lease fetched by a statement sent at `sentAt`. `beatAt` is the database's time of fetching, in
 * ms.
 */
export function newOwnedLease(lease: LeaseRef, data: LeaseData, sentAt: Moment, beatAt: number): OwnedLease {
  return {
    lease,
    data,
    watcher: null,
    hints: [],
    since: sentAt.monotonic,
    outdated: false,
    leaving: null,
    heartbeatAt: sentAt,
    beatAt,
    waiting: [],
  };
}

/** Splits leases into groups of one organization and at most `size` leases each. */
export function inGroups(all: OwnedLease[], size: number): { organizationId: string; some: OwnedLease[] }[] {
  const groups: { organizationId: string; some: OwnedLease[] }[] = [];
  for (const [organizationId, its] of Map.groupBy(all, ({ data }) => data.organizationId))
    for (let at = 0; at < its.length; at += size)
      groups.push({ organizationId, some: its.slice(at, at + size) });
  return groups;
}
