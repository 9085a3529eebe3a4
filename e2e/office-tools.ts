/** The tools of the office server: what each is called with, and what it asks, one for each kind of question. */
export interface OfficeTool {
  title: string;
  /** Hints of the tool; none: it says nothing about itself. */
  annotations?: { destructiveHint?: boolean; readOnlyHint?: boolean };
  arguments: Record<string, unknown>;
  message: string;
  requestedSchema?: Record<string, unknown>;
  url?: string;
}

const oneOf = (name: string, options: Record<string, string>, title?: string) => ({
  type: "object",
  properties: {
    [name]: {
      type: "string",
      ...(title && { title }),
      oneOf: Object.entries(options).map(([value, text]) => ({ const: value, title: text })),
    },
  },
  required: [name],
});

export const OFFICE_TOOLS = {
  pay_supplier: {
    title: "Pay a supplier",
    annotations: { destructiveHint: false },
    arguments: {
      payment_id: "PAY-881",
      supplier: "Globex Ltd",
      currency: "EUR",
      total: "2480.00",
      lines: [
        { description: "Consulting, October", amount: "1980.00" },
        { description: "Travel", amount: "500.00" },
      ],
    },
    message: "Pay 2480.00 EUR to Globex Ltd for PAY-881?",
    requestedSchema: oneOf("value", { approve: "Approve", reject: "Reject" }),
  },
  deploy: {
    title: "Deploy to production",
    annotations: { destructiveHint: false },
    arguments: {
      service: "billing-api",
      version: "3.1.4",
      environment: "production",
      title: "billing-api 3.1.4",
    },
    message: "Deploy billing-api 3.1.4 to production? All 214 checks have passed.",
    requestedSchema: {
      type: "object",
      properties: { approve: { type: "boolean", title: "Deploy" } },
      required: ["approve"],
    },
  },
  grant_access: {
    title: "Grant access",
    annotations: { destructiveHint: false },
    arguments: { subject: "kim@acme.example", database: "warehouse", access: "read", days: 30 },
    message: "Grant kim@acme.example read access to warehouse for 30 days?",
    requestedSchema: oneOf("decision", { allow: "Allow", deny: "Deny" }),
  },
  delete_files: {
    title: "Delete files",
    annotations: { destructiveHint: true },
    arguments: { path: "/archive/2019", files: 1_204, size_in_bytes: 48_318_382_080 },
    message: "Delete 1,204 files under /archive/2019? They cannot be brought back.",
    requestedSchema: oneOf("value", { delete: "Delete", keep: "Keep" }),
  },
  send_newsletter: {
    title: "Send a newsletter",
    annotations: { destructiveHint: false },
    arguments: { subject: "What is new in November", recipients: 4_310 },
    message: "Send “What is new in November” to 4,310 people?",
    requestedSchema: { type: "object", properties: {} },
  },
  research: {
    title: "Research a topic",
    annotations: { readOnlyHint: true, destructiveHint: false },
    arguments: { topic: "Heat pumps for old buildings", sources: 40 },
    message: "Which question should I go into first?",
    requestedSchema: oneOf(
      "focus",
      {
        costs: "What it costs to install and to run",
        noise: "How loud it is for the neighbours",
        grants: "Which grants there are, and until when",
        insulation: "How much insulation must come first",
        alternatives: "What else would do",
      },
      "Focus",
    ),
  },
  notify_teams: {
    title: "Notify teams",
    annotations: { destructiveHint: false },
    arguments: { subject: "Maintenance on Saturday", from: "08:00", to: "11:30" },
    message: "Who should hear of the maintenance on Saturday?",
    requestedSchema: {
      type: "object",
      properties: {
        teams: {
          type: "array",
          title: "Teams",
          minItems: 1,
          maxItems: 3,
          items: {
            anyOf: ["Support", "Sales", "Finance", "Warehouse", "Legal"].map((title) => ({
              const: title.toLowerCase(),
              title,
            })),
          },
        },
      },
      required: ["teams"],
    },
  },
  plan_maintenance: {
    title: "Plan a maintenance",
    annotations: { destructiveHint: false },
    arguments: { title: "Postgres 18 upgrade", expected_minutes: 40 },
    message: "When may the database be upgraded?",
    requestedSchema: {
      type: "object",
      properties: {
        day: { type: "string", format: "date", title: "Day" },
        begin: { type: "string", format: "date-time", title: "Begin" },
      },
      required: ["day"],
    },
  },
  add_supplier: {
    title: "Add a supplier",
    annotations: { destructiveHint: false },
    arguments: { name: "Nordlicht GmbH", country: "DE", requested_for: "Facilities" },
    message: "Please complete the data of Nordlicht GmbH.",
    requestedSchema: {
      type: "object",
      properties: {
        contact: { type: "string", title: "Contact person", minLength: 2, maxLength: 80 },
        email: { type: "string", format: "email", title: "E-mail for invoices" },
        website: { type: "string", format: "uri", title: "Website" },
        terms: {
          type: "integer",
          title: "Payment terms",
          description: "Days until an invoice is due",
          minimum: 0,
          maximum: 120,
          default: 30,
        },
        limit: { type: "number", title: "Credit limit", minimum: 0 },
        category: {
          type: "string",
          title: "Category",
          enum: ["it", "office", "facilities", "travel", "legal", "marketing", "other"],
          enumNames: ["IT", "Office", "Facilities", "Travel", "Legal", "Marketing", "Other"],
        },
        framework: { type: "boolean", title: "Covered by a framework contract", default: false },
        since: { type: "string", format: "date", title: "Contract since" },
        note: { type: "string", title: "Note", maxLength: 2_000 },
      },
      required: ["contact", "email", "terms", "category"],
    },
  },
  connect_calendar: {
    title: "Connect a calendar",
    annotations: { destructiveHint: false },
    arguments: { name: "Room calendar", owner: "Facilities" },
    message: "Please sign in to the room calendar, so that bookings can be read.",
    url: "https://calendar.example.com/oauth/authorize?client_id=office&scope=read&state=2f9c1e",
  },
  rotate_key: {
    title: "Rotate a key",
    arguments: { name: "payments-prod" },
    message: "Enter the new API key for payments-prod.",
    requestedSchema: {
      type: "object",
      properties: { apiKey: { type: "string", title: "API key" } },
      required: ["apiKey"],
    },
  },
  map_columns: {
    title: "Map columns",
    arguments: { file: "customers.csv", rows: 12_480 },
    message: "Which column of customers.csv is which?",
    requestedSchema: {
      type: "object",
      properties: { mapping: { type: "object", properties: { name: { type: "string" } } } },
    },
  },
} satisfies Record<string, OfficeTool>;

export type OfficeToolName = keyof typeof OFFICE_TOOLS;
