/**
 * Calls that programs make with their own tools, and ask about through their hooks: allowed or denied by a rule, or put to people
 * as an approval. Intray makes none of these calls, it says whether the program may.
 */
import { createHash } from "node:crypto";
import { agentOf, type Principal } from "../../access/principal.ts";
import { contentOf, openingWhatOpens } from "../../base/content/content-keys.ts";
import { storable, type Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import { appendEvents } from "../../history/events/event-writes.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { unreadableIn } from "../../mcp/forms/refuse-arguments.ts";
import { judgeProgramsCall } from "../../policy/call-rules/judge-call.ts";
import { labelFor, type ProgramCall, questionAbout } from "../../requests/words/program-call.ts";
import { withoutSecrets } from "../../text/foreign/secrets.ts";
import { type AgentCall, joinCall, recordCall } from "../agent-calls/agent-call-writes.ts";
import { endedSchema } from "../human-tasks/human-task-schema.ts";
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
 * Decides a call by the organization's rules, or asks people: a repeated call joins its task, unless a rule denies it now. An approval is
 * told once; the same call after it is asked about again. What a rule decided stands in the history before the program is told. Throws `invalid_arguments`,
 * `idempotency_mismatch` for an id that was used for another call, `too_large`, and `quota_exceeded`.
 */
export async function decideOrAsk(
  tx: Tx,
  principal: Principal,
  asked: AskedCall,
  expiresAt: Date,
): Promise<Decided> {
  refuseUnreadable(asked);
  const verdict = await judgeProgramsCall(tx, principal, { ...asked, arguments: asked.input });
  // Also of a call that people approved, or are asked about: the rule may be newer.
  if (verdict.before === "deny") {
    await record(tx, principal, asked, { isAllowed: false, rule: verdict.rule });
    return { kind: "denied", reason: verdict.words ?? "" };
  }
  const agentId = agentOf(principal) ?? "";
  let round = 0;
  let call = repeatable(asked, agentId, round);
  for (let earlier = await joinCall(tx, call); earlier; earlier = await joinCall(tx, call)) {
    if (!(await isSpent(tx, earlier))) return { kind: "asked", taskId: earlier };
    call = repeatable(asked, agentId, ++round);
  }
  if (verdict.before === "allow") {
    await record(tx, principal, asked, { isAllowed: true, rule: verdict.rule });
    return { kind: "allowed", reason: `Intray’s rule “${verdict.rule?.name}” allows it.` };
  }
  const again =
    round > 0 ? `${asked.program} was told of an earlier approval, and may have made this call.` : null;
  const why = [verdict.words, again].filter((words) => words !== null).join(" ") || null;
  const taskId = await ask(tx, principal, asked, { expiresAt, why });
  await recordCall(tx, call, taskId);
  return { kind: "asked", taskId };
}

/**
 * Says why a rule denies a call that people approved, at the time when the program is told: they may have read a call with masks, which
 * rules can't judge. Null: none does. `changed`: the input that a person wrote.
 */
export async function deniedNow(
  tx: Tx,
  principal: Principal,
  asked: AskedCall,
  changed: Record<string, unknown> | null,
): Promise<string | null> {
  const call = { ...asked, input: changed ?? asked.input };
  const verdict = await judgeProgramsCall(tx, principal, { ...call, arguments: call.input });
  if (verdict.before !== "deny") return null;
  await record(tx, principal, call, { isAllowed: false, rule: verdict.rule });
  return verdict.words ?? "";
}

/**
 * The call as its repetitions are told by: one with an id is the same call for ever, as long as the program tells the same of it that
 * people read. Two without one can't be told apart, so each is a call of its own: one approval never lets two pass.
 */
function repeatable(
  { program, tool, input, cwd, by, session, callId }: AskedCall,
  agentId: string,
  round: number,
): AgentCall {
  return {
    agentId,
    name: tool,
    target: null,
    arguments: { program, session, cwd, by, input },
    key:
      callId === null
        ? null
        : JSON.stringify(["hook", program, session, callId, ...(round > 0 ? [round] : [])]),
    isNew: callId === null,
    hasWaited: false,
  };
}

/** Refuses what nobody can be shown exactly: the program has more of it than we. */
function refuseUnreadable({ input, cwd }: AskedCall): void {
  const [unreadable] = unreadableIn(input);
  if (unreadable) throw new AppError("invalid_arguments", unreadable.message);
  if ((cwd?.length ?? 0) > CWD_CHARACTERS)
    throw new AppError("too_large", "The name of the directory is too long to be shown.");
}

/** Whether people approved the call, and the program was told. */
async function isSpent(tx: Tx, taskId: string): Promise<boolean> {
  const [told] = await openingWhatOpens(tx, "blank").$queryRaw<{ result: unknown }[]>`
    SELECT t.id AS "taskId", t.result FROM task t
      JOIN agent_call c ON c.organization_id = t.organization_id AND c.task_id = t.id AND c.sent_at IS NOT NULL
    WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${taskId}::uuid AND t.state = 'completed'`;
  if (!told) return false;
  const ended = endedSchema.safeParse(told.result);
  // One that can't be read may be an approval.
  return !ended.success || ended.data.structuredContent.outcome === "answered";
}

/** Most characters of an input, as JSON, that a person is asked to read. */
const INPUT_CHARACTERS = 128 * 1024;
/** As long as a path can be on Linux. */
const CWD_CHARACTERS = 4_096;
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
  const { shown, hidden } = withoutSecrets(input);
  const isMasked = hidden.length > 0;
  const call: ProgramCall = {
    program,
    tool: tool.slice(0, NAME_CHARACTERS),
    input: shown,
    isMasked,
    ...(isMasked && { hidden }),
    // A changed input would have the masks in place of the secrets.
    editable: takesChanges && !isMasked,
    cwd,
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
    // The policy judges the call as it would be made.
    { call, judged: { label: labelFor({ tool, input }), call: { ...call, input } } },
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
