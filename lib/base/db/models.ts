/**
 * Prisma's models inside a transaction. A client is lent to one transaction at a time, and its driver adapter sends each statement
 * on that transaction's connection: models and raw statements share BEGIN and COMMIT. Making a client takes some
 * 10 ms and 5 MB, so clients are kept.
 */
import {
  type ArgType,
  type ColumnType,
  ColumnTypeEnum,
  DriverAdapterError,
  type SqlDriverAdapter,
  type SqlQuery,
  type SqlResultSet,
  type Transaction,
} from "@prisma/driver-adapter-utils";
import pg from "pg";
import { PrismaClient } from "../../generated/prisma/client.ts";
import { parseEach, parseTime } from "./raw.ts";
import type { Statement } from "./statements.ts";

/** Sends a statement in the transaction. */
type Send = (statement: Statement) => Promise<pg.QueryResult>;

export interface BorrowedModels {
  /** `name`: a member of Prisma's client, such as `inputRequest`. */
  model(name: string): object;
  /** Ends the loan. No statement is sent any more. */
  giveBack(): void;
}

const OUTSIDE = "models are used within a transaction only";

/** Clients that no transaction has. */
const free: { client: PrismaClient; adapter: LentAdapter }[] = [];

/** Lends a client to the transaction of `send`. */
export function borrowModels(send: Send): BorrowedModels {
  const lent = free.pop() ?? newClient();
  const { client, adapter } = lent;
  adapter.send = send;
  /** Calls under way. A client with one is not lent again, as it might send a statement of it then. */
  let calls = 0;
  let isOver = false;
  const models = new Map<string, object>();
  const counted = (model: Record<string, unknown>): object =>
    new Proxy(model, {
      get(target, method) {
        const run = target[method as string];
        if (typeof run !== "function") return run;
        return async (...given: unknown[]) => {
          if (isOver) throw new Error(OUTSIDE);
          calls++;
          try {
            return await run.apply(target, given);
          } finally {
            calls--;
          }
        };
      },
    });
  return {
    model(name) {
      const known = models.get(name) ?? counted(client[name as never] as Record<string, unknown>);
      models.set(name, known);
      return known;
    },
    giveBack() {
      isOver = true;
      adapter.send = null;
      if (calls === 0) free.push(lent);
    },
  };
}

function newClient() {
  const adapter = new LentAdapter();
  const { provider, adapterName } = adapter;
  return {
    adapter,
    client: new PrismaClient({ adapter: { provider, adapterName, connect: async () => adapter } }),
  };
}

/** Prisma's way to the connection of the transaction that has the client. */
export class LentAdapter implements SqlDriverAdapter {
  readonly provider = "postgres";
  readonly adapterName = "intray";
  send: Send | null = null;

  async queryRaw(query: SqlQuery): Promise<SqlResultSet> {
    const { fields, rows } = await this.#query(query);
    return {
      columnNames: fields.map(({ name }) => name),
      columnTypes: fields.map(({ dataTypeID }) => columnOf(dataTypeID).type),
      rows,
    };
  }

  async executeRaw(query: SqlQuery): Promise<number> {
    return (await this.#query(query)).rowCount ?? 0;
  }

  async executeScript(script: string): Promise<void> {
    await this.#query({ sql: script, args: [], argTypes: [] });
  }

  /** Of a model's call that takes several statements: they are undone together, without ending the transaction. */
  async startTransaction(): Promise<Transaction> {
    await this.executeScript("SAVEPOINT model");
    return {
      provider: this.provider,
      adapterName: this.adapterName,
      // Prisma sends no COMMIT or ROLLBACK of its own.
      options: { usePhantomQuery: true },
      queryRaw: (query) => this.queryRaw(query),
      executeRaw: (query) => this.executeRaw(query),
      commit: () => this.executeScript("RELEASE SAVEPOINT model"),
      rollback: () => this.executeScript("ROLLBACK TO SAVEPOINT model"),
    };
  }

  getConnectionInfo() {
    return { supportsRelationJoins: true };
  }

  async dispose(): Promise<void> {}

  async #query({ sql, args, argTypes }: SqlQuery): Promise<pg.QueryResult> {
    if (!this.send) throw new Error(OUTSIDE);
    const values = args.map((value, at) => parameterOf(value, argTypes[at]));
    try {
      return await this.send({ text: sql, values, types, rowMode: "array" });
    } catch (error) {
      if (error instanceof pg.DatabaseError) throw new DriverAdapterError(mapped(error));
      throw error;
    }
  }
}

