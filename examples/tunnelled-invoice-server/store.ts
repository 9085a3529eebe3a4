import pg from "pg";

/**
 * Invoices in Postgres. What an invoice's state is follows from its times, so that nothing runs in between, and a kill at
 * any moment loses nothing.
 */
export interface Store {
  submit(invoice: NewInvoice): Promise<Invoice>;
  /** Null: there is none of this reference. */
  read(reference: string): Promise<Invoice | null>;
  /** Null: it is not waiting for an approval. */
  decide(
    reference: string,
    decision: "approved" | "rejected",
    reason: string | null,
  ): Promise<Invoice | null>;
  invoices(): Promise<Invoice[]>;
  /** Every call that wanted to change something, in order of arrival. */
  ledger(): Promise<LedgerLine[]>;
  close(): Promise<void>;
}

export interface NewInvoice {
  invoice_id: string;
  customer: string;
  amount: number;
  currency: string;
}

export interface Invoice extends NewInvoice {
  reference: string;
  status: "VALIDATING" | "PENDING-APPROVAL" | "PAYING" | "PAID" | "REJECTED";
  reason: string | null;
}

export interface LedgerLine {
  at: string;
  call: "submit" | "approved" | "rejected";
  reference: string;
  /** The call has changed something. */
  done: boolean;
}

const SCHEMA = `
  CREATE SCHEMA IF NOT EXISTS tunnelled_invoices;
  CREATE TABLE IF NOT EXISTS tunnelled_invoices.invoice (
    number serial PRIMARY KEY,
    invoice_id text NOT NULL,
    customer text NOT NULL,
    amount float8 NOT NULL,
    currency text NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT now(),
    decision text CHECK (decision IN ('approved', 'rejected')),
    decided_at timestamptz,
    reason text
  );
  CREATE TABLE IF NOT EXISTS tunnelled_invoices.ledger (
    seq bigserial PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    call text NOT NULL,
    reference text NOT NULL,
    done boolean NOT NULL
  );`;

/** One process prepares the tables at a time. */
const LOCK = 7_466_001;

export async function openStore(databaseUrl: string, stepMs: number): Promise<Store> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 5 });
  pool.on("error", (error) => console.error("an idle connection broke", error));
  await transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock($1)", [LOCK]);
    await client.query(SCHEMA);
  });

  const columns = `'T-' || number AS reference, invoice_id, customer, amount, currency, reason,
    CASE WHEN decision = 'rejected' THEN 'REJECTED'
      WHEN decision = 'approved' AND now() < decided_at + $1 * interval '1 ms' THEN 'PAYING'
      WHEN decision = 'approved' THEN 'PAID'
      WHEN now() < submitted_at + $1 * interval '1 ms' THEN 'VALIDATING'
      ELSE 'PENDING-APPROVAL' END AS status`;
  const note = (client: pg.PoolClient, call: LedgerLine["call"], reference: string, done: boolean) =>
    client.query("INSERT INTO tunnelled_invoices.ledger (call, reference, done) VALUES ($1, $2, $3)", [
      call,
      reference,
      done,
    ]);

  return {
    submit: ({ invoice_id, customer, amount, currency }) =>
      transaction(pool, async (client) => {
        const { rows } = await client.query<Invoice>(
          `INSERT INTO tunnelled_invoices.invoice (invoice_id, customer, amount, currency)
          VALUES ($2, $3, $4, $5) RETURNING ${columns}`,
          [stepMs, invoice_id, customer, amount, currency],
        );
        await note(client, "submit", rows[0]!.reference, true);
        return rows[0]!;
      }),
    async read(reference) {
      const { rows } = await pool.query<Invoice>(
        `SELECT ${columns} FROM tunnelled_invoices.invoice WHERE 'T-' || number = $2`,
        [stepMs, reference],
      );
      return rows[0] ?? null;
    },
    decide: (reference, decision, reason) =>
      transaction(pool, async (client) => {
        const { rows } = await client.query<Invoice>(
          `UPDATE tunnelled_invoices.invoice SET decision = $3, decided_at = now(), reason = $4
          WHERE 'T-' || number = $2 AND decision IS NULL AND now() >= submitted_at + $1 * interval '1 ms'
          RETURNING ${columns}`,
          [stepMs, reference, decision, reason],
        );
        await note(client, decision, reference, rows.length > 0);
        return rows[0] ?? null;
      }),
    async invoices() {
      const { rows } = await pool.query<Invoice>(
        `SELECT ${columns} FROM tunnelled_invoices.invoice ORDER BY number DESC LIMIT 100`,
        [stepMs],
      );
      return rows;
    },
    async ledger() {
      const { rows } = await pool.query<LedgerLine>(
        "SELECT at, call, reference, done FROM tunnelled_invoices.ledger ORDER BY seq",
      );
      return rows;
    },
    close: () => pool.end(),
  };
}

async function transaction<T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await client.query("BEGIN");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    await client.query("ROLLBACK").catch((cause: Error) => {
      broken = cause;
    });
    throw error;
  } finally {
    client.release(broken);
  }
}
