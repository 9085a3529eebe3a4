/** Judges a call that is about to be started, in the transaction that starts it. */
import { agentOf, type Principal } from "../../access/principal.ts";
import type { Before } from "../../agents/agent-schema.ts";
import { grantOf } from "../../agents/grants.ts";
import type { Tx } from "../../base/db/db.ts";
import { AppError } from "../../base/errors.ts";
import type { Tool } from "../../mcp/peer.ts";
import { namedInQuotes } from "../../text/foreign/quoted.ts";
import { readRulesFor, readRulesInForce } from "./call-rule-reads.ts";
import type { Verdict } from "./call-rule-schema.ts";
import { verdictWords } from "./call-rule-words.ts";
import { judge } from "./judge.ts";

/** How long an approval in front of a call may take: what was asked on a Friday evening can be approved on Monday. */
const APPROVAL_MS = 72 * 3_600_000;

export interface CallToJudge {
  serverId: string;
  tool: Tool;
  arguments: Record<string, unknown>;
}

/** An approval that a person gives before the call is made. */
export interface ApprovalWanted {
  rule: { name: string; version: number; before: Before } | null;
  message: string;
  expiresAt: Date;
  /** Why it is asked for. */
  why: Verdict["why"];
}

/**
 * Returns the approval that has to come before the call, or null if it may be made at once. Throws `denied_by_rule`, also for
 * an agent that is not granted the tool. Whatever makes a task that calls a tool goes through here: `gateOf()` for starts,
 * restarts, races and bulk operations, `queueRetry()` for the next attempt at a failed call. So does an approval of a waiting call.
 */
export async function judgeCall(
  tx: Tx,
  principal: Pick<Principal, "actor" | "role">,
  { serverId, tool, arguments: args }: CallToJudge,
): Promise<ApprovalWanted | null> {
  const agentId = agentOf(principal);
  const grant = agentId === null ? null : await grantOf(tx, agentId, serverId, tool);
  if (agentId !== null && !grant)
    throw new AppError("denied_by_rule", "The agent is not granted this tool.", { extra: { rule: null } });
  const { serverName, ...rules } = await readRulesFor(tx, serverId);
  const now = new Date();
  const server = { id: serverId, name: serverName };
  const verdict = judge(rules, { server, tool, arguments: args, requester: principal, now }, grant);
  if (verdict.before === "allow") return null;
  if (verdict.before === "deny")
    throw new AppError("denied_by_rule", `${verdictWords(verdict)} It was not made.`, {
      extra: { rule: verdict.rule },
    });
  return {
    rule: verdict.rule && { ...verdict.rule, before: verdict.before },
    // By its name: a title is the server's own words, and this is asked in Intray's.
    message: `Allow this call of ${namedInQuotes(tool.name)} on ${namedInQuotes(serverName)}? ${verdictWords(verdict)}`,
    expiresAt: new Date(now.getTime() + APPROVAL_MS),
    why: verdict.why,
  };
}

/** A call that a program makes with its own tools. */
export interface ProgramsCall {
  /** In Intray's words, such as `Claude Code`: for conditions the name of the server. */
  program: string;
  /** As the program calls it, also of a server's tool: `Bash`, `mcp__github__create_issue`. */
  tool: string;
  arguments: Record<string, unknown>;
}

/** What the program itself says of its tools and servers is not believed: a tool may do anything, and no server is named. */
const ASKS = { before: "ask", changed: false } as const;

/**
 * Judges a call that a program makes with its own tools. Without a rule it requires approval. `words`: why, where a rule says
 * so; null: no rule does.
 */
export async function judgeProgramsCall(
  tx: Tx,
  requester: Pick<Principal, "actor" | "role">,
  { program, tool, arguments: args }: ProgramsCall,
): Promise<Verdict & { words: string | null }> {
  const call = {
    server: { id: "", name: program },
    tool: { name: tool, title: null, annotations: null },
    arguments: args,
    requester,
    now: new Date(),
    isPrograms: true,
  };
  const verdict = judge(await readRulesInForce(tx), call, ASKS);
  return { ...verdict, words: verdict.rule && verdictWords(verdict) };
}
