import { describe, expect, test } from "vitest";
import { afterG, heardAs, nameOf } from "./key-press.ts";

function press(key: string, more: object = {}) {
  const plain = { key, shiftKey: false, ctrlKey: false, metaKey: false, altKey: false, repeat: false };
  return { ...plain, ...more };
}

describe("the name of a key", () => {
  test.each([
    ["a letter", press("x"), "x"],
    ["with Shift", press("X", { shiftKey: true }), "shift+x"],
    ["with caps lock", press("X"), "x"],
    ["a character that implies Shift", press("?", { shiftKey: true }), "?"],
    ["a named key", press("Escape"), "escape"],
    ["a named key with Shift", press("Enter", { shiftKey: true }), "shift+enter"],
  ])("%s", (_, given, expected) => {
    expect(nameOf(given)).toBe(expected);
  });
});

describe("a press is a shortcut", () => {
  const free = { handled: false, singleKeys: true, locked: false, typing: false };
  test.each([
    ["usually", press("a"), {}, "a"],
    ["not with Ctrl", press("a", { ctrlKey: true }), {}, null],
    ["not with Cmd", press("a", { metaKey: true }), {}, null],
    ["not with Alt", press("a", { altKey: true }), {}, null],
    ["not while it is held down", press("a", { repeat: true }), {}, null],
    ["not when another handler took it", press("a"), { handled: true }, null],
    ["not while a dialog is open, even Escape", press("Escape"), { locked: true }, null],
    ["not while someone types", press("a"), { typing: true }, null],
    ["Escape also while someone types", press("Escape"), { typing: true }, "escape"],
    ["not with single keys off", press("a"), { singleKeys: false }, null],
    ["not a digit with single keys off", press("3"), { singleKeys: false }, null],
    ["Enter also with single keys off", press("Enter"), { singleKeys: false }, "enter"],
  ])("%s", (_, given, situation, expected) => {
    expect(heardAs(given, { ...free, ...situation })).toBe(expected);
  });
});

describe("the key after G", () => {
  const pages = [
    { key: "i", href: "/inbox" },
    { key: "a", href: "/activity" },
  ];
  test.each([
    ["leads to its page", press("i"), { href: "/inbox" }],
    ["leads there with caps lock", press("A"), { href: "/activity" }],
    ["of no page ends the wait, and does nothing else", press("d"), "end"],
    ["is waited for while Shift is held", press("Shift"), "wait"],
    ["is left to the browser with Ctrl", press("i", { ctrlKey: true }), "leave"],
  ])("%s", (_, given, expected) => {
    expect(afterG(given, pages)).toEqual(expected);
  });
});
