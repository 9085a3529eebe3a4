/**
 * A binary heap of due times with lazy removal: setting an id again leaves the old item behind, which is passed over
 * when it comes up. One timer a watcher serves all of its tasks.
 */
export class DueHeap {
  #items: { id: string; due: number }[] = [];
  #due = new Map<string, number>();

  get size(): number {
    return this.#due.size;
  }

  set(id: string, due: number): void {
    if (this.#items.length > 2 * this.#due.size + 64) this.#compact();
    this.#due.set(id, due);
    this.#items.push({ id, due });
    this.#up(this.#items.length - 1);
  }

  delete(id: string): void {
    this.#due.delete(id);
  }

  dueOf(id: string): number | undefined {
    return this.#due.get(id);
  }

  /** The earliest due time, or undefined when empty. */
  peek(): number | undefined {
    this.#dropStale();
    return this.#items[0]?.due;
  }

  /** Removes and returns an id that is due at `now`. */
  popDue(now: number): string | undefined {
    this.#dropStale();
    const first = this.#items[0];
    if (!first || first.due > now) return undefined;
    this.#removeFirst();
    this.#due.delete(first.id);
    return first.id;
  }

  /** Sorted is a heap too. */
  #compact(): void {
    this.#items = [...this.#due].map(([id, due]) => ({ id, due })).sort((a, b) => a.due - b.due);
  }

  #dropStale(): void {
    for (let first = this.#items[0]; first && this.#due.get(first.id) !== first.due; first = this.#items[0])
      this.#removeFirst();
  }

  #removeFirst(): void {
    const last = this.#items.pop();
    if (last && this.#items.length > 0) {
      this.#items[0] = last;
      this.#down(0);
    }
  }

  #up(at: number): void {
    for (let i = at; i > 0; ) {
      const parent = (i - 1) >> 1;
      if (this.#items[parent]!.due <= this.#items[i]!.due) return;
      this.#swap(i, parent);
      i = parent;
    }
  }

  #down(at: number): void {
    for (let i = at; ; ) {
      const left = 2 * i + 1;
      const right = left + 1;
      let least = i;
      if (left < this.#items.length && this.#items[left]!.due < this.#items[least]!.due) least = left;
      if (right < this.#items.length && this.#items[right]!.due < this.#items[least]!.due) least = right;
      if (least === i) return;
      this.#swap(i, least);
      i = least;
    }
  }

  #swap(a: number, b: number): void {
    const item = this.#items[a]!;
    this.#items[a] = this.#items[b]!;
    this.#items[b] = item;
  }
}
