import type { Database } from "../database.ts";
import { money, sum } from "../office/tool.ts";
import { RpcError } from "../protocol/rpc.ts";
import type { Invoice } from "../tool.ts";
import { type Page, pdfOf } from "./pdf.ts";
import { pngOf } from "./png.ts";

/** The server's resources: a PDF of each invoice and expense report, and a picture of each receipt. */
export type Documents = {
  /** The documents of the newest tasks. */
  list: () => Promise<Resource[]>;
  /** Throws -32002 for an unknown document. */
  read: (uri: string) => Promise<{ uri: string; mimeType: string; blob: string }>;
};

export type Resource = { uri: string; name: string; mimeType: string };

export const TEMPLATES = [
  { uriTemplate: "invoice://{invoice_id}/invoice.pdf", name: "An invoice", mimeType: "application/pdf" },
  { uriTemplate: "expense://{report_id}/report.pdf", name: "An expense report", mimeType: "application/pdf" },
  { uriTemplate: "expense://{report_id}/receipt-{number}.png", name: "A receipt", mimeType: "image/png" },
];

const LISTED = 20;
const ADDRESS = /^(invoice|expense):\/\/([^/]+)\/(invoice\.pdf|report\.pdf|receipt-(\d{1,3})\.png)$/;

type Expense = {
  report_id: string;
  employee: string;
  purpose: string;
  items: { description: string; date: string; amount: number }[];
};

export function createDocuments(db: Database): Documents {
  const newest = async <T>(query: string, values: unknown[]): Promise<T[]> =>
    (await db.pool.query<{ found: T }>(query, values)).rows.map(({ found }) => found);
  const invoices = (id: string | null, limit: number) =>
    newest<Invoice>(
      `select invoice as found from invoice_task where $1::text is null or invoice_id = $1
       order by created_at desc limit $2`,
      [id, limit],
    );
  const expenses = (id: string | null, limit: number) =>
    newest<Expense>(
      `select arguments as found from office_task
       where tool = 'approve_expense' and ($1::text is null or arguments->>'report_id' = $1)
       order by created_at desc limit $2`,
      [id, limit],
    );

  return {
    list: async () => [
      ...(await invoices(null, LISTED)).map(({ invoice_id }) => ({
        uri: `invoice://${encodeURIComponent(invoice_id)}/invoice.pdf`,
        name: `Invoice ${invoice_id}`,
        mimeType: "application/pdf",
      })),
      ...(await expenses(null, LISTED)).map(({ report_id }) => ({
        uri: `expense://${encodeURIComponent(report_id)}/report.pdf`,
        name: `Expense report ${report_id}`,
        mimeType: "application/pdf",
      })),
    ],
    read: async (uri) => {
      const [, scheme, encoded = "", file, number] = ADDRESS.exec(uri) ?? [];
      const id = decode(encoded);
      if (scheme === "invoice" && file === "invoice.pdf") {
        const [invoice] = await invoices(id, 1);
        if (invoice) return document(uri, "application/pdf", pdfOf(pageOfInvoice(invoice)));
      } else if (scheme === "expense" && file !== "invoice.pdf") {
        const [expense] = await expenses(id, 1);
        const item = expense?.items[Number(number) - 1];
        if (expense && item) return document(uri, "image/png", pngOf(receiptOf(expense, item)));
        if (expense && number === undefined)
          return document(uri, "application/pdf", pdfOf(pageOfExpense(expense)));
      }
      throw new RpcError(-32002, "Resource not found", { uri });
    },
  };
}

function document(uri: string, mimeType: string, bytes: Buffer) {
  return { uri, mimeType, blob: bytes.toString("base64") };
}

/** Nothing is known by a name that is not percent-encoded. */
function decode(encoded: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    return "";
  }
}

function pageOfInvoice({ invoice_id, customer, lines }: Invoice): Page {
  return {
    title: `Invoice ${invoice_id}`,
    lead: `For ${customer}`,
    rows: lines.map(({ description, amount, due_date }) => [
      `${description}, due ${due_date.slice(0, 10)}`,
      money(amount),
    ]),
    total: money(sum(lines.map(({ amount }) => amount))),
  };
}

function pageOfExpense({ report_id, employee, purpose, items }: Expense): Page {
  return {
    title: `Expense report ${report_id}`,
    lead: `${employee}, ${purpose}`,
    rows: items.map(({ description, date, amount }) => [`${date}  ${description}`, money(amount)]),
    total: money(sum(items.map(({ amount }) => amount))),
  };
}

function receiptOf({ employee }: Expense, { description, date, amount }: Expense["items"][number]): string[] {
  const width = Math.max(28, description.length);
  const paid = money(amount);
  return [
    "RECEIPT",
    "-".repeat(width),
    description,
    date,
    "",
    `PAID${paid.padStart(width - 4)}`,
    "-".repeat(width),
    `FOR ${employee}`.slice(0, width),
  ];
}
