import { ended, states } from "./state.ts";

/**
 * The tables, created at start. The database itself refuses a second answer, a second payment and a changed
 * ledger.
 */

const list = (values: readonly string[]) => values.map((value) => `'${value}'`).join(", ");

export const SCHEMA = `
begin;
select pg_advisory_xact_lock(hashtext('invoice-server schema'));

create table if not exists invoice_task (
  task_id             text primary key,
  idempotency_key     text unique,
  invoice_id          text not null,
  invoice             jsonb not null,
  state               text not null check (state in (${list(states)})),
  question_key        text,
  -- json, not jsonb: people see the fields of the form in the order they were written.
  question            json,
  question_expires_at timestamptz,
  reason              text,
  result              json,
  error               jsonb,
  lines_paid          int not null default 0,
  lines_failed        int not null default 0,
  ttl_ms              bigint not null,
  created_at          timestamptz not null,
  updated_at          timestamptz not null,
  check ((state like 'PENDING-%') = (question_key is not null)),
  check (num_nonnulls(question_key, question, question_expires_at) in (0, 3)),
  check (num_nonnulls(result, error) = (state in ('PAID', 'REJECTED', 'FAILED'))::int)
);
create index if not exists invoice_task_listing on invoice_task (created_at desc, task_id desc);
create index if not exists invoice_task_open on invoice_task (invoice_id) where state not in (${list(ended)});

create table if not exists invoice_line (
  task_id     text not null references invoice_task on delete cascade,
  line        int not null,
  description text not null,
  cents       bigint not null check (cents > 0),
  due_at      timestamptz not null,
  forced_at   timestamptz,
  paid_at     timestamptz,
  reference   text,
  failure     text,
  primary key (task_id, line),
  check ((paid_at is null) = (reference is null)),
  check (paid_at is null or failure is null)
);

-- The first answer to a question, and only that one.
create table if not exists invoice_answer (
  task_id      text not null references invoice_task on delete cascade,
  question_key text not null,
  content      jsonb,
  at           timestamptz not null default clock_timestamp(),
  primary key (task_id, question_key)
);

-- What this server was told and what it did. Outlives the tasks.
create table if not exists invoice_ledger (
  id      bigint generated always as identity primary key,
  at      timestamptz not null default clock_timestamp(),
  task_id text not null,
  kind    text not null,
  data    jsonb not null default '{}'
);
create index if not exists invoice_ledger_task on invoice_ledger (task_id, id);
create unique index if not exists invoice_ledger_paid_once
  on invoice_ledger (task_id, (data->>'line')) where kind = 'paid';
create unique index if not exists invoice_ledger_answered_once
  on invoice_ledger (task_id, (data->>'question')) where kind = 'told' and (data->>'accepted')::boolean;

create or replace function invoice_ledger_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'the ledger is append-only';
end $$;
create or replace trigger invoice_ledger_append_only before update or delete on invoice_ledger
  for each row execute function invoice_ledger_append_only();

-- Wakes open streams after every visible change, whoever made it.
create or replace function invoice_task_changed() returns trigger language plpgsql as $$
begin
  perform pg_notify('invoice_task', new.task_id);
  return null;
end $$;
create or replace trigger invoice_task_changed after update of updated_at on invoice_task
  for each row execute function invoice_task_changed();

commit;
`;