/** Returns the error as Prisma has it, which keeps the SQLSTATE (`sqlState()`). */
function mapped(error: pg.DatabaseError): ConstructorParameters<typeof DriverAdapterError>[0] {
  const { code = "", message, severity = "", detail, column, hint, constraint } = error;
  const original = { originalCode: code, originalMessage: message };
  if (code === "23505")
    return {
      ...original,
      kind: "UniqueConstraintViolation",
      ...(constraint && { constraint: { index: constraint } }),
    };
  return { ...original, kind: "postgres", code, severity, message, detail, column, hint };
}

function parameterOf(value: unknown, type: ArgType | undefined): unknown {
  if (Array.isArray(value) && type?.arity === "list") return value.map((one) => parameterOf(one, type));
  if (type?.scalarType === "bytes" && typeof value === "string") return Buffer.from(value, "base64");
  if (value instanceof Date) return value.toISOString();
  return ArrayBuffer.isView(value) ? Buffer.from(value.buffer, value.byteOffset, value.byteLength) : value;
}

interface Column {
  type: ColumnType;
  parse(text: string): unknown;
}

const asText = (text: string) => text;
const { builtins } = pg.types;
const parseBytes = pg.types.getTypeParser(builtins.BYTEA) as unknown as Column["parse"];
const asIso = (text: string) => parseTime(text).toISOString();

/** The types of the schema's columns, by Postgres' ids. */
const SCALARS: Record<number, Column> = {
  [builtins.BOOL]: { type: ColumnTypeEnum.Boolean, parse: (text) => text === "t" },
  [builtins.INT2]: { type: ColumnTypeEnum.Int32, parse: Number },
  [builtins.INT4]: { type: ColumnTypeEnum.Int32, parse: Number },
  [builtins.INT8]: { type: ColumnTypeEnum.Int64, parse: asText },
  [builtins.FLOAT8]: { type: ColumnTypeEnum.Double, parse: Number },
  [builtins.NUMERIC]: { type: ColumnTypeEnum.Numeric, parse: asText },
  [builtins.DATE]: { type: ColumnTypeEnum.Date, parse: asText },
  [builtins.TIMESTAMPTZ]: { type: ColumnTypeEnum.DateTime, parse: asIso },
  [builtins.JSON]: { type: ColumnTypeEnum.Json, parse: asText },
  [builtins.JSONB]: { type: ColumnTypeEnum.Json, parse: asText },
  [builtins.BYTEA]: { type: ColumnTypeEnum.Bytes, parse: parseBytes },
  [builtins.UUID]: { type: ColumnTypeEnum.Uuid, parse: asText },
  [builtins.TEXT]: { type: ColumnTypeEnum.Text, parse: asText },
  [builtins.VARCHAR]: { type: ColumnTypeEnum.Text, parse: asText },
};
const ARRAYS: Record<number, { type: ColumnType; element: number }> = {
  1007: { type: ColumnTypeEnum.Int32Array, element: builtins.INT4 },
  1016: { type: ColumnTypeEnum.Int64Array, element: builtins.INT8 },
  1009: { type: ColumnTypeEnum.TextArray, element: builtins.TEXT },
  2951: { type: ColumnTypeEnum.UuidArray, element: builtins.UUID },
};

function columnOf(id: number): Column {
  const array = ARRAYS[id];
  if (array) return { type: array.type, parse: (text) => parseEach(text, columnOf(array.element).parse) };
  const column = SCALARS[id];
  if (!column) throw new Error(`no model has a column of Postgres' type ${id}`);
  return column;
}

const types = { getTypeParser: (id: number) => columnOf(id).parse } as unknown as pg.CustomTypesConfig;
