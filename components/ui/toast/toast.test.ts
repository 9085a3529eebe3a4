import type { toast as Sonner } from "sonner";
import { expect, test } from "vitest";
import { setToaster, toast } from "./toast.ts";

test("what is hidden in a toast's words is marked, also in those below", () => {
  const said: unknown[] = [];
  setToaster(Object.assign((...words: unknown[]) => said.push(words)) as unknown as typeof Sonner);
  toast("Claimed by A\u200bna", { description: "Held by \u202eneB", duration: 5 });
  setToaster(null);
  expect(said).toEqual([["Claimed by A\ufffdna", { description: "Held by \ufffdneB", duration: 5 }]]);
});
