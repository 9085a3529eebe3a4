/** Plans what agents call, and which approvals rivals want to use. */
import { createHash } from "node:crypto";
import type { Era } from "../../../lib/mcp/peer.ts";
import { invoiceNameOf, planInvoice } from "../invoices.ts";
import { between, randomFor } from "../random.ts";

/** `coder` may call at once; each call of `clerk` requires approval. */
export const AGENTS = {
  coder: { before: "allow", holdMs: 3_000 },
  clerk: { before: "ask", holdMs: 8_000 },
} as const;
export type AgentName = keyof typeof AGENTS;

export interface CallPlan {
  at: number;
  /** Each makes the call as its own: two agents with the same arguments share nothing. */
  agents: AgentName[];
  startAtMs: number;
  tool: "process_invoice" | "request_approval";
  arguments: Record<string, unknown>;
  era: Era;
  /** `held`: the call stays open. `task`: the client takes a task for an answer. */
  style: "held" | "task";
  /**
   * Where the client runs. `process`: in one of its own that is killed, so that its calls carry a key. `run`: in the run's
   * process, with calls that no key names.
   */
  client: "run" | "process";
  /** How a held client goes on: the same call again, wait_for_task, or its stream's last event. */
  comesBack: "call" | "wait" | "resume";
  tellsProgress: boolean;
  /** The client hangs up after each of these times, and calls again. Nobody answers its questions before the last one. */
  hangUpsMs: number[];
  /** Another agent asks for its task. */
  hasStranger: boolean;
}

const WHO: AgentName[][] = [["coder"], ["clerk"], ["coder"], ["clerk"], ["coder", "clerk"]];
const BACK = ["call", "wait", "resume"] as const;

/** Plans `count` calls, numbered from `first`, with starts over `durationMs`. Every kind of client comes up in turn. */
export function planCalls(seed: number, first: number, count: number, durationMs: number): CallPlan[] {
  return Array.from({ length: count }, (_, nth) => {
    const at = first + nth;
    const random = randomFor(seed, "agent call", at);
    const client = nth % 2 === 0 ? "run" : "process";
    const style = (nth >> 2) % 2 === 0 ? "held" : "task";
    const hangUps = client === "run" ? Math.floor(random() * 3) : 0;
    const [least, most] = style === "held" ? [100, 4_000] : [0, 60];
    const tool = nth % 7 > 4 ? "request_approval" : "process_invoice";
    return {
      at,
      agents: WHO[nth % WHO.length] as AgentName[],
      startAtMs: ((nth + random()) / count) * durationMs,
      tool,
      arguments:
        tool === "process_invoice"
          ? planInvoice(seed, at, count, durationMs).arguments
          : { action: `Release ${invoiceNameOf(seed, at)}` },
      era: (nth >> 1) % 2 === 0 ? "2025-11-25" : "2026-07-28",
      style,
      client,
      comesBack: BACK[Math.floor(random() * BACK.length)] as CallPlan["comesBack"],
      tellsProgress: random() < 0.5,
      hangUpsMs: Array.from({ length: hangUps }, () => Math.round(between(random, least, most))),
      hasStranger: client === "run" && random() < 0.5,
    };
  });
}

/** An approval, bound to a call, that two programs want to use. */
export interface ApprovalPlan {
  at: number;
  startAtMs: number;
  message: string;
  argumentsDigest: string;
  /** The first rival hangs up this long after its first try, and tries again. */
  hangUpMs: number;
}

export function planApprovals(
  seed: number,
  first: number,
  count: number,
  durationMs: number,
): ApprovalPlan[] {
  return Array.from({ length: count }, (_, nth) => {
    const at = first + nth;
    const random = randomFor(seed, "approval", at);
    const message = `Deploy ${invoiceNameOf(seed, at)}`;
    return {
      at,
      startAtMs: ((nth + random()) / count) * durationMs,
      message,
      argumentsDigest: createHash("sha256").update(message).digest("hex"),
      hangUpMs: Math.round(between(random, 1, 60)),
    };
  });
}
