/** An item of at most one heap. */
export interface Due {
  /** Monotonic, in ms. Written by the heap. */
  due: number;
  /** Index in its heap; -1 for none. Written by the heap. */
  heapIndex: number;
}

/** Binary heap of due times. Items store their index, so that moves need no allocation and no lookup. */
export class DueHeap<T extends Due> {
  #items: T[] = [];
  /** Due times in an array of their own, because reading them from items scattered over memory is slow. */
  #dues: number[] = [];

  /** The item that is due first. */
  get first(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Inserts or moves an item. */
  set(item: T, due: number): void {
    item.due = due;
    this.#settle(item, due, item.heapIndex === -1 ? this.#items.length : item.heapIndex);
  }

  delete(item: T): void {
    const { heapIndex: place } = item;
    const last = this.#items.pop();
    const due = this.#dues.pop();
    item.heapIndex = -1;
    if (last && due !== undefined && last !== item) this.#settle(last, due, place);
  }

  /** Puts an item at `place`, which is free or its own, or wherever the heap order requires from there. */
  #settle(item: T, due: number, place: number): void {
    this.#put(item, due, this.#down(due, this.#up(due, place)));
  }

  /** Moves items due later than `due` down. Returns the place left for `due`. */
  #up(due: number, from: number): number {
    let place = from;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      if (this.#dues[parent]! <= due) break;
      this.#put(this.#items[parent]!, this.#dues[parent]!, place);
      place = parent;
    }
    return place;
  }

  #down(due: number, from: number): number {
    let place = from;
    const count = this.#dues.length;
    for (;;) {
      const left = 2 * place + 1;
      if (left >= count) return place;
      const right = left + 1;
      const sooner = right < count && this.#dues[right]! < this.#dues[left]! ? right : left;
      if (this.#dues[sooner]! >= due) return place;
      this.#put(this.#items[sooner]!, this.#dues[sooner]!, place);
      place = sooner;
    }
  }

  #put(item: T, due: number, place: number): void {
    this.#items[place] = item;
    this.#dues[place] = due;
    item.heapIndex = place;
  }
}
