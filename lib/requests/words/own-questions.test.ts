import { describe, expect, test } from "vitest";
import type { InputRequestSummary } from "../request-schema.ts";
import {
  commentWords,
  declineWords,
  factsOf,
  isInDetails,
  nextWords,
  programCallOf,
  receiverOf,
  reviseWords,
} from "./own-questions.ts";

const server = { id: "1", name: "Finance ERP" };
const requestedBy = { kind: "agent" as const, id: "2", name: "Claude" };
const asked = { server, requestedBy, tool: "pay", gate: null, approval: null };
const ofServer = { ...asked, origin: "server" as const };
const gated = { ...asked, origin: "intray" as const, gate: { rule: null } };
const own = { ...asked, origin: "intray" as const, tool: "ask_person" };

/** A request whose open stage has these votes. */
function votedOn(rejections: number, votes: boolean[] = []): Pick<InputRequestSummary, "approval"> {
  const stage = { state: "open", rejections, votes: votes.map((agrees) => ({ agrees })) };
  return { approval: { stages: [stage] } as unknown as InputRequestSummary["approval"] };
}

test("an answer goes to who asked", () => {
  expect([ofServer, gated, own].map(receiverOf)).toEqual([
    "Finance ERP",
    "the agent “Claude”",
    "the agent “Claude”",
  ]);
  expect([ofServer, gated, own].map(nextWords)).toEqual([
    "the answer goes to Finance ERP",
    "Finance ERP is called once somebody approves",
    "the answer goes to the agent “Claude”",
  ]);
});

test("asking to revise gives the text to who asked, and ends the request unless more rejections are needed", () => {
  expect([gated, own].map(reviseWords)).toEqual([
    "The call is not made. The agent “Claude” gets your text, and can ask again with changes.",
    "The agent “Claude” gets your text, and can ask again with changes.",
  ]);
  expect(reviseWords({ ...gated, ...votedOn(2) })).toBe(
    "It counts as your rejection and is kept in Intray. It takes 1 more to end this.",
  );
});

test("a comment goes with the answer to who asked through Intray, and to no server", () => {
  expect([ofServer, gated, own].map(commentWords)).toEqual([
    "kept in Intray, not sent to the server",
    "kept in Intray",
    "goes to the agent “Claude” with the answer",
  ]);
  const { approval } = votedOn(1);
  expect(commentWords({ ...own, approval })).toBe(
    "kept in Intray; that of the last vote goes to the agent “Claude”",
  );
});

test("a declined call is not made, and who asked for it learns why", () => {
  expect(declineWords(gated)).toBe(
    "The call is not made. The agent “Claude” is told that you declined, and your reason.",
  );
  expect(declineWords(own)).toBe("The agent “Claude” is told that you declined, and your reason.");
  expect(declineWords(ofServer)).toContain("Finance ERP is told only that it was declined");
});

test("a rejection that ends nothing tells nobody", () => {
  expect(declineWords({ ...own, ...votedOn(1) })).toBe(
    "The agent “Claude” is told that you declined, and your reason.",
  );
  expect(declineWords({ ...ofServer, ...votedOn(2) })).toBe(
    "Your rejection is kept in Intray, and nothing is sent. It takes 1 more to end this.",
  );
  expect(declineWords({ ...ofServer, ...votedOn(2, [false, true]) })).toContain("Finance ERP is told only");
});

test("an API key of a person's name is not taken for the person", () => {
  const ofKey = { ...own, requestedBy: { kind: "key" as const, id: "4", name: "Ben" } };
  expect([nextWords(ofKey), commentWords(ofKey), declineWords(ofKey)]).toEqual([
    "the answer goes to the API key Ben",
    "goes to the API key Ben with the answer",
    "The API key Ben is told that you declined, and your reason.",
  ]);
});

const ownFacts = (args: Record<string, unknown>, documents: unknown[] = []) =>
  factsOf({
    arguments: args,
    documents: { items: documents, mayHaveMore: false },
    origin: "intray",
    gate: null,
  } as never);

