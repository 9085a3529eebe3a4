/** Tools that ask: one for each kind of question that servers put, with arguments to start it with. */

type Question =
  | { mode?: "form"; message: string; requestedSchema: Record<string, unknown> }
  | { mode: "url"; message: string; url: string; elicitationId: string };

export interface QuestionKind {
  title: string;
  destructive?: boolean;
  arguments: Record<string, unknown>;
  question: (args: Record<string, unknown>) => Question;
}

const form = (
  message: string,
  properties: Record<string, unknown>,
  required = Object.keys(properties),
): Question => ({ message, requestedSchema: { type: "object", properties, required } });
const titled = (choices: Record<string, string>) =>
  Object.entries(choices).map(([value, title]) => ({ const: value, title }));

export const KINDS = {
  approve_payment: {
    title: "Approve a payment",
    arguments: {
      invoice_id: "INV-300",
      vendor: "Northwind Traders",
      currency: "USD",
      lines: [
        { description: "Paper, A4, 40 boxes", due: "2026-12-01", amount: 840 },
        { description: "Toner", due: "2026-12-15", amount: 160 },
      ],
      total: 1000,
    },
    question: ({ invoice_id, vendor }) =>
      form(`Invoice ${invoice_id} of ${vendor} ($1000.00) requires approval.`, {
        decision: {
          type: "string",
          title: "Decision",
          oneOf: titled({ approve: "Approve", reject: "Reject" }),
        },
      }),
  },
  delete_file: {
    title: "Delete a file",
    destructive: true,
    arguments: { filename: "customer-exports-2025.parquet", bucket: "exports", size: "4.2 GB" },
    question: ({ filename }) =>
      form(`Delete ${filename} for good?`, { confirm: { type: "boolean", title: "Delete the file" } }),
  },
  deploy: {
    title: "Deploy a build",
    arguments: { build: "4812", environment: "production", commit: "9f31c07", tests: "1,204 passed" },
    question: ({ build, environment }) => form(`Promote build ${build} to ${environment}?`, {}),
  },
  grant_access: {
    title: "Grant access",
    arguments: { person: "Dana Reyes", resource: "Payroll reports", requested_by: "Helpdesk" },
    question: ({ person, resource }) =>
      form(
        `${person} asks for access to ${resource}. Until when, and with which role?`,
        {
          role: {
            type: "string",
            title: "Role",
            enum: ["viewer", "editor", "owner"],
            enumNames: ["Viewer", "Editor", "Owner"],
            default: "viewer",
          },
          until: { type: "string", title: "Until", format: "date", description: "Access ends that day." },
          note: { type: "string", title: "Note", maxLength: 280 },
        },
        ["role", "until"],
      ),
  },
  research: {
    title: "Research a topic",
    arguments: { topic: "python" },
    question: ({ topic }) =>
      form(`Which sense of “${topic}” do you mean?`, {
        sense: {
          type: "string",
          title: "Sense",
          oneOf: titled({
            language: "The programming language",
            snake: "The snake",
            comedy: "The comedians",
          }),
        },
      }),
  },
  choose_regions: {
    title: "Choose regions",
    arguments: { campaign: "Winter sale" },
    question: ({ campaign }) =>
      form(`Where shall “${campaign}” run?`, {
        regions: {
          type: "array",
          title: "Regions",
          description: "Two or three of them; each costs a tenth of the budget.",
          items: {
            anyOf: titled({
              dach: "Germany, Austria, Switzerland",
              nordics: "Nordics",
              uk: "United Kingdom",
              us: "United States",
            }),
          },
          minItems: 2,
          maxItems: 3,
          default: ["dach"],
        },
      }),
  },
  schedule: {
    title: "Schedule a maintenance window",
    arguments: { system: "ERP", duration: "2 h" },
    question: ({ system }) =>
      form(`When may ${system} go down?`, {
        day: { type: "string", title: "Day", format: "date" },
        start: { type: "string", title: "Start", format: "date-time" },
        contact: { type: "string", title: "Contact", format: "email", default: "ops@example.com" },
        runbook: { type: "string", title: "Runbook", format: "uri" },
      }),
  },
  import_ledger: {
    title: "Import a ledger",
    arguments: { file: "ledger-2025.csv", rows: 18204 },
    question: ({ file }) =>
      form(`Which account takes the sums of ${file}?`, {
        account: { type: "integer", title: "Account", minimum: 1 },
        tolerance: { type: "number", title: "Tolerance", minimum: 0, maximum: 1, default: 0.01 },
      }),
  },
  onboard_vendor: {
    title: "Onboard a vendor",
    arguments: { vendor: "Contoso Ltd", country: "IE" },
    question: ({ vendor }) => form(`Fill in what is missing about ${vendor}.`, longForm(), ["f_01", "f_10"]),
  },
  bank_sign_in: {
    title: "Export bank statements",
    arguments: { bank: "First Bank", period: "October 2026" },
    question: ({ bank }) => ({
      mode: "url",
      message: `Sign in to ${bank} to continue the export.`,
      url: "https://signin.bank.example/authorize?flow=7f3a&scope=statements",
      elicitationId: "export-7f3a",
    }),
  },
  rotate_key: {
    title: "Rotate a key",
    arguments: { service: "Payments" },
    question: ({ service }) =>
      form(`Paste the new key of ${service}.`, { api_key: { type: "string", title: "API key" } }),
  },
  map_columns: {
    title: "Map columns",
    arguments: { file: "customers.csv" },
    question: ({ file }) =>
      form(`How do the columns of ${file} map?`, {
        columns: { type: "object", title: "Columns", properties: { name: { type: "string" } } },
      }),
  },
} satisfies Record<string, QuestionKind>;

export type Kind = keyof typeof KINDS;

/** Thirty fields of every kind. */
function longForm(): Record<string, unknown> {
  const kinds = [
    (n: string) => ({ type: "string", title: `Text ${n}`, minLength: 2, maxLength: 40 }),
    (n: string) => ({
      type: "string",
      title: `Address ${n}`,
      maxLength: 500,
      description: "As on the contract.",
    }),
    (n: string) => ({ type: "integer", title: `Count ${n}`, minimum: 0, maximum: 1000 }),
    (n: string) => ({ type: "boolean", title: `Checked ${n}` }),
    (n: string) => ({ type: "string", title: `Size ${n}`, enum: ["small", "medium", "large"] }),
    (n: string) => ({
      type: "string",
      title: `Country ${n}`,
      enum: ["AT", "BE", "CH", "DE", "FR", "IE", "IT", "NL"],
    }),
  ];
  return Object.fromEntries(
    Array.from({ length: 30 }, (_, at) => {
      const n = String(at + 1).padStart(2, "0");
      return [`f_${n}`, kinds[at % kinds.length]?.(n)];
    }),
  );
}
