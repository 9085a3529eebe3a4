/** Sealed values by themselves, without a database. */
import { randomBytes, randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { createSeal, type Seal } from "../seal.ts";
import { type Content, createContent, UNOPENED, UNOPENED_TEXT } from "./content.ts";

const ACME = randomUUID();
const GLOBEX = randomUUID();
const [KID, OLD] = [randomUUID(), randomUUID()];
const KEY = randomBytes(32);
const seal = (kid: string, key = KEY): Seal => createSeal([{ kid, key }]);
const contentOf = (organizationId: string, seals: [string, Seal | null][], current: string | null): Content =>
  createContent({ organizationId, seals: new Map(seals), current });
const acme = contentOf(ACME, [[KID, seal(KID)]], KID);
const id = randomUUID();

test("a value opens in a row that names its own, and nowhere else", () => {
  const label = acme.text("task.label", id, "secret");
  expect(label).not.toContain("secret");
  expect(acme.open([{ id, label }])).toEqual([{ id, label: "secret" }]);
  const message = acme.text("input_request.message", id, "secret");
  expect(acme.open([{ inputRequests: [{ id, message }] }])).toEqual([
    { inputRequests: [{ id, message: "secret" }] },
  ]);
  expect(acme.open([{ id: randomUUID(), label }])).toMatchObject([{ label: UNOPENED_TEXT }]);
  const elsewhere = label.replace("task.label", "task.outcome");
  expect(acme.open([{ id, outcome: elsewhere }])).toEqual([{ id, outcome: UNOPENED_TEXT }]);
  // Nor by a name that only stands in the row's texts.
  expect(acme.open([{ tool: id, arguments: { id }, label }])).toMatchObject([{ label: UNOPENED_TEXT }]);
});

test("a value that an earlier version sealed opens", () => {
  const [organization, kid, row] = [
    "01900000-0000-7000-8000-000000000001",
    "01900000-0000-4000-8000-000000000002",
    "01900000-0000-7000-8000-000000000003",
  ];
  const sealed = {
    label: `sealed/task.label/t/${row}/v1.${kid}.gB6kQQ9tnuo4k6t1in0sW-7f5yyeHyZvzpQ2GAYsr0u6IA`,
    arguments: {
      sealed: `sealed/task.arguments/j/${row}/v1.${kid}.3siZdjJR-IWypPKDrNl5SQGNby9eggmmhf4TAVnAlFJZhltkyaSzAmQg5b52`,
    },
  };
  const kept = contentOf(organization, [[kid, seal(kid, Buffer.alloc(32, 7))]], kid);
  expect(kept.open([{ id: row, ...structuredClone(sealed) }])).toEqual([
    { id: row, label: "secret", arguments: { note: "secret" } },
  ]);
  expect(kept.text("task.label", row, "secret")).toBe(sealed.label);
});

test("another organization opens nothing, by its own key or by the same one", () => {
  const label = acme.text("task.label", id, "secret");
  for (const key of [randomBytes(32), KEY]) {
    const globex = contentOf(GLOBEX, [[KID, seal(KID, key)]], KID);
    expect(globex.open([{ id, label }])).toEqual([{ id, label: UNOPENED_TEXT }]);
  }
  const keyless = contentOf(GLOBEX, [[OLD, seal(OLD, randomBytes(32))]], OLD);
  expect(keyless.open([{ id, label }])).toEqual([{ id, label }]);
});

describe("a text that only looks sealed", () => {
  const lure = (column: string, row = id, kid = KID, kind = "t") =>
    `sealed/${column}/${kind}/${row}/v1.${kid}.AAAA`;
  const retired = contentOf(ACME, [[KID, seal(KID)]], null);
  const lost = contentOf(ACME, [[KID, null]], null);

  test("is text under a key that nobody has, even in the row that it names", () => {
    const unknown = {
      id,
      label: lure("task.label", id, OLD),
      arguments: { sealed: lure("task.arguments", id, OLD, "j") },
    };
    for (const its of [acme, retired, lost]) expect(its.open([structuredClone(unknown)])).toEqual([unknown]);
  });

  test("is text where no sealed value stands, though it names a key and its row", () => {
    const row = {
      id,
      tool: lure("task.label"),
      endedReason: lure("input_request.message"),
      deliveryError: lure("answer.comment"),
      pausedBy: { name: lure("answer.comment") },
      label: lure("answer.comment"),
      // Somebody's own members, and forms that nobody seals in.
      arguments: { label: lure("task.label"), error: { sealed: lure("task.error", id, KID, "j") } },
      result: { sealed: lure("task.result", id, KID, "j"), content: [] },
      statusMessage: lure("task.status_message", id, KID, "j"),
      error: lure("task.error"),
      deeper: { id, data: { sealed: lure("event.data", id, KID, "j") } },
    };
    for (const its of [acme, retired, lost]) expect(its.open([structuredClone(row)])).toEqual([row]);
  });

  test("is text in what servers list and people save, whatever its members are called", () => {
    const its = {
      progress: { sealed: lure("task.progress", id, KID, "j") },
      message: lure("input_request.message"),
    };
    const row = {
      id,
      tools: [{ name: "a", inputSchema: { properties: its, label: lure("task.label") } }],
      query: its,
    };
    for (const content of [acme, retired, lost]) expect(content.open([structuredClone(row)])).toEqual([row]);
  });

  test("is shown as one that can't be opened where sealed values stand, and stops no reader", () => {
    const row = {
      id,
      comment: lure("answer.comment"),
      label: lure("task.label", randomUUID()),
      arguments: { sealed: lure("task.arguments", id, KID, "j") },
      data: { code: "lost", sealed: lure("event.data", id, KID, "j") },
    };
    const shown = { id, comment: UNOPENED_TEXT, label: UNOPENED_TEXT, arguments: UNOPENED };
    for (const its of [acme, retired])
      expect(its.open([structuredClone(row)])).toEqual([
        { ...shown, data: { code: "lost", unopened: true } },
      ]);
    // Whoever acts on texts sees them as they stand, and acts on no JSON.
    expect(acme.open([structuredClone(row)], "flag")).toMatchObject([
      { comment: row.comment, label: row.label, arguments: UNOPENED },
    ]);
  });

  test("is told from a value whose key is away: that one waits for the key", () => {
    expect(() => lost.open([{ id, comment: lure("answer.comment") }])).toThrow("content_unavailable");
    expect(lost.open([{ id, comment: lure("answer.comment") }], "flag")).toEqual([{ id, comment: UNOPENED }]);
    expect(lost.open([{ id, comment: lure("answer.comment", randomUUID()) }])).toEqual([
      { id, comment: UNOPENED_TEXT },
    ]);
  });

  test("is sealed and opened as any other text", () => {
    const args = { sealed: lure("task.arguments", id, KID, "j"), label: lure("task.label") };
    const stored = acme.json("task.arguments", id, args);
    expect(acme.open([{ id, arguments: stored }])).toEqual([{ id, arguments: args }]);
  });
});

test("a key that does not open refuses, marks or leaves blank what it sealed, and seals nothing", () => {
  const stored = {
    id,
    label: acme.text("task.label", id, "secret"),
    arguments: acme.json("task.arguments", id, { note: "secret" }),
    error: acme.json("task.error", id, { code: "lost", message: "secret" }, { code: "lost" }),
  };
  const broken = contentOf(ACME, [[KID, null]], KID);
  const copy = () => [structuredClone(stored)];
  expect(() => broken.open(copy())).toThrow("content_unavailable");
  expect(broken.open(copy(), "mark")).toEqual([
    { id, label: UNOPENED_TEXT, arguments: UNOPENED, error: UNOPENED },
  ]);
  expect(broken.open(copy(), "blank")).toEqual([
    { id, label: UNOPENED_TEXT, arguments: null, error: { code: "lost", message: UNOPENED_TEXT } },
  ]);
  expect(() => broken.text("task.label", id, "new")).toThrow("content_unavailable");
  expect(broken.opens).toBe(false);
});

test("equal texts of one place are equal stored, of two places not", () => {
  expect(acme.text("task.label", id, "same")).toBe(acme.text("task.label", id, "same"));
  const body = (sealed: string) => sealed.split(".").at(-1);
  expect(body(acme.text("task.label", id, "same"))).not.toBe(body(acme.text("task.outcome", id, "same")));
  expect(body(acme.text("task.label", id, "same"))).not.toBe(
    body(acme.text("task.label", randomUUID(), "same")),
  );
});

test("a hash is keyed once, and known in each of its forms", () => {
  const sha = randomBytes(32).toString("hex");
  const keyed = acme.hash(sha);
  expect(keyed).toMatch(/^[0-9a-f]{64}$/);
  expect(keyed).not.toBe(sha);
  expect(acme.hash(keyed)).toBe(keyed);
  const later = contentOf(
    ACME,
    [
      [KID, seal(KID)],
      [OLD, seal(OLD, randomBytes(32))],
    ],
    OLD,
  );
  expect(later.hash(keyed)).toBe(keyed);
  for (const stored of [sha, keyed, later.hash(sha)]) expect(later.isSameHash(sha, stored)).toBe(true);
  expect(later.isSameHash(randomBytes(32).toString("hex"), keyed)).toBe(false);
});

test("hashes are not compared while a key is away, or what is known would be taken for new", () => {
  const sha = randomBytes(32).toString("hex");
  const partly = contentOf(
    ACME,
    [
      [KID, null],
      [OLD, seal(OLD)],
    ],
    OLD,
  );
  expect(() => partly.hashes(sha)).toThrow("content_unavailable");
  expect(() => partly.isSameHash(sha, acme.hash(sha))).toThrow("content_unavailable");
  expect(partly.isSameHash(sha, sha)).toBe(true);
});
