/** SQL of filters. Only attributes that are listed can be asked for, and every value is a parameter. */
import { Prisma, storableText } from "../../../base/db/db.ts";
import { ScimError } from "./error.ts";
import type { Comparison, Filter, FilterValue } from "./filter.ts";
import { flagOf } from "./values.ts";

/** How an attribute is compared. `text` knows no case; `exact` does; `part`: one of several values, by a subquery. */
export type Attribute =
  | { kind: "text" | "exact" | "boolean" | "time"; sql: Prisma.Sql }
  | { kind: "part"; exists: (condition: Prisma.Sql) => Prisma.Sql; sql: Prisma.Sql };

/** Throws `invalidFilter` for an attribute or a comparison that there is not. */
export function conditionOf(filter: Filter, attributes: ReadonlyMap<string, Attribute>): Prisma.Sql {
  if (filter.kind === "not")
    return Prisma.sql`(NOT coalesce(${conditionOf(filter.part, attributes)}, false))`;
  if (filter.kind !== "compare") {
    const parts = filter.parts.map((part) => conditionOf(part, attributes));
    return Prisma.sql`(${Prisma.join(parts, filter.kind === "and" ? " AND " : " OR ")})`;
  }
  const attribute = attributes.get(filter.path);
  if (!attribute)
    throw new ScimError(400, "invalidFilter", "The filter asks for an attribute that is not kept.");
  const { comparison, value } = filter;
  if (attribute.kind !== "part") return compare(attribute.kind, attribute.sql, comparison, value);
  if (comparison === "pr") return attribute.exists(Prisma.sql`true`);
  // None of several values may be the one.
  if (comparison === "ne")
    return Prisma.sql`(NOT ${attribute.exists(compare("exact", attribute.sql, "eq", value))})`;
  return attribute.exists(compare("exact", attribute.sql, comparison, value));
}

function compare(
  kind: "text" | "exact" | "boolean" | "time",
  sql: Prisma.Sql,
  comparison: Comparison,
  value: FilterValue,
): Prisma.Sql {
  if (comparison === "pr") return Prisma.sql`(${sql} IS NOT NULL)`;
  if (value === null && comparison === "eq") return Prisma.sql`(${sql} IS NULL)`;
  if (value === null && comparison === "ne") return Prisma.sql`(${sql} IS NOT NULL)`;
  if (kind === "boolean") return compareFlag(sql, comparison, value);
  if (kind === "time") return compareTime(sql, comparison, value);
  if (typeof value !== "string") throw mismatch();
  const text = storableText(kind === "text" ? value.toLowerCase() : value);
  const own = kind === "text" ? Prisma.sql`lower(${sql})` : sql;
  switch (comparison) {
    case "eq":
      return Prisma.sql`(${own} = ${text}::text)`;
    case "ne":
      return Prisma.sql`(${own} IS DISTINCT FROM ${text}::text)`;
    case "co":
      return Prisma.sql`(strpos(${own}, ${text}::text) > 0)`;
    case "sw":
      return Prisma.sql`starts_with(${own}, ${text}::text)`;
    case "ew":
      return Prisma.sql`(right(${own}, length(${text}::text)) = ${text}::text)`;
    default:
      return Prisma.sql`(${own} COLLATE "C" ${ORDER[comparison]} ${text}::text)`;
  }
}

const ORDER = {
  gt: Prisma.sql`>`,
  ge: Prisma.sql`>=`,
  lt: Prisma.sql`<`,
  le: Prisma.sql`<=`,
};

/** Entra asks for "True" and "False" as text. */
function compareFlag(sql: Prisma.Sql, comparison: Comparison, value: FilterValue): Prisma.Sql {
  const flag = flagOf(value);
  if (flag === null || (comparison !== "eq" && comparison !== "ne")) throw mismatch();
  return comparison === "eq" ? Prisma.sql`(${sql} = ${flag})` : Prisma.sql`(${sql} <> ${flag})`;
}

function compareTime(sql: Prisma.Sql, comparison: Comparison, value: FilterValue): Prisma.Sql {
  const time = typeof value === "string" && /^\d{4}-\d\d-\d\d/.test(value) ? new Date(value) : null;
  if (!time || Number.isNaN(time.getTime())) throw mismatch();
  const at = Prisma.sql`${time.toISOString()}::timestamptz`;
  if (comparison === "eq") return Prisma.sql`(${sql} = ${at})`;
  if (comparison === "ne") return Prisma.sql`(${sql} <> ${at})`;
  if (comparison === "co" || comparison === "sw" || comparison === "ew" || comparison === "pr")
    throw mismatch();
  return Prisma.sql`(${sql} ${ORDER[comparison]} ${at})`;
}

function mismatch(): ScimError {
  return new ScimError(
    400,
    "invalidFilter",
    "The filter compares an attribute with a value of another kind.",
  );
}
