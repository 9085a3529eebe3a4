/**
 * A skill for agents, "how to ask a person well", served by the Skills extension of MCP 2026-07-28 (SEP-2640): it is listed with
 * its digest, and read as a resource. The same text is for every organization.
 */
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import {
  SKILLS_EXTENSION_ID,
  SKILLS_GET_METHOD,
  SKILLS_LIST_METHOD,
  type Skill,
  skillEntry,
} from "@modelcontextprotocol/server/ext/skills";
import { z } from "zod";
import { parse } from "./tasks.ts";

const NAME = "ask-a-person";
const DESCRIPTION =
  "How to ask people for approvals and answers through Intray, how to wait for them, and what to do with what they say. Use it before an action that a person has to approve, when only a person knows something, and when a call says that it has not finished.";

const TEXT = `---
name: ${NAME}
description: ${DESCRIPTION}
---

# Ask a person through Intray

## When to ask

- Call \`request_approval\` before an action that is hard to undo, that costs money, or that you were told to have approved.
- Call \`ask_person\` when only a person knows the fact or may make the choice.
- Do not ask what you can find out yourself. Ask once for one matter.

## What to write

- People may not know your conversation. They decide by what the request says.
- \`action\` is one sentence that says what will happen: "Pay invoice 4711 of Nordwind, 1,250.00 EUR".
- Give \`amount\` and \`currency\` if money moves, and as \`details\` the facts that a person has to check. Never send secrets.
- \`message\` of \`ask_person\` is one question with one meaning. If there are few possible answers, give a \`form\` with choices.
- Give \`to\` only if you were told whom to ask. Give \`expiresAt\` if a later answer is of no use.

## While nobody has answered

- A result with a \`taskId\` says that the call goes on. Do not call the tool again for it. Call \`wait_for_task\` with that \`taskId\`.
- The task lasts. You may do other work first, or stop and come back. \`list_tasks\` shows what you have started.

## What to do with the answer

- Only the outcome \`answered\` is an approval. Do what was approved, and nothing else. If a person changed the call, their changes count.
- \`declined\`: do not do it, and do not ask the same again. Read \`reason\`.
- \`declined\` with \`revise: true\`: change the request as \`reason\` says, and call the tool again.
- \`expired\`: nobody answered in time. That is a no.
- If the result says that the call may have run, do not repeat it. Tell the person you work for.
`;

const mimeType = "text/markdown";
const RESOURCE = { name: NAME, description: DESCRIPTION, mimeType };
const entry: Promise<Skill> = skillEntry(NAME, { "SKILL.md": TEXT });

/** What `capabilities` says of it. */
export const SKILL_CAPABILITIES = { resources: {}, extensions: { [SKILLS_EXTENSION_ID]: {} } };

const uriParams = z.looseObject({ uri: z.string().max(500) });
/** The text changes only with Intray's version. */
const CACHED = { ttlMs: 300_000, cacheScope: "public" };

const ANSWERS = new Map<string, (skill: Skill, params: unknown) => object>([
  [SKILLS_LIST_METHOD, (skill) => ({ skills: [skill] })],
  [SKILLS_GET_METHOD, (skill, params) => ({ skill: named(skill, params) })],
  ["resources/list", ({ uri }) => ({ resources: [{ uri, ...RESOURCE }] })],
  ["resources/templates/list", () => ({ resourceTemplates: [] })],
  [
    "resources/read",
    (skill, params) => ({ contents: [{ uri: named(skill, params).uri, mimeType, text: TEXT }] }),
  ],
]);

export const SKILL_METHODS = [...ANSWERS.keys()];

/** Returns the answer to one of `SKILL_METHODS`; null for any other method. */
export async function skillMethod(method: string, params: unknown): Promise<object | null> {
  const answer = ANSWERS.get(method);
  return answer ? { resultType: "complete", ...CACHED, ...answer(await entry, params) } : null;
}

/** Throws -32602 where the URI is not the skill's. */
function named(skill: Skill, params: unknown): Skill {
  const { uri } = parse(uriParams, params);
  if (uri === skill.uri) return skill;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, "No such resource.", { uri });
}
