/** Something that falls due, and is in one heap at most. */
export interface Due {
  /** Monotonic, in ms. Written by the heap. */
  due: number;
  /** Where in its heap it is; -1: in none. Written by the heap. */
  heapIndex: number;
}

/** A binary heap of due times. Its items know their places, so that nothing is made or looked up to move one. */
export class DueHeap<T extends Due> {
  #items: T[] = [];
  /** When they are due, side by side: tens of thousands of items lie all over the memory. */
  #dues: number[] = [];

  /** What is due first. */
  get first(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Puts an item in, or moves it. */
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

  /** Puts an item at a place that is free, or its own, or where it has to be from there. */
  #settle(item: T, due: number, place: number): void {
    this.#put(item, due, this.#down(due, this.#up(due, place)));
  }

  /** Moves what is due later down, as far as `due` has to come up. Returns where that is. */
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
