/** Something that falls due, and is in one heap at most. */
export interface Due {
  /** Monotonic, in ms. Written by the heap. */
  due: number;
  /** Where in its heap it is; -1: in none. Written by the heap. */
  place: number;
}

/** A binary heap of due times. Its items know their places, so that nothing is made or looked up to move one. */
export class DueHeap<T extends Due> {
  #items: T[] = [];

  /** What is due first. */
  get first(): T | undefined {
    return this.#items[0];
  }

  get size(): number {
    return this.#items.length;
  }

  /** Puts an item in, or moves it. */
  set(item: T, due: number): void {
    if (item.place === -1) this.#put(item, this.#items.length);
    item.due = due;
    this.#up(item);
    this.#down(item);
  }

  delete(item: T): void {
    const { place } = item;
    const last = this.#items.pop();
    item.place = -1;
    if (!last || last === item) return;
    this.#put(last, place);
    this.#up(last);
    this.#down(last);
  }

  #put(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }

  #up(item: T): void {
    while (item.place > 0) {
      const parent = this.#items[(item.place - 1) >> 1]!;
      if (parent.due <= item.due) return;
      this.#swap(item, parent);
    }
  }

  #down(item: T): void {
    for (;;) {
      const left = this.#items[2 * item.place + 1];
      const right = this.#items[2 * item.place + 2];
      const sooner = right && left && right.due < left.due ? right : left;
      if (!sooner || sooner.due >= item.due) return;
      this.#swap(item, sooner);
    }
  }

  #swap(a: T, b: T): void {
    const { place } = a;
    this.#put(a, b.place);
    this.#put(b, place);
  }
}
