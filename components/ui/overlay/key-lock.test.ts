import { expect, test } from "vitest";
import { areKeysLocked, isDialogOpen, lockKeys } from "./key-lock.tsx";

test("single keys rest until the last of what lies over the page is gone", () => {
  expect([areKeysLocked(), isDialogOpen()]).toEqual([false, false]);
  const menu = lockKeys("menu");
  expect([areKeysLocked(), isDialogOpen()]).toEqual([true, false]);
  const loading = lockKeys("dialog");
  const dialog = lockKeys("dialog");
  menu();
  loading();
  // Unlocked twice, as React does in strict mode.
  loading();
  expect([areKeysLocked(), isDialogOpen()]).toEqual([true, true]);
  dialog();
  expect([areKeysLocked(), isDialogOpen()]).toEqual([false, false]);
});
