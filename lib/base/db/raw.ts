/** Raw statements as Prisma's client takes and answers them, for `pg`: values and results have the same types. */
import pg from "pg";
import { Prisma } from "../../generated/prisma/client.ts";
import type { Statement } from "./statements.ts";

export interface RawStatement {
  text: string;
  values: unknown[];
}

/** The statement of a tagged template, or of `Prisma.sql`. */
export function statementOf(query: TemplateStringsArray | Prisma.Sql, values: unknown[]): RawStatement {
  const sql = isTemplate(query) ? Prisma.sql(query, ...values) : query;
  return { text: sql.text, values: sql.values };
}

function isTemplate(query: TemplateStringsArray | Prisma.Sql): query is TemplateStringsArray {
  return Array.isArray(query);
}

export function toQuery({ text, values }: RawStatement): Statement {
  return { text, values: values.map(toParameter), types };
}

/** A time has its zone in it, whatever the session's is. */
function toParameter(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  if (Array.isArray(value)) return value.map(toParameter);
  return Prisma.Decimal.isDecimal(value) ? value.toString() : value;
}

type Parse = (text: string) => unknown;

const { builtins } = pg.types;
/** `text[]` */
const parseTexts = pg.types.getTypeParser(1009 as number) as Parse;

const SCALARS: Record<number, Parse> = {
  [builtins.INT8]: BigInt,
  [builtins.OID]: BigInt,
  [builtins.NUMERIC]: (text) => new Prisma.Decimal(text),
  [builtins.DATE]: (text) => new Date(text),
  [builtins.TIME]: (text) => new Date(`1970-01-01T${text}Z`),
  [builtins.TIMESTAMP]: (text) => new Date(`${text.replace(" ", "T")}Z`),
  [builtins.TIMESTAMPTZ]: parseTime,
  [builtins.BYTEA]: (text) => Uint8Array.from(pg.types.getTypeParser(builtins.BYTEA)(text) as Buffer),
};

/** Arrays of those, by the array's type. */
const ARRAYS: Record<number, number> = {
  1016: builtins.INT8,
  1028: builtins.OID,
  1231: builtins.NUMERIC,
  1182: builtins.DATE,
  1183: builtins.TIME,
  1115: builtins.TIMESTAMP,
  1185: builtins.TIMESTAMPTZ,
  1001: builtins.BYTEA,
};

/** Parses a `timestamptz`: Postgres' own way to write one is not one that every JavaScript has to read. */
export function parseTime(text: string): Date {
  if (text.endsWith("+00")) return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
  return pg.types.getTypeParser(builtins.TIMESTAMPTZ)(text) as unknown as Date;
}

const parsers = new Map<number, Parse>();

function parserOf(oid: number): Parse {
  const known = parsers.get(oid);
  if (known) return known;
  const element = SCALARS[ARRAYS[oid] ?? 0];
  const parse: Parse = element
    ? (text) => parseEach(text, element)
    : (SCALARS[oid] ?? (pg.types.getTypeParser(oid) as Parse));
  parsers.set(oid, parse);
  return parse;
}

/** Parses an array, which may hold arrays and nulls. */
export function parseEach(text: string, parse: Parse): unknown {
  const each = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(each);
    return typeof value === "string" ? parse(value) : value;
  };
  return each(parseTexts(text));
}

/** For `pg`, which asks by the type and the format; everything here comes as text. */
const types = { getTypeParser: parserOf } as unknown as pg.CustomTypesConfig;

/** Of several statements in one text the last one's result counts. */
function lastOf(result: pg.QueryResult | pg.QueryResult[]): pg.QueryResult | undefined {
  return Array.isArray(result) ? result.at(-1) : result;
}

export function rowsOf<T>(result: pg.QueryResult | pg.QueryResult[]): T[] {
  return (lastOf(result)?.rows ?? []) as T[];
}

export function countOf(result: pg.QueryResult | pg.QueryResult[]): number {
  return lastOf(result)?.rowCount ?? 0;
}
