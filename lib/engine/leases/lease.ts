import type { Moment } from "../../base/moment.ts";
import type { Watcher } from "../watcher/watcher.ts";
import type { LeaseRef } from "./connection.ts";
import type { LeaseData } from "./lease-queue.ts";

/** A lease that an engine holds. */
export interface OwnedLease {
  lease: LeaseRef;
  data: LeaseData;
  watcher: Watcher | null;
  /** What came before there was one. */
  hints: ((watcher: Watcher) => void)[];
  since: number;
  /** The connection's settings were changed: it is to be taken anew. */
  outdated: boolean;
  /** It is being given back. Until that is done its heartbeats go on, so that nobody takes it from under its steps. */
  leaving: Promise<void> | null;
  /** When the last heartbeat that came back was sent. Null: by the database's clock it is too long ago. */
  heartbeatAt: Moment | null;
  /** The same by the database's clock, in ms, or a moment earlier. */
  beatAt: number;
  waiting: { resolve(): void; reject(error: Error): void }[];
}

/** Fetched by a statement that was sent at `sentAt`, which gave it the heartbeat `beatAt` by the database's clock. */
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

/** Each of one organization, and of so many leases at most. */
export function inGroups(all: OwnedLease[], size: number): { organizationId: string; some: OwnedLease[] }[] {
  const groups: { organizationId: string; some: OwnedLease[] }[] = [];
  for (const [organizationId, its] of Map.groupBy(all, ({ data }) => data.organizationId))
    for (let at = 0; at < its.length; at += size)
      groups.push({ organizationId, some: its.slice(at, at + size) });
  return groups;
}
