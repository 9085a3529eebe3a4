import { expect, test } from "vitest";
import { describeEvent } from "../../web/words/activity-words.ts";
import { groupChanges, groupChangeTitle } from "./group-words.ts";

const ben = { id: "1", name: "Ben" };
const cleo = { id: "2", name: "Cleo" };

test("whoever approves a change of a group reads all of it", () => {
  const change = { what: "change", name: "Money", was: "Finance", added: [ben, cleo], removed: [] };
  expect(groupChangeTitle(change)).toBe("rename the group “Finance” to “Money”");
  expect(groupChanges(change)).toBe("Added: “Ben”, “Cleo”");
  expect(groupChangeTitle({ ...change, was: null })).toBe("change the group “Money”");
  expect(groupChangeTitle({ ...change, what: "create", was: null })).toBe("make the group “Money”");
  expect(groupChangeTitle({ ...change, what: "delete", was: null })).toBe("delete the group “Money”");
  expect(groupChanges({ what: "change", added: [], removed: [cleo] })).toBe("Removed: “Cleo”");
});

test("neither a name nor a group reads as another one", () => {
  const change = { what: "change", name: "Leads” to “x", was: null, removed: [] };
  expect(groupChangeTitle(change)).toBe('change the group "Leads\\u201d to \\u201cx"');
  const added = [
    { ...cleo, email: "cleo@acme.example" },
    { ...cleo, email: "mallory@acme.example" },
    { ...ben, name: "Ben, Cleo", email: null },
    { ...ben, name: "Ben” (ben@acme.example), “Dora" },
  ];
  expect(groupChanges({ ...change, added })).toBe(
    'Added: “Cleo” (cleo@acme.example), “Cleo” (mallory@acme.example), “Ben, Cleo”, "Ben\\u201d (ben@acme.example), \\u201cDora"',
  );
});

const told = (type: string, data: object) => {
  const { text, quote } = describeEvent({
    type,
    actor: { kind: "member", id: "9", name: "Ada" },
    data,
  } as never);
  return [text, quote];
};

test("the history says who came and went, and who proposed it", () => {
  const data = { groupId: "g", name: "Money", added: [ben], removed: [cleo] };
  expect(told("group.changed", { ...data, was: "Finance", proposedBy: "Otto" })).toEqual([
    "Ada changed the group “Money”",
    "Was “Finance”\nAdded: “Ben”\nRemoved: “Cleo”\nProposed by Otto",
  ]);
  expect(told("group.created", { ...data, removed: [] })).toEqual([
    "Ada made the group “Money”",
    "Added: “Ben”",
  ]);
  const group = { id: "g", what: "delete", name: "Money", was: null, added: [], removed: [cleo] };
  expect(told("policy.proposed", { proposalId: "p", group })).toEqual([
    "Ada proposed to delete the group “Money”",
    "Removed: “Cleo”",
  ]);
  const ended = (as: string, proposedBy: string) =>
    told("policy.proposal_ended", { as, proposedBy, group: { name: "Money" } })[0];
  expect([ended("withdrawn", "Otto"), ended("overtaken", "Otto"), ended("replaced", "Ada")]).toEqual([
    "Ada withdrew the change of the group “Money” that Otto proposed",
    "The change of the group “Money” that Otto proposed was replaced by another proposal",
    "Ada proposed something else for the group “Money” instead",
  ]);
});
