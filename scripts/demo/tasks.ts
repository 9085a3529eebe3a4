/** The demonstration's first tasks: their calls, and the answers already given. */
import type { AnswerInput } from "../../lib/requests/request-input-schema.ts";
import { ACME, GLOBEX, type Organization } from "../../prisma/seed-demo.ts";

export interface DemoTask {
  /** Stands in the arguments, and identifies the start, so that the task is started once. */
  number: string;
  organization: Organization;
  /** The server's name in the demonstration. */
  server: string;
  startedBy: string;
  tool: string;
  arguments: Record<string, unknown>;
  /** The answers to its questions, in turn; the next question waits for a person. */
  answers: DemoAnswer[];
}

export type DemoAnswer = { by: string } & Pick<AnswerInput, "action" | "content" | "comment">;

const DAY_MS = 24 * 3600_000;

/**
 * The tasks in order of their start. The first is started alone, so that its question is the oldest and the
 * first that an approver sees.
 */
export function demoTasks(now: Date): DemoTask[] {
  const days = (count: number) => new Date(now.getTime() + count * DAY_MS).toISOString().slice(0, 10);
  const minutes = (count: number) => new Date(now.getTime() + count * 60_000).toISOString();
  const invoice = (
    invoice_id: string,
    customer: string,
    lines: [description: string, amount: number, dueInDays: number][],
    more: Partial<DemoTask> = {},
  ): DemoTask => ({
    ...task(invoice_id, "process_invoice"),
    arguments: {
      invoice: {
        invoice_id,
        customer,
        lines: lines.map(([description, amount, due]) => ({
          description,
          amount,
          due_date: `${days(due)}T00:00:00Z`,
        })),
      },
    },
    ...more,
  });

  return [
    // Overdue, and under the limit: only the approval is asked.
    invoice("INV-1042", "Brightwater Facilities", [
      ["Office cleaning, October", 1240, -12],
      ["Window cleaning", 380.5, -12],
      ["Cleaning supplies", 249.5, -12],
    ]),
    // Over the limit of 5,000: the server asks for a cost center after the approval.
    invoice("INV-1043", "Halden Machine Works", [
      ["Milling spindle", 9850, 6],
      ["Fitting on site", 2180, 6],
      ["Freight", 450, 6],
    ]),
    // Over the limit, and at its second question.
    invoice(
      "INV-1039",
      "Kestrel IT Services",
      [
        ["Server maintenance, a year", 6900, 3],
        ["Backup storage", 1420, 3],
      ],
      { answers: [approvedBy("Cleo")] },
    ),
    {
      // Asked again with another rate while it waits.
      ...task("FX-311", "convert_currency"),
      arguments: { order_id: "FX-311", purpose: "Payroll, Dublin office", amount_usd: 48_000, to: "EUR" },
    },
    {
      ...task("EXP-204", "approve_expense"),
      arguments: {
        report_id: "EXP-204",
        employee: "Mara Lindt",
        purpose: "Trade fair in Hamburg",
        items: [
          { description: "Train, both ways", date: days(-9), amount: 182.4 },
          { description: "Hotel, two nights", date: days(-8), amount: 318 },
          { description: "Dinner with customers", date: days(-8), amount: 126.9 },
        ],
        documents: [
          "expense://EXP-204/report.pdf",
          ...[1, 2, 3].map((number) => `expense://EXP-204/receipt-${number}.png`),
        ],
      },
    },
    {
      ...task("PR-87", "choose_supplier"),
      arguments: {
        request_id: "PR-87",
        item: "12 height-adjustable desks",
        needed_by: days(24),
        quotes: [
          { supplier: "Nordwind Office", price: 7140, freight_cost: 0, delivery_days: 10 },
          { supplier: "Tall Oak", price: 6480, freight_cost: 160, delivery_days: 21 },
          { supplier: "Desk & Co", price: 6895.5, freight_cost: 85, delivery_days: 14 },
        ],
      },
    },
    {
      ...task("SUP-118", "confirm_bank_details"),
      arguments: {
        supplier_id: "SUP-118",
        supplier: "Kestrel IT Services",
        bank: "Sparkasse Holstein",
        iban: "DE02 2135 2240 0179 2345 04",
        received_by: "Letter of the supplier",
      },
    },
    {
      // The server ends the question at the bank's cut-off.
      ...task("PAY-0714", "release_payment_run"),
      arguments: {
        run_id: "PAY-0714",
        account: "Operating account",
        release_by: minutes(58),
        payments: [
          { payee: "Brightwater Facilities", reference: "INV-1031", amount: 1650 },
          { payee: "Tall Oak", reference: "INV-1028", amount: 2340.75 },
          { payee: "City Power", reference: "October", amount: 918.2 },
        ],
      },
    },
    invoice("INV-1036", "Tall Oak", [["Meeting table", 1890, -2]], { answers: [approvedBy("Ben")] }),
    invoice("INV-1037", "Tall Oak", [["Meeting table", 1890, -2]], {
      answers: [
        {
          by: "Ben",
          action: "accept",
          content: { value: "reject" },
          comment: "The same table as on INV-1036, which is paid.",
        },
      ],
    }),
    {
      ...task("EXP-201", "approve_expense"),
      arguments: {
        report_id: "EXP-201",
        employee: "Jonas Weber",
        purpose: "First-aid course",
        items: [{ description: "Course fee", date: days(-15), amount: 95 }],
      },
      answers: [
        {
          by: "Cleo",
          action: "accept",
          content: { approved_amount: 95, category: "training", receipts_complete: true },
        },
      ],
    },
    {
      ...task("BS-2026-45", "reconcile_statement"),
      arguments: {
        statement_id: "BS-2026-45",
        account: "Operating account",
        opening_balance: 84_210.55,
        closing_balance: 86_001.3,
        movements: [
          { date: days(-4), text: "Incoming, Globex Corporation", amount: 6400 },
          { date: days(-3), text: "Rent", amount: -3850 },
          { date: days(-2), text: "City Power", amount: -759.25 },
        ],
      },
    },
    // The same work on the older revision of the protocol.
    invoice("INV-1040", "City Power", [["Electricity, third quarter", 2764.3, 4]], OLDER),
    // One line falls due in two months, so the task keeps working.
    invoice(
      "INV-1038",
      "Nordwind Office",
      [
        ["Office chairs, first half", 1600, -1],
        ["Office chairs, second half", 1600, 60],
      ],
      { ...OLDER, answers: [approvedBy("Ben")] },
    ),
    {
      // 450.00 are missing, so the task fails.
      ...task("BS-2026-44", "reconcile_statement"),
      ...OLDER,
      arguments: {
        statement_id: "BS-2026-44",
        account: "Petty cash",
        opening_balance: 612.4,
        closing_balance: 1010.15,
        movements: [
          { date: days(-11), text: "Stamps", amount: -37.75 },
          { date: days(-10), text: "Coffee", amount: -14.5 },
        ],
      },
    },
    invoice("GX-501", "Acme Turbines", [["Turbine blades, set of 12", 4100, -3]], GUS),
    invoice("GX-499", "Northern Freight", [["Freight, October", 730, -5]], {
      ...GUS,
      answers: [approvedBy("Gus")],
    }),
  ];
}

const OLDER = { server: "Finance ERP (2025-11-25)" };
const GUS = { organization: GLOBEX, startedBy: "Gus" };

function task(number: string, tool: string): DemoTask {
  return {
    number,
    organization: ACME,
    server: "Finance ERP",
    startedBy: "Ola",
    tool,
    arguments: {},
    answers: [],
  };
}

const approvedBy = (by: string): DemoAnswer => ({ by, action: "accept", content: { value: "approve" } });
