import { parseArgs } from "node:util";
import { openDatabase } from "./database.ts";
import { type OpenInvoice, type Operations, operationsOn, type Target } from "./invoices/operations.ts";
import type { LedgerEntry } from "./store.ts";

/** The operator's command line: calls the running server, or works on its database directly (--url). */

const USAGE = `Usage: node examples/invoice-server/cli.ts <command> [--server URL | --url DATABASE_URL]

  list                                     invoices that have not ended
  force-pay <task id or invoice> [line]    pay lines before they fall due
  ledger [task id]                         what the server was told and what it paid

  --server  the running server, by default http://127.0.0.1:\${INVOICE_PORT:-3001}
  --url     its database instead (or INVOICE_DATABASE_URL), whether or not the server runs`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { server: { type: "string" }, url: { type: "string" }, help: { type: "boolean", short: "h" } },
});
const [command, ...args] = positionals;
const databaseUrl = values.url ?? (values.server ? undefined : process.env.INVOICE_DATABASE_URL);

try {
  if (!command || values.help) console.log(USAGE);
  else if (databaseUrl) {
    const db = await openDatabase(databaseUrl);
    await run(operationsOn(db)).finally(db.close);
  } else await run(operationsOver(values.server ?? `http://127.0.0.1:${process.env.INVOICE_PORT || 3001}`));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run(operations: Operations): Promise<void> {
  switch (command) {
    case "list": {
      const invoices = await operations.invoices();
      if (invoices.length === 0) console.log("No open invoices.");
      for (const invoice of invoices) printInvoice(invoice);
      return;
    }
    case "force-pay": {
      const { taskId, forced } = await operations.forcePay(targetOf(args));
      console.log(`${taskId}: forced the payment of line ${forced.join(", ")}`);
      return;
    }
    case "ledger":
      for (const entry of await operations.ledger(args[0] ?? null)) printEntry(entry);
      return;
    default:
      throw new Error(USAGE);
  }
}

function targetOf([id, line]: string[]): Target {
  if (!id) throw new Error(USAGE);
  if (line !== undefined && !/^[1-9]\d*$/.test(line)) throw new Error(`Not a line number: ${line}`);
  return {
    ...(/^invoice-[0-9a-f-]{36}$/.test(id) ? { taskId: id } : { invoiceId: id }),
    line: line ? Number(line) : undefined,
  };
}

function printInvoice({ taskId, invoiceId, state, unpaid }: OpenInvoice): void {
  console.log(`${taskId}  ${invoiceId}  ${state}`);
  for (const line of unpaid) {
    const due = new Date(line.dueDate).toISOString().slice(0, 10);
    console.log(
      `  ${line.line}. ${line.description}, $${line.amount.toFixed(2)}, due ${due}${line.forced ? ", forced" : ""}`,
    );
  }
}

function printEntry({ at, taskId, kind, data }: LedgerEntry): void {
  console.log(`${new Date(at).toISOString()}  ${taskId}  ${kind}  ${JSON.stringify(data)}`);
}

function operationsOver(server: string): Operations {
  async function ask<T>(path: string, body?: unknown): Promise<T> {
    const response = await fetch(new URL(path, server), {
      method: body ? "POST" : "GET",
      headers: { "content-type": "application/json" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }).catch((cause: unknown) => {
      throw new Error(
        `No invoice server answers at ${server}: set INVOICE_PORT, or name its address with --server`,
        { cause },
      );
    });
    const answer = (await response.json()) as T & { error?: string };
    if (!response.ok) throw new Error(answer.error ?? `${server} answered ${response.status}`);
    return answer;
  }
  return {
    invoices: async () => (await ask<{ invoices: OpenInvoice[] }>("/invoices")).invoices,
    forcePay: (target) => ask("/force-pay", target),
    ledger: async (taskId) =>
      (
        await ask<{ entries: LedgerEntry[] }>(
          `/ledger${taskId ? `?taskId=${encodeURIComponent(taskId)}` : ""}`,
        )
      ).entries,
  };
}
