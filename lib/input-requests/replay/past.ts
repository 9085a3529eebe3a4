/** What people had decided before a request was asked: `similar`, as it would have been then. Pure. */
import type { Similar } from "../../policy/automatic/facts.ts";
import { type Decided, isLike, keyFigures, repeatOf, wasLetThrough } from "../similar/likeness.ts";
import { LOOKED_AT } from "../similar/similar.ts";
import type { PastRequest } from "./read.ts";

interface PastDecision extends Decided {
  taskId: string;
  /** Mode and names of fields: a tool may ask several questions, and others can't be compared. */
  question: string;
  decidedAt: number;
}

/** Requests are added in the order in which they were asked. */
export class PastDecisions {
  #byTool = new Map<string, PastDecision[]>();

  /** Whether the decisions of its server and tool were begun. */
  has({ server, tool }: Pick<PastRequest, "server" | "tool">): boolean {
    return this.#byTool.has(toolKey(server.id, tool));
  }

  /** Begins the decisions of its server and tool. */
  begin({ server, tool }: Pick<PastRequest, "server" | "tool">): void {
    this.#byTool.set(toolKey(server.id, tool), []);
  }

  /** What was known when the request was asked: decisions that came later, or of its own task, don't count. */
  similarTo(request: PastRequest): Similar {
    const asked = toDecided(request);
    const now = request.askedAt;
    const all = this.#byTool.get(toolKey(request.server.id, request.tool)) ?? [];
    const similar = { accepted: 0, declined: 0, repeats: false };
    let looked = 0;
    for (let at = all.length - 1; at >= 0 && looked < LOOKED_AT; at--) {
      const each = all[at]!;
      if (each.decidedAt >= now.getTime()) continue;
      looked++;
      if (each.taskId === request.taskId || each.question !== asked.question) continue;
      if (isLike(asked, each)) similar[each.isLetThrough ? "accepted" : "declined"]++;
      similar.repeats ||= repeatOf(asked, each, now) !== null;
    }
    return similar;
  }

  add(request: PastRequest): void {
    this.#byTool.get(toolKey(request.server.id, request.tool))?.push(toDecided(request));
  }
}

const toolKey = (serverId: string, tool: string) => `${serverId} ${tool}`;

function toDecided({ taskId, mode, form, label, amount, answer, ...request }: PastRequest): PastDecision {
  const names = form.kind === "supported" ? form.fields.map(({ name }) => name) : [];
  const given = { ...answer, comment: null, words: "", at: answer.at.toISOString() };
  return {
    ...keyFigures(request.hasLongArguments ? {} : request.arguments, { label, amount }),
    taskId,
    question: JSON.stringify([mode, names]),
    decidedAt: answer.at.getTime(),
    isLetThrough: wasLetThrough(given, form),
    answer: given,
  };
}
