/** A hook's request that is held open until people have decided, or its time is over. */

import type { Tx } from "../../base/db/db.ts";
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import type { AgentTaskRow } from "../../lifecycle/agent-calls/agent-call-reads.ts";
import { endedSchema } from "../../lifecycle/human-tasks/human-task-schema.ts";
import { hasEnded } from "../../tasks/task-status.ts";
import { isRecord } from "../../text/json.ts";
import { failureOf } from "../mcp/errors.ts";
import type { Held } from "../mcp/held/held-calls.ts";
import type { HeldStream } from "../mcp/held/stream.ts";
import type { Answers } from "./program.ts";

export class HeldHook implements Held {
  readonly taskId: string;
  readonly stream: HeldStream;
  /** A client can stop waiting only by closing the connection. */
  readonly name = null;
  readonly hasNoEnd = false;
  readonly #until: number;
  readonly #answers: Answers;
  readonly #deniedNow: DeniedNow;
  /** Why a rule denies what people approved; null: none does; undefined: it was not judged. */
  #denied: string | null | undefined;
  #url: string;

  /** `until`: in ms since the epoch. */
  constructor(taskId: string, until: number, answers: Answers, deniedNow: DeniedNow, stream: HeldStream) {
    this.taskId = taskId;
    this.stream = stream;
    this.#until = until;
    this.#answers = answers;
    this.#deniedNow = deniedNow;
    this.#url = `${env().url}/tasks/${taskId}`;
  }

  isOver(now: number): boolean {
    return now >= this.#until;
  }

  /**
   * Sends nothing before the answer. If the connection broke after the headers of a 200, the program could read an
   * empty answer, which decides nothing.
   */
  tick(): void {}

  async judgeLeave(tx: Tx, { state, result }: AgentTaskRow): Promise<void> {
    const said = state === "completed" ? endedSchema.safeParse(result).data?.structuredContent : undefined;
    this.#denied = said?.outcome === "answered" ? await this.#deniedNow(tx, changedIn(said.content)) : null;
  }

  answer(task: AgentTaskRow | null, now: number, isFirst: boolean): object | null {
    if (!task)
      return this.failure(new AppError("not_found", "The request for approval is not there any more."));
    if (!hasEnded(task.state)) {
      if (task.question) this.#url = `${env().url}/inbox/${task.question.id}`;
      return this.isOver(now) ? this.answerFromMemory() : null;
    }
    if (task.unopened) return this.isOver(now) ? this.answerFromMemory() : null;
    if (isFirst && this.#denied) return this.#answers.deny(this.#denied);
    return decided(task, this.#answers, isFirst && this.#denied !== undefined);
  }

  answerFromMemory(): object {
    return this.#answers.undecided(`Nobody has decided yet. It can be decided in Intray: ${this.#url}`);
  }

  givenUp(): object {
    return this.answerFromMemory();
  }

  failure(error: unknown): object {
    return this.#answers.deny(`Intray did not allow it. ${failureOf(error).message}`);
  }
}

/** Why a rule denies the call now, as it would be made; null: none does. */
type DeniedNow = (tx: Tx, changed: Record<string, unknown> | null) => Promise<string | null>;

function changedIn(content: Record<string, unknown> | undefined): Record<string, unknown> | null {
  return isRecord(content?.arguments) ? content.arguments : null;
}

/** What people decided, in the program's words. Everything but an approval that nobody was told before is a no. */
function decided(
  { state, result }: AgentTaskRow,
  { allow, deny, undecided }: Answers,
  isFirst: boolean,
): object {
  const ended = state === "completed" ? endedSchema.safeParse(result).data : undefined;
  if (!ended) return deny("The request for approval was cancelled in Intray.");
  const { outcome, by, comment = null, reason, revise, content } = ended.structuredContent;
  const who = by?.name ?? "Somebody";
  if (outcome === "answered" && !isFirst)
    return undecided(`${who} approved this call once, and the program was told. It needs another approval.`);
  if (outcome === "answered") {
    const input = changedIn(content);
    return allow({ reason: `${who} approved it ${input ? "with changes " : ""}in Intray.`, comment, input });
  }
  if (outcome === "expired") return deny("Nobody approved it in Intray in time.");
  if (revise) return deny(`${who} asks you to change it and to try again: ${reason}`);
  return deny(`${who} declined it in Intray${reason ? `: ${reason}` : "."}`);
}
