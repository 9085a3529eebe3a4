import { expect, test } from "vitest";
import fc from "../../../test/random/seeded.ts";
import { DueHeap } from "./due-heap.ts";

test("whatever is put in, moved and taken out, the first is always one that is due first", () => {
  const change = fc.record({ item: fc.nat(20), due: fc.nat(50), remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
      const heap = new DueHeap();
      const items = Array.from({ length: 21 }, () => ({ due: 0, heapIndex: -1 }));
      const kept = new Set<{ due: number; heapIndex: number }>();
      for (const { item: at, due, remove } of changes) {
        const item = items[at]!;
        if (!remove) {
          heap.set(item, due);
          kept.add(item);
        } else if (kept.delete(item)) heap.delete(item);
        const dues = [...kept].map((one) => one.due);
        expect(heap.first?.due).toBe(dues.length === 0 ? undefined : Math.min(...dues));
        expect(items.filter(({ heapIndex }) => heapIndex !== -1).length).toBe(kept.size);
      }
    }),
  );
});
