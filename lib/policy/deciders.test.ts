import { expect, test } from "vitest";
import { busiestTurn, MOST_HELD_MS } from "../../test/guards/busiest-turn.ts";
import { type Absence, type Approver, decidersOf } from "./deciders.ts";
import { policyInputSchema } from "./policy-schema.ts";

const APPROVERS: Approver[] = [
  { id: "ana", name: "Ana", role: "owner" },
  { id: "ben", name: "Ben", role: "approver" },
  { id: "cleo", name: "Cleo", role: "approver" },
  { id: "dora", name: "Dora", role: "operator" },
];

function decide(stage: object, { rule = {}, absences = [] }: { rule?: object; absences?: Absence[] } = {}) {
  const policy = policyInputSchema.parse({
    groups: { finance: ["ben@x", "cleo@x", "gone@x"] },
    rules: [{ name: "All", stages: [{ name: "One", ...stage }], ...rule }],
  });
  const people = { "ben@x": "ben", "cleo@x": "cleo", "gone@x": "gone", "dora@x": "dora" };
  return decidersOf({ policy, people }, { board: ["dora", "left"] }, APPROVERS, absences)[0]!.stages[0]!;
}

const away = (person: string, standIns: string[], scope: Absence["scope"] = null): Absence => ({
  ...{ person, until: "2026-12-01T00:00:00.000Z", scope },
  standIns: standIns.map((id) => ({ id, name: id, scopes: [scope] })),
});
const finance = { approvers: { groups: ["finance"] } };

test("who could vote are members in the roles, groups and addresses of a stage, each once", () => {
  const stage = decide({
    approvers: { roles: ["owner", "approver"], groups: ["finance"], people: ["dora@x"] },
  });
  expect(stage.people.map(({ id }) => id)).toEqual(["ana", "ben", "cleo", "dora"]);
  const { people } = decide({ approvers: { groups: ["finance", "board"] } });
  expect(people.map(({ id }) => id)).toEqual(["ben", "cleo", "dora"]);
});

test("whoever is asked later is named besides, without those who are asked anyway", () => {
  const to = { roles: ["owner"], groups: ["finance"] };
  const { later } = decide({ ...finance, escalate: { after: "2d", to } });
  expect(later).toMatchObject({ after: "2d", people: [{ id: "ana" }] });
});

test.each<[string, object, { rule?: object; absences?: Absence[] }, string | null]>([
  ["enough people", { ...finance, need: 1 }, {}, null],
  ["more needed than there are", { ...finance, need: 3 }, {}, "too_few"],
  ["nobody to spare", { ...finance, need: 2 }, {}, "no_spare"],
  [
    "nobody to spare, and whoever asks may vote",
    { ...finance, need: 2 },
    { rule: { requester: "allowed" } },
    null,
  ],
  ["one away without a delegate", { ...finance, need: 2 }, { absences: [away("ben", [])] }, "too_few_now"],
  [
    "one away, for whom somebody else votes",
    { ...finance, need: 2 },
    { absences: [away("ben", ["dora"])] },
    "no_spare",
  ],
  [
    "one away, for whom another voter votes",
    { ...finance, need: 2 },
    { absences: [away("ben", ["cleo"])] },
    "too_few_now",
  ],
  [
    "two away, for whom the same one votes",
    { ...finance, need: 2 },
    { absences: [away("ben", ["dora"]), away("cleo", ["dora"])] },
    "too_few_now",
  ],
  ["one away of two where one is needed", finance, { absences: [away("ben", [])] }, null],
  [
    "one away from some servers",
    { ...finance, need: 2 },
    { absences: [away("ben", [], { servers: ["Other"] })] },
    "no_spare",
  ],
  [
    "one away from another rule",
    { ...finance, need: 2 },
    { absences: [away("ben", [], { rules: ["B"] })] },
    "no_spare",
  ],
  [
    "one away from this rule",
    { ...finance, need: 2 },
    { absences: [away("ben", [], { rules: ["All"] })] },
    "too_few_now",
  ],
])("%s", (_name, stage, more, warning) => {
  expect(decide(stage, more).warning).toBe(warning);
});

test("an absence says until when, for how much, and who stands in", () => {
  const said = (scope: Absence["scope"]) =>
    decide(finance, { absences: [away("ben", ["dora"], scope)] }).people[0]!;
  expect(said(null).away).toEqual({ until: "2026-12-01T00:00:00.000Z", partly: false, standIns: ["dora"] });
  expect(said({ tools: ["pay"] }).away).toMatchObject({ partly: true, standIns: ["dora"] });
  expect(said({ rules: ["B"] }).away).toBeNull();
});

test("many stages of large groups hold nobody up", async () => {
  const approvers = Array.from({ length: 200 }, (_, n) => ({ id: `${n}`, name: `${n}`, role: "approver" }));
  const ids = approvers.map(({ id }) => id);
  const inGroups = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`group ${n}`, ids]));
  const groups = (from: number) => Array.from({ length: 50 }, (_, n) => `group ${(from + n) % 500}`);
  const stages = (rule: number) =>
    Array.from({ length: 10 }, (_, n) => ({
      name: `${n}`,
      approvers: { groups: groups(50 * rule) },
      escalate: { after: "1h", to: { groups: groups(50 * rule + 25) } },
    }));
  const rules = Array.from({ length: 10 }, (_, n) => ({ name: `rule ${n}`, stages: stages(n) }));
  const policy = policyInputSchema.parse({ rules });
  const find = async () =>
    decidersOf({ policy, people: {} }, inGroups, approvers, [])[9]!.stages[9]!.people.length;
  expect(await find()).toBe(200);
  expect(await busiestTurn(find)).toBeLessThan(MOST_HELD_MS / 5);
});
