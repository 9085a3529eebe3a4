/** The seeded servers' questions: kinds that real servers put, with varying figures. */
import type { Random } from "../../test/chaos/random.ts";

export interface Asked {
  server: string;
  tool: string;
  args: Record<string, unknown>;
  message: string;
  /** Null for a link. */
  schema: Record<string, unknown> | null;
  url?: string;
  /** A possible answer. */
  content: Record<string, unknown>;
}

type Kind = (random: Random, n: number) => Asked;

const COMPANIES =
  "ACME Corp,Globex,Müller Maschinenbau GmbH,Initech,Umbrella Logistics,Stark Metalworks,Wayne Freight,Hooli,Vandelay Imports,Dunder Paper,Soylent Foods,Ōsaka Denki,Société Lumière,Tyrell Optics,Cyberdyne Parts".split(
    ",",
  );
const PEOPLE =
  "Iris Novak,Tom Bauer,Amira Haddad,Jonas Lind,Mei Tanaka,Carlos Ruiz,Zoë Peeters,Femi Ade".split(",");
const CITIES = "Berlin,Lisbon,Osaka,Toronto,Nairobi,Oslo,Austin,Kraków".split(",");
const GOODS =
  "Widgets,Turbine blades,Office chairs,Laptops,Steel sheets,Cable drums,Server racks,Seals".split(",");

