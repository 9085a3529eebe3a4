/**
 * Calls that programs make with their own tools, and ask about through their hooks: allowed or denied by a rule, or put to people
 * as an approval. Intray makes none of these calls, it says whether the program may.
 */
import { createHash } from "node:crypto";
import { agentOf, type Principal } from "../../access/principal.ts";
import { contentOf } from "../../base/content/content-keys.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { judgeProgramsCall } from "../../policy/call-rules/judge-call.ts";
import { labelFor, type ProgramCall, questionAbout } from "../../requests/words/program-call.ts";
import { valueWithoutSecrets } from "../../text/foreign/secrets.ts";
import { type AgentCall, joinCall, recordCall } from "../agent-calls/agent-call-writes.ts";
import { createHumanTask } from "../human-tasks/human-task-writes.ts";

/** A call as a program's hook tells it. */
export interface AskedCall {
  /** In Intray's words. */
  program: string;
  /** As the program calls it. */
  tool: string;
  input: Record<string, unknown>;
  cwd: string | null;
  session: string;
  /** By which the program names the call within its session; null: it names none. */
  callId: string | null;
  /** The helper within the program that makes the call. */
  by: string | null;
  /** Whether the program makes the call with another input, where a person changes it. */
  takesChanges: boolean;
}

/** `asked`: people are, or were; the task tells what they said. */
export type Decided =
  | { kind: "allowed"; reason: string }
  | { kind: "denied"; reason: string }
  | { kind: "asked"; taskId: string };

/**
 * Decides a call by the organization's rules, or asks people, once: a repeated call joins its task. What a rule decided stands in
 * the history before the program is told. Throws `idempotency_mismatch` for an id that was used with another input,
 * `too_large`, and `quota_exceeded`.
 */
export async function decideOrAsk(
  tx: Tx,
  principal: Principal,
  asked: AskedCall,
  expiresAt: Date,
): Promise<Decided> {
  const call = repeatable(asked, agentOf(principal) ?? "");
  const earlier = await joinCall(tx, call);
  if (earlier) return { kind: "asked", taskId: earlier };
  const verdict = await judgeProgramsCall(tx, principal, { ...asked, arguments: asked.input });
  if (verdict.before !== "ask") {
    const isAllowed = verdict.before === "allow";
    await record(tx, principal, asked, { isAllowed, rule: verdict.rule });
    const words = verdict.words ?? "";
    return isAllowed
      ? { kind: "allowed", reason: `Intray's rule “${verdict.rule?.name}” allows it.` }
      : { kind: "denied", reason: words };
  }
  const taskId = await ask(tx, principal, asked, { expiresAt, why: verdict.words });
  await recordCall(tx, call, taskId);
  return { kind: "asked", taskId };
}

/**
 * The call as its repetitions are told by: one with an id is the same call for ever. Two without one can't be told apart, so each
 * is a call of its own: one approval never lets two pass.
 */
function repeatable({ program, tool, input, session, callId }: AskedCall, agentId: string): AgentCall {
  return {
    agentId,
    name: tool,
    target: null,
    arguments: { program, session, input },
    key: callId === null ? null : JSON.stringify(["hook", program, session, callId]),
    isNew: callId === null,
    hasWaited: false,
  };
}

/** Most characters of an input, as JSON, that a person is asked to read. */
const INPUT_CHARACTERS = 128 * 1024;
const CWD_CHARACTERS = 1_000;
const NAME_CHARACTERS = 200;
/** Tells sessions apart. The whole id would be taken for that of a task. */
const SESSION_CHARACTERS = 8;

async function ask(
  tx: Tx,
  principal: Principal,
  { program, tool, input, cwd, session, by, takesChanges }: AskedCall,
  { expiresAt, why }: { expiresAt: Date; why: string | null },
): Promise<string> {
  if (JSON.stringify(input).length > INPUT_CHARACTERS)
    throw new AppError(
      "too_large",
      `Nobody can be asked about a call of more than ${INPUT_CHARACTERS / 1024} KiB. Make it in parts.`,
    );
  const shown = valueWithoutSecrets(input) as Record<string, unknown>;
  const isMasked = JSON.stringify(shown) !== JSON.stringify(input);
  const call: ProgramCall = {
    program,
    tool: tool.slice(0, NAME_CHARACTERS),
    input: shown,
    isMasked,
    // A changed input would have the masks in place of the secrets.
    editable: takesChanges && !isMasked,
    cwd: cwd?.slice(0, CWD_CHARACTERS) ?? null,
    session: session.slice(0, SESSION_CHARACTERS),
    by: by?.slice(0, NAME_CHARACTERS) ?? null,
    why,
  };
  const { taskId } = await createHumanTask(
    tx,
    principal,
    {
      tool: "request_approval",
      arguments: { action: questionAbout(call), label: labelFor(call), expiresAt: expiresAt.toISOString() },
    },
    { call },
  );
  return taskId;
}

/** The history names the tool, and a digest of the input in place of it. */
async function record(
  tx: Tx,
  { actor }: Principal,
  { program, tool, input, session }: AskedCall,
  { isAllowed, rule }: { isAllowed: boolean; rule: { name: string; version: number } | null },
): Promise<void> {
  const digest = createHash("sha256").update(canonicalJson({ tool, input })).digest("hex");
  const data = {
    agentId: agentOf({ actor }),
    program,
    tool: tool.slice(0, NAME_CHARACTERS),
    session: session.slice(0, SESSION_CHARACTERS),
    rule: rule?.name ?? null,
    version: rule?.version ?? null,
    inputDigest: contentOf(tx).hash(digest),
  };
  const type = isAllowed ? "agent.call_allowed" : "agent.call_denied";
  await appendEvents(tx, [{ type, actor, data: storable(data) as Record<string, unknown> }]);
}
