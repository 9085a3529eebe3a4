/** A policy while somebody edits it: the form of one, with whatever is filled in so far. Pure. */
import { z } from "zod";

const approvers = z.looseObject({
  roles: z.array(z.string()).optional(),
  groups: z.array(z.string()).optional(),
  people: z.array(z.string()).optional(),
});
const stage = z.looseObject({
  name: z.string().optional(),
  approvers: approvers.optional(),
  need: z.number().optional(),
  rejections: z.number().optional(),
  stepUp: z.boolean().optional(),
  requireReason: z.array(z.string()).optional(),
  remind: z.array(z.string()).optional(),
  escalate: z.looseObject({ after: z.string().optional(), to: approvers.optional() }).nullish(),
});
// biome-ignore lint/suspicious/noThenProperty: the policy's own word, and no function.
const end = z.looseObject({ after: z.string().optional(), then: z.string().optional() });
const rule = z.looseObject({
  name: z.string().optional(),
  when: z.string().nullish(),
  stages: z.array(stage).optional(),
  requester: z.string().optional(),
  due: z.string().nullish(),
  expire: end.nullish(),
});
const automatic = z.looseObject({
  name: z.string().optional(),
  when: z.string().optional(),
  answer: z
    .looseObject({ action: z.string().optional(), content: z.record(z.string(), z.unknown()).optional() })
    .optional(),
  mode: z.string().optional(),
  dailyCap: z.number().optional(),
  sample: z.number().optional(),
});
const policyCase = z.looseObject({
  name: z.string().optional(),
  request: z.record(z.string(), z.unknown()).optional(),
  expect: z.looseObject({ rule: z.string().nullish(), stages: z.array(z.string()).optional() }).optional(),
});
const draftSchema = z.looseObject({
  // Goes beside a policy that is saved, and is typed for that alone.
  acknowledge: z.never("acknowledge is no part of a policy").optional(),
  groups: z.record(z.string(), z.array(z.string())).optional(),
  rules: z.array(rule).optional(),
  automatic: z.array(automatic).optional(),
  tests: z.array(policyCase).optional(),
});

export type Draft = z.infer<typeof draftSchema>;
export type DraftApprovers = z.infer<typeof approvers>;
export type DraftStage = z.infer<typeof stage>;
export type DraftRule = z.infer<typeof rule>;
export type DraftAutomatic = z.infer<typeof automatic>;
export type DraftCase = z.infer<typeof policyCase>;

/** Returns the draft, or what of the value a form can't show. What it doesn't know stays in it. */
export function readDraft(
  value: unknown,
): { draft: Draft } | { problem: { field: string; message: string } } {
  const parsed = draftSchema.safeParse(value);
  if (parsed.success) return { draft: parsed.data };
  const [{ path, message } = { path: [], message: "" }] = parsed.error.issues;
  return { problem: { field: path.join("."), message } };
}

/** The order in which properties are written; others follow. */
const ORDER = [
  ...["version", "roles", "groups", "rules", "automatic", "tests"],
  ...["name", "when", "rule", "stages", "requester", "due", "expire", "answer", "mode", "dailyCap", "sample"],
  ...[
    "request",
    "expect",
    "approvers",
    "need",
    "rejections",
    "stepUp",
    "requireReason",
    "remind",
    "escalate",
  ],
  ...["people", "after", "to", "then", "action", "content"],
];

/** The object with other values of some properties; those that are undefined are left out. */
export function changed<T extends object>(object: T, change: { [K in keyof T]?: T[K] | undefined }): T {
  const entries = Object.entries({ ...object, ...change }).filter(([, value]) => value !== undefined);
  const place = (name: string) => (ORDER.includes(name) ? ORDER.indexOf(name) : ORDER.length);
  return Object.fromEntries(entries.toSorted(([one], [other]) => place(one) - place(other))) as T;
}

/** The list, or undefined where nothing is in it. */
export function some<T>(list: T[]): T[] | undefined {
  return list.length > 0 ? list : undefined;
}

export const replacedAt = <T>(list: T[], at: number, item: T): T[] =>
  list.map((each, index) => (index === at ? item : each));

export const insertedAt = <T>(list: T[], at: number, item: T): T[] => list.toSpliced(at, 0, item);

export const removedAt = <T>(list: T[], at: number): T[] => list.toSpliced(at, 1);

export function moved<T>(list: T[], at: number, by: -1 | 1): T[] {
  const item = list[at];
  const to = at + by;
  if (item === undefined || to < 0 || to >= list.length) return list;
  return insertedAt(removedAt(list, at), to, item);
}

/** The name with a number after it, where another thing has it already. */
export function unusedName(name: string, names: (string | undefined)[]): string {
  if (!names.includes(name)) return name;
  for (let number = 2; ; number++) if (!names.includes(`${name} ${number}`)) return `${name} ${number}`;
}

/** The names that stand for a group in the draft: its own, and the organization's that a stage names. */
export function namesOfGroups({ groups = {}, rules = [] }: Draft): string[] {
  const stages = rules.flatMap(({ stages: list = [] }) => list);
  const named = stages.flatMap(({ approvers, escalate }) => [approvers, escalate?.to]);
  return [...new Set([...Object.keys(groups), ...named.flatMap((approvers) => approvers?.groups ?? [])])];
}

/** What stages and tests that name the group or rule say once it has another name. */
export function withGroupRenamed(draft: Draft, from: string, to: string): Draft {
  const renamed = (approvers: DraftApprovers | undefined) =>
    approvers?.groups &&
    changed(approvers, { groups: approvers.groups.map((name) => (name === from ? to : name)) });
  return changed(draft, {
    groups: Object.fromEntries(
      Object.entries(draft.groups ?? {}).map(([name, people]) => [name === from ? to : name, people]),
    ),
    rules: draft.rules?.map((each) =>
      changed(each, {
        stages: each.stages?.map((stage) =>
          changed(stage, {
            approvers: renamed(stage.approvers) ?? stage.approvers,
            escalate:
              stage.escalate &&
              changed(stage.escalate, { to: renamed(stage.escalate.to) ?? stage.escalate.to }),
          }),
        ),
      }),
    ),
  });
}

/** `Finance: 2 of group finance, then CFO: 1 of group cfo` */
export function stagesInWords(stages: DraftStage[]): string {
  if (stages.length === 0) return "No stage";
  return stages.map(({ name, need }) => `${need ?? 1} of ${name || "a stage"}`).join(", then ");
}