const one = <T>(random: Random, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
/** Small sums are commoner than large ones. */
const money = (random: Random, low: number, high: number) =>
  Math.round(low * (high / low) ** random() * 100) / 100;
const shown = (value: number) => value.toLocaleString("en-US", { minimumFractionDigits: 2 });
const choice = (title: string, values: string[]) => ({ type: "string", title, enum: values });
const form = (properties: Record<string, unknown>, required: string[] = []) => ({
  type: "object",
  properties,
  required,
});

const APPROVE = form({ value: choice("Decision", ["approve", "reject"]) }, ["value"]);

const invoice: Kind = (random, n) => {
  const customer = one(random, COMPANIES);
  const total = money(random, 40, 50_000);
  const currency = one(random, ["USD", "EUR", "GBP"]);
  const first = money(random, 1, total);
  return {
    server: "ERP",
    tool: "process_invoice",
    args: {
      invoice: {
        invoice_id: `INV-${10_000 + n}`,
        customer,
        currency,
        total,
        lines: [
          { description: one(random, GOODS), amount: first },
          { description: "Freight", amount: Math.round((total - first) * 100) / 100 },
        ],
      },
    },
    message: `Invoice INV-${10_000 + n} for ${customer} (${currency} ${shown(total)}) requires approval.`,
    schema: APPROVE,
    content: { value: random() < 0.85 ? "approve" : "reject" },
  };
};

const costCenter: Kind = (random, n) => {
  const payee = one(random, COMPANIES);
  return {
    server: "ERP",
    tool: "assign_cost_center",
    args: { payment_id: `PAY-${n}`, payee, amount: money(random, 1000, 90_000), currency: "EUR" },
    message: `Payment PAY-${n} to ${payee} has no cost center. Which one pays?`,
    schema: form(
      { cost_center: { type: "string", title: "Cost center", minLength: 1 }, note: { type: "string" } },
      ["cost_center"],
    ),
    content: { cost_center: "CC-1000" },
  };
};

const purchase: Kind = (random, n) => {
  const price = money(random, 90, 80_000);
  const goods = one(random, GOODS);
  return {
    server: "Procurement",
    tool: "create_purchase_order",
    args: {
      order_no: `PO-${n}`,
      supplier: one(random, COMPANIES),
      item: goods,
      quantity: 1 + (n % 40),
      price: `$${shown(price)}`,
    },
    message: `Order ${1 + (n % 40)} × ${goods} for $${shown(price)}?`,
    schema: form({ approved: { type: "boolean", title: "Approve the order" } }, ["approved"]),
    content: { approved: true },
  };
};

const supplier: Kind = (random, n) => ({
  server: "Procurement",
  tool: "onboard_supplier",
  args: { supplier_id: `SUP-${n}`, name: one(random, COMPANIES) },
  message: `Complete the record of supplier SUP-${n} before its first order.`,
  schema: form(
    {
      contact: { type: "string", title: "Contact's e-mail", format: "email" },
      since: { type: "string", title: "Contract from", format: "date" },
      payment_days: { type: "integer", title: "Days to pay", minimum: 0, maximum: 120, default: 30 },
      categories: { type: "array", title: "Delivers", items: { type: "string", enum: GOODS } },
    },
    ["contact", "payment_days"],
  ),
  content: { contact: "sales@supplier.example", payment_days: 30 },
});

const merge: Kind = (random, n) => ({
  server: "CRM",
  tool: "merge_customers",
  args: { keep: `C-${n}`, remove: `C-${n + 7}`, name: one(random, COMPANIES) },
  message: `Merge customer C-${n + 7} into C-${n}? This can't be undone.`,
  schema: form({}),
  content: {},
});

const leave: Kind = (random, n) => {
  const employee = one(random, PEOPLE);
  return {
    server: "People",
    tool: "request_leave",
    args: { employee, days: 1 + (n % 20), from: "2026-12-21", subject: `Leave ${n}` },
    message: `${employee} asks for ${1 + (n % 20)} days of leave.`,
    schema: form(
      {
        decision: {
          type: "string",
          title: "Decision",
          oneOf: [
            { const: "grant", title: "Grant" },
            { const: "shorten", title: "Grant fewer days" },
            { const: "refuse", title: "Refuse" },
          ],
        },
        note: { type: "string", title: "Note to the employee", maxLength: 300 },
      },
      ["decision"],
    ),
    content: { decision: "grant" },
  };
};

const release: Kind = (random, n) => ({
  server: "Deploy",
  tool: "release_service",
  args: {
    service: one(random, ["checkout", "search", "mailer", "ledger"]),
    build_id: 40_000 + n,
    to: "production",
  },
  message: `Build ${40_000 + n} passed ${120 + (n % 80)} checks in staging. Release it to production?`,
  schema: form({ value: choice("Decision", ["release", "hold"]) }, ["value"]),
  content: { value: "release" },
});

const wipe: Kind = (random, n) => ({
  server: "Deploy",
  tool: "delete_environment",
  args: { environment: `preview-${n}`, owner: one(random, PEOPLE), reason: "not used for 30 days" },
  message: `Delete the environment preview-${n} with its database?`,
  schema: form({ confirm: { type: "boolean", title: "Delete it" } }, ["confirm"]),
  content: { confirm: true },
});

const flight: Kind = (random, n) => {
  const price = money(random, 80, 2400);
  const to = one(random, CITIES);
  return {
    server: "Travel",
    tool: "book_flight",
    args: { traveller: one(random, PEOPLE), to, price_eur: price, trip_id: `TR-${n}` },
    message: `Which fare to ${to} for trip TR-${n}? The cheapest is €${shown(price)}.`,
    schema: form(
      { fare: choice("Fare", ["basic", "flexible", "business"]), seat: choice("Seat", ["aisle", "window"]) },
      ["fare"],
    ),
    content: { fare: "basic" },
  };
};

const signature: Kind = (random, n) => {
  const partner = one(random, COMPANIES);
  return {
    server: "Contracts",
    tool: "sign_contract",
    args: { contract_id: `K-${n}`, partner },
    message: `Contract K-${n} with ${partner} waits for your signature.`,
    schema: null,
    url: `https://sign.example/contracts/K-${n}`,
    content: {},
  };
};

const KINDS: [number, Kind][] = [
  [0.4, invoice],
  [0.08, costCenter],
  [0.14, purchase],
  [0.04, supplier],
  [0.08, merge],
  [0.08, leave],
  [0.06, release],
  [0.04, wipe],
  [0.06, flight],
  [0.02, signature],
];

/** The n-th question, deterministic for the same randomness. */
export function questionOf(random: Random, n: number): Asked {
  let at = random();
  for (const [weight, kind] of KINDS) {
    at -= weight;
    if (at < 0) return kind(random, n);
  }
  return invoice(random, n);
}
