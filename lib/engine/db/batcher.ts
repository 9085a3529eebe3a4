interface Queue<T> {
  waiting: T[];
  underWay: number;
}

/**
 * Batches items per organization: items that arrive while `atOnce` batches run go into later batches, each of
 * at most `most` items.
 */
export class Batcher<T> {
  #queues = new Map<string, Queue<T>>();
  #atOnce: number;
  #most: number;
  #carryOut: (organizationId: string, items: T[]) => Promise<void>;

  /**
   * `carryOut` gets at most `most` items, runs at most `atOnce` times per organization, and must never
   * reject.
   */
  constructor(atOnce: number, most: number, carryOut: (organizationId: string, items: T[]) => Promise<void>) {
    this.#atOnce = atOnce;
    this.#most = most;
    this.#carryOut = carryOut;
  }

  add(organizationId: string, item: T): void {
    const known = this.#queues.get(organizationId);
    const queue = known ?? { waiting: [], underWay: 0 };
    if (!known) this.#queues.set(organizationId, queue);
    queue.waiting.push(item);
    this.#begin(organizationId, queue);
  }

  #begin(organizationId: string, queue: Queue<T>): void {
    while (queue.waiting.length > 0 && queue.underWay < this.#atOnce) {
      queue.underWay++;
      void this.#carryOut(organizationId, queue.waiting.splice(0, this.#most)).finally(() => {
        queue.underWay--;
        this.#begin(organizationId, queue);
      });
    }
    if (queue.underWay === 0) this.#queues.delete(organizationId);
  }
}
