import { GIVEN_AT_ONCE, GIVEN_TOGETHER } from "../tunables.ts";
import type { LeaseData } from "./lease-queue.ts";
import type { LeaseRef } from "./takeover.ts";

interface Given {
  lease: LeaseRef;
  data: LeaseData;
  resolve(): void;
  reject(error: unknown): void;
}

/**
 * Batches lease releases: releases of an organization that arrive during a running transaction share the next
 * one. A failed transaction rejects each release in it.
 */
export class LeaseRelease {
  #store: (organizationId: string, leases: Pick<Given, "lease" | "data">[]) => Promise<void>;
  #waiting = new Map<string, Given[]>();
  #running = 0;

  constructor(store: (organizationId: string, leases: Pick<Given, "lease" | "data">[]) => Promise<void>) {
    this.#store = store;
  }

  give(lease: LeaseRef, data: LeaseData): Promise<void> {
    return new Promise((resolve, reject) => {
      const others = this.#waiting.get(data.organizationId) ?? [];
      others.push({ lease, data, resolve, reject });
      this.#waiting.set(data.organizationId, others);
      this.#next();
    });
  }

  #next(): void {
    if (this.#running >= GIVEN_AT_ONCE) return;
    const [organizationId, waiting] = this.#waiting.entries().next().value ?? [];
    if (organizationId === undefined || !waiting) return;
    const some = waiting.splice(0, GIVEN_TOGETHER);
    // An organization with more releases goes to the back of the queue.
    this.#waiting.delete(organizationId);
    if (waiting.length > 0) this.#waiting.set(organizationId, waiting);
    this.#running++;
    void this.#store(organizationId, some)
      .then(
        () => {
          for (const { resolve } of some) resolve();
        },
        (error: unknown) => {
          for (const { reject } of some) reject(error);
        },
      )
      .finally(() => {
        this.#running--;
        this.#next();
      });
  }
}