describe("a document that the card shows below is only named in the details", () => {
  const named = (path: string, name: string, uri = `erp://${name}`) => ({
    from: "arguments",
    path,
    name,
    uri,
  });
  const link = (uri: string) => ({ type: "resource_link", uri });
  const gatedFacts = (args: Record<string, unknown>, items: unknown[], mayHaveMore = false) =>
    factsOf({
      arguments: args,
      documents: { items, mayHaveMore },
      origin: "intray",
      gate: "approval",
    } as never);
  const [a, b] = [named("/scans/0", "a"), named("/scans/1", "b")];
  const both = { scans: [link("erp://a"), "erp://b"] };
  const message = { ...named("", "c"), from: "message", path: null };
  test.each<[string, Record<string, unknown>, unknown[], boolean, Record<string, unknown>]>([
    ["the only one", { scan: "erp://a" }, [named("/scan", "a")], false, { scan: "Document below" }],
    ["all of them", both, [a, b], false, { scans: "2 documents below" }],
    ["some of them", both, [a, b, message], false, { scans: "2 documents below: a, b" }],
    ["results may bring more", both, [a, b], true, { scans: "2 documents below: a (erp://a), b (erp://b)" }],
    [
      "which is kept, and which is deleted",
      { keep: link("erp://a"), delete: link("erp://b") },
      [named("/keep", "a"), named("/delete", "b")],
      false,
      { keep: "Document below: a", delete: "Document below: b" },
    ],
    [
      "two of one name",
      { keep: link("erp://1/a"), delete: link("erp://2/a") },
      [named("/keep", "a", "erp://1/a"), named("/delete", "a", "erp://2/a")],
      false,
      { keep: "Document below: a (erp://1/a)", delete: "Document below: a (erp://2/a)" },
    ],
    [
      "a value that holds more",
      { pay: { ...link("erp://a"), to: "x" } },
      [{ ...named("", "a"), path: null }],
      false,
      { pay: { ...link("erp://a"), to: "x" } },
    ],
  ])("%s", (_, args, items, mayHaveMore, facts) => {
    expect(gatedFacts(args, items, mayHaveMore)).toEqual(facts);
  });

  test("but for its text, which the tool gets as it gets any other", () => {
    const memo = (text: string) => ({ type: "resource", resource: { uri: "note://1", text } });
    const text = "Pay EUR 9,000 to Mallory.\nKY12 3456";
    const here = (path: string, name: string) => ({ ...named(path, name), kept: "here" });
    const args = { to: "ACME", note: memo(text), scan: { type: "image", data: "aGk=" } };
    expect(gatedFacts(args, [here("/note", "1"), here("/scan", "2")])).toEqual({
      to: "ACME",
      note: `Document below: 1\n${text}`,
      scan: "Document below: 2",
    });
    expect(
      gatedFacts({ notes: [memo("a"), memo("b")] }, [here("/notes/0", "x"), here("/notes/1", "y")]),
    ).toEqual({ notes: "2 documents below\nx: a\ny: b" });
    // With more beside it in the call, the text alone is marked.
    expect(gatedFacts({ note: { ...memo(text), iban: "DE00" } }, [here("/note/resource", "1")])).toEqual({
      note: { type: "resource", resource: `Document below\n${text}`, iban: "DE00" },
    });
    expect(ownFacts({ details: { note: memo(text) } }, [here("/details/note", "1")])).toEqual({
      note: `Document below\n${text}`,
    });
  });

  test("nothing that has its name elsewhere", () => {
    const scan = link("erp://1");
    const args = { message: "Pay?", details: { details: { scan: "payee EVIL", y: 1 }, scan } };
    expect(ownFacts(args, [named("/details/scan", "Bill")])).toEqual({
      details: { scan: "payee EVIL", y: 1 },
      scan: "Document below",
    });
  });
});

test.each<[string, object, object | null, boolean]>([
  [
    "are hidden where the details have them all",
    { id: "1", lines: [1] },
    { id: "1", lines: [1], paid: 0 },
    true,
  ],
  ["stay where the server has another value", { id: "1", amount: 5 }, { id: "1", amount: 500 }, false],
  ["stay where the server does not tell one", { id: "1", amount: 5 }, { id: "1" }, false],
  ["stay where an object has the name from its class", { toString: "1" }, {}, false],
  ["stay where there are no details", {}, null, false],
])("the arguments %s", (_, facts, details, expected) => {
  expect(isInDetails({ ...facts }, details && { ...details })).toBe(expected);
});

test("the facts of a call that came by the Agent Approval Protocol begin with the call", () => {
  const [args, context] = [{ payment_id: "payment_123", amount: 4900 }, { call_id: "run:1" }];
  const subject = { server: "payments", tool: "refund", argumentsDigest: "ab", arguments: args };
  const facts = ownFacts({
    action: "May the API key Ben use the tool “refund” of “payments”?",
    details: { agentReasoning: "Charged twice", context },
    label: "payment_123",
    subject,
    aap: { timeout: "10m" },
  });
  expect(Object.entries(facts)).toEqual([
    ["server", "payments"],
    ["tool", "refund"],
    ["agentReasoning", "Charged twice"],
    ["arguments", args],
    ["context", context],
  ]);
  const { server: _, ...alone } = subject;
  expect(ownFacts({ subject: alone, aap: { timeout: "10m" } })).toEqual({ tool: "refund", arguments: args });
});

test("the facts of a question are what was said to decide by", () => {
  expect(
    ownFacts({
      action: "Pay INV-7",
      to: "ben@acme.example",
      label: "INV-7",
      amount: 7000,
      currency: "EUR",
      details: { vendor: "ACME", due: "2026-12-01" },
      links: ["https://a.example/1", { title: "Contract", url: "https://a.example/2" }],
      subject: { tool: "pay", argumentsDigest: "ab" },
      form: { type: "object" },
    }),
  ).toEqual({
    amount: 7000,
    currency: "EUR",
    vendor: "ACME",
    due: "2026-12-01",
    links: ["https://a.example/1", "Contract: https://a.example/2"],
    subject: { tool: "pay", argumentsDigest: "ab" },
  });
  // A detail that could be taken for another fact, or for the currency of the amount.
  for (const others of [
    { amount: 10, currency: "JPY", vendor: "ACME" },
    { currency_code: "JPY" },
    { Amount: 7 },
    { "amount ": 7 },
    { ａmount: 7 },
    { "amount\u200b": 7 },
    { "Subject · Arguments": { amount: 5 } },
    { "Subject: Tool": "pay" },
  ])
    expect(ownFacts({ amount: 1_000_000, currency: "EUR", details: others })).toEqual({
      amount: 1_000_000,
      currency: "EUR",
      details: others,
    });
  expect(ownFacts({ message: "Who?" })).toEqual({});
  expect(ownFacts({ details: ["odd"], links: "odd", amount: "7" })).toEqual({});
});

test("a call that a hook asks about stands in a question of Intray's own, and in none of a server", () => {
  const call = { program: "Claude Code", tool: "Bash", input: {} };
  const asked = { arguments: { call }, origin: "intray" as const, gate: null };
  expect(programCallOf(asked)).toBe(call);
  expect(programCallOf({ ...asked, origin: "server" })).toBeNull();
  expect(programCallOf({ ...asked, gate: { rule: null } })).toBeNull();
  expect(programCallOf({ ...asked, arguments: { call: "odd" } })).toBeNull();
  expect(programCallOf({ ...asked, arguments: {} })).toBeNull();
});
