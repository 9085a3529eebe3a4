/** Programs without MCP: they ask for an approval of one call, and two rivals want to use it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, Gone, unlessGone } from "../api.ts";
import type { ApprovalPlan } from "./plan.ts";

/** What came of a rival's wish to use an approval. */
export interface Use {
  rival: string;
  /** `used`: it was told so. */
  outcome: "used" | "refused";
  /** Why not. */
  reason: string | null;
  /** Who had used it, if somebody had. */
  by: string | null;
  /** Tries of which it heard nothing: one of them may have counted. */
  unheard: number;
}

export interface Approval {
  at: number;
  requestId: string;
  taskId: string;
  argumentsDigest: string;
  /** After it was decided, for the arguments that were shown. */
  uses: Use[];
  /** For other arguments. */
  strange: Use;
}

export interface ApprovalOptions {
  api: Api;
  seed: number;
  /** The name and the API key of each. */
  rivals: [Rival, Rival];
  plans: ApprovalPlan[];
  /** Called when a rival uses an approval. */
  onUse(): void;
  /** The database may forget its last moments. */
  mayForget: boolean;
  /** Ends the run. */
  signal: AbortSignal;
}

export interface Rival {
  name: string;
  key: string;
}

/** Asks for each approval at its time. Resolves when the rivals have come to their ends with all of them. */
export async function consumeApprovals(approvals: Approval[], options: ApprovalOptions): Promise<void> {
  const begin = performance.now();
  const all = options.plans.map(async (plan) => {
    await sleep(Math.max(0, plan.startAtMs - (performance.now() - begin)), undefined, {
      signal: options.signal,
    });
    await consumeApproval(options, plan).then(
      (approval) => approvals.push(approval),
      (error: unknown) => unlessGone(options.mayForget, error),
    );
  });
  await Promise.all(all);
}

async function consumeApproval(options: ApprovalOptions, plan: ApprovalPlan): Promise<Approval> {
  const { api, seed, rivals } = options;
  const { at, message, argumentsDigest, hangUpMs } = plan;
  const [first, second] = rivals;
  const { body: request } = await api.untilStatus("POST", "/requests", {
    key: first.key,
    headers: { "idempotency-key": `chaos-${seed}-${at}` },
    body: { kind: "approval", message, subject: { tool: "deploy", argumentsDigest } },
  });
  await Promise.all(rivals.map(({ key }) => decided(api, key, request.id)));
  const strange = await use(options, second, request.id, "0".repeat(64));
  const uses = await Promise.all([
    use(options, first, request.id, argumentsDigest, hangUpMs),
    use(options, second, request.id, argumentsDigest),
  ]);
  return { at, requestId: request.id, taskId: request.taskId, argumentsDigest, uses, strange };
}

async function decided(api: Api, key: string, requestId: string): Promise<void> {
  for (;;) {
    const { body } = await api.untilStatus("GET", `/requests/${requestId}?waitMs=5000`, { key });
    if (body.state === "ended") return;
  }
}

const PAUSE_MS = 400;

/** Tries until there is an answer, as a program does that can't tell whether it has used the approval. */
async function use(
  { api, onUse, signal }: ApprovalOptions,
  { name, key }: Rival,
  requestId: string,
  argumentsDigest: string,
  hangUpMs?: number,
): Promise<Use> {
  for (let unheard = 0; ; unheard++) {
    onUse();
    const reply = await api.once("POST", `/requests/${requestId}/consume`, {
      key,
      body: { argumentsDigest },
      deadlineMs: unheard === 0 ? hangUpMs : undefined,
    });
    if (reply?.status === 200) return { rival: name, outcome: "used", reason: null, by: null, unheard };
    if (reply?.status === 409) {
      const { reason, by } = reply.body;
      return { rival: name, outcome: "refused", reason, by: by?.name ?? null, unheard };
    }
    if (reply)
      throw new (reply.status === 404 ? Gone : Error)(
        `the use of ${requestId}: ${reply.status} ${JSON.stringify(reply.body)}`,
      );
    await sleep(PAUSE_MS * (0.5 + Math.random()), undefined, { signal });
  }
}
