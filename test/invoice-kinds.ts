/** The invoices of everything-killed.test.ts: what they are at when everything is killed, and how they must end. */
import { requestCancel } from "../lib/task-lifecycle/transitions.ts";
import { lookInto } from "./look.ts";
import { forcePay } from "./sample-ledger.ts";
import { until, type World } from "./world.ts";

const approve = { action: "accept" as const, content: { value: "approve" } };
const reject = { action: "accept" as const, content: { value: "reject" } };
const costCenter = { action: "accept" as const, content: { cost_center: "CC-1" } };

export interface Invoice {
  name: string;
  server: { serverId: string; connectionId: string };
  id: string;
}

export interface InvoiceKind {
  amount?: number;
  due?: string;
  /** Brings it there; without it, it is started right before the kill. */
  before?(task: Invoice): Promise<unknown>;
  /** Right before the kill, so that nobody knows how far it gets. */
  meanwhile?(task: Invoice): Promise<unknown>;
  /** What people do when all runs again. */
  after?(task: Invoice): Promise<unknown>;
  state: string;
  outcome: string | null;
  /** How many it gets from beginning to end. */
  answers: number;
}

export async function startInvoice(
  world: World,
  task: Invoice,
  { amount = 10, due = "2024-06-30T00:00:00Z" }: InvoiceKind,
): Promise<void> {
  const lines = [{ description: "Line", amount, due_date: due }];
  const invoice = { invoice_id: task.name, customer: "ACME Corp", lines };
  task.id = await world.startTask(task.server, { invoice });
}

export function invoiceKinds({
  world,
  serverUrl,
  patienceMs,
}: {
  world: () => World;
  serverUrl: () => string;
  patienceMs: number;
}): Record<string, InvoiceKind> {
  const look = lookInto(world, patienceMs);
  const paid = { state: "completed", outcome: "PAID" };
  const opens = ({ id }: Invoice) => look.openRequest(id);
  const answers =
    (answer: typeof approve | typeof costCenter, more: { holdMs?: number } = {}) =>
    async ({ id }: Invoice) =>
      world().answer((await look.openRequest(id)).id, { ...answer, ...more });
  const cancels = ({ id }: Invoice) =>
    world().within((tx) => requestCancel(world().organizationId, tx, world().operator, id));
  const says =
    (word: string) =>
    ({ id }: Invoice) =>
      until(`it says ${word}`, async () => (await look.task(id)).statusMessage?.includes(word), patienceMs);

  return {
    "is being started": { after: answers(approve), ...paid, answers: 1 },
    "waits for its approval": { before: opens, after: answers(approve), ...paid, answers: 1 },
    "was answered a moment ago": { before: opens, meanwhile: answers(approve), ...paid, answers: 1 },
    "has an answer that is held": {
      before: opens,
      meanwhile: answers(reject, { holdMs: 5_000 }),
      state: "completed",
      outcome: "REJECTED",
      answers: 1,
    },
    "is reconciled": {
      amount: 9_000,
      before: async (task) => {
        await answers(approve)(task);
        await says("RECONCILING")(task);
      },
      after: answers(costCenter),
      ...paid,
      answers: 2,
    },
    "waits for its second answer": {
      amount: 9_000,
      before: async (task) => {
        await answers(approve)(task);
        await says("COST-CENTER")(task);
        await opens(task);
      },
      after: answers(costCenter),
      ...paid,
      answers: 2,
    },
    "pays in some years": {
      due: "2090-01-01T00:00:00Z",
      before: async (task) => {
        await answers(approve)(task);
        await look.inState(task.id, "working");
      },
      after: ({ name }) => forcePay(serverUrl(), name),
      ...paid,
      answers: 1,
    },
    "is being cancelled": {
      before: opens,
      meanwhile: cancels,
      state: "cancelled",
      outcome: null,
      answers: 0,
    },
    "was paid": {
      before: async (task) => {
        await answers(approve)(task);
        await look.inState(task.id, "completed");
      },
      ...paid,
      answers: 1,
    },
    "was rejected": {
      before: async (task) => {
        await answers(reject)(task);
        await look.inState(task.id, "completed");
      },
      state: "completed",
      outcome: "REJECTED",
      answers: 1,
    },
    "was cancelled": {
      before: async (task) => {
        await opens(task);
        await cancels(task);
        await look.inState(task.id, "cancelled");
      },
      state: "cancelled",
      outcome: null,
      answers: 0,
    },
  };
}
