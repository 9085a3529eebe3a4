/** A bounded line in which owners take turns, so that one who brings many does not keep the others waiting. Pure. */
export class Turns<T> {
  readonly #most: number;
  /** By owner, in the order of their turns. */
  readonly #waiting = new Map<string, T[]>();
  #size = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#size;
  }

  /**
   * Returns the item that has no place, or null. In a full line that is the last one of the owner with the most, unless
   * `owner` would have as many: then it is `item`.
   */
  add(owner: string, item: T): T | null {
    const own = this.#waiting.get(owner) ?? [];
    const last = this.#size < this.#most ? null : this.#lastOfMost(own.length + 1);
    if (this.#size >= this.#most && !last) return item;
    if (last) this.remove(...last);
    own.push(item);
    this.#waiting.set(owner, own);
    this.#size++;
    return last?.[1] ?? null;
  }

  take(): T | undefined {
    const [first] = this.#waiting;
    if (!first) return undefined;
    const [owner, own] = first;
    const item = own.shift();
    this.#waiting.delete(owner);
    if (own.length > 0) this.#waiting.set(owner, own);
    this.#size--;
    return item;
  }

  /** Takes the last item of the owner with the most. */
  drop(): T | undefined {
    const last = this.#lastOfMost(0);
    if (last) this.remove(...last);
    return last?.[1];
  }

  remove(owner: string, item: T): void {
    const own = this.#waiting.get(owner) ?? [];
    const at = own.lastIndexOf(item);
    if (at < 0) return;
    own.splice(at, 1);
    if (own.length === 0) this.#waiting.delete(owner);
    this.#size--;
  }

  /** Null: no owner has more than `count`. */
  #lastOfMost(count: number): [owner: string, item: T] | null {
    let most: [string, T] | null = null;
    let longest = count;
    for (const [owner, own] of this.#waiting) {
      if (own.length <= longest) continue;
      longest = own.length;
      most = [owner, own.at(-1)!];
    }
    return most;
  }
}
