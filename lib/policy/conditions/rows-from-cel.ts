/** Reads conditions in CEL back into rows, if they have the shapes that rows write. Whatever else they say is for CEL alone. Pure. */
import { fieldsOf, kindOf, listIn, problemOfRow, type Row, type Rows, SHAPES } from "./rows.ts";
import { currentName, type Rules } from "./vocabulary.ts";

/** Returns the rows that say the same as the text, or null if no rows do. */
export function rowsIn(text: string, rules: Rules): Rows | null {
  if (text.trim() === "") return { join: "all", rows: [] };
  const tokens = tokensOf(text, rules);
  if (tokens === null) return null;
  for (const join of ["all", "any"] as const) {
    const rows = joined(tokens, join, rules);
    if (rows !== null) return { join: rows.length === 1 ? "all" : join, rows };
  }
  return null;
}

/** `name`: with its dots, as `tool.name`, or `.name` after a bracket. */
type Token = { kind: "name" | "text" | "number" | "sign"; text: string };

const TOKEN =
  /\s+|(?<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?<number>\d+(?:\.\d+)?)|(?<name>\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)|(?<sign>&&|\|\||[=!<>]=|[<>!()[\],*+-])/y;

function tokensOf(cel: string, rules: Rules): Token[] | null {
  const tokens: Token[] = [];
  for (let at = 0; at < cel.length; at = TOKEN.lastIndex) {
    TOKEN.lastIndex = at;
    const groups = TOKEN.exec(cel)?.groups;
    if (!groups) return null;
    const { text, number, name, sign } = groups;
    if (text !== undefined) {
      const said = unquoted(text);
      if (said === null) return null;
      tokens.push({ kind: "text", text: said });
    } else if (number !== undefined) tokens.push({ kind: "number", text: number });
    else if (name !== undefined) tokens.push({ kind: "name", text: currentName(name, rules) });
    else if (sign !== undefined) tokens.push({ kind: "sign", text: sign });
  }
  return tokens;
}

/** A text in quotes, with the escapes that JSON has too; null: it has others. */
function unquoted(quoted: string): string | null {
  const inner = quoted.startsWith("'")
    ? quoted.slice(1, -1).replace(/\\'|"/g, (it) => (it === '"' ? '\\"' : "'"))
    : quoted.slice(1, -1);
  try {
    return JSON.parse(`"${inner}"`) as string;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** All tokens as rows with one operator between them; null: they are something else. */
function joined(tokens: Token[], join: Rows["join"], rules: Rules): Row[] | null {
  const between = join === "all" ? "&&" : "||";
  const rows: Row[] = [];
  let at = 0;
  while (true) {
    const found = rowAt(tokens, at, between, rules);
    if (found === null) return null;
    rows.push(found.row);
    if (found.end === tokens.length) return rows;
    at = found.end + 1;
  }
}

interface Found {
  row: Row;
  /** The place after its last token. */
  end: number;
}

/** The longest row that begins at a place, up to the next operator or the end. */
function rowAt(tokens: Token[], at: number, between: string, rules: Rules): Found | null {
  let longest: Found | null = null;
  for (const field of fieldsOf(rules))
    for (const [operator, shape] of Object.entries(SHAPES[kindOf(field)!])) {
      const isLoose = shape.includes(" || ") && between === "&&";
      const found =
        withinParentheses(tokens, at, field, operator, shape) ?? matched(tokens, at, field, operator, shape);
      if (found === null || found.end <= (longest?.end ?? at)) continue;
      const next = tokens[found.end];
      if (next !== undefined && !(next.kind === "sign" && next.text === between)) continue;
      // `a || b && c` is no `(a || b) && c`.
      const isBare = tokens[at]?.text !== "(" || tokens[at]?.kind !== "sign";
      if (isLoose && isBare && !(at === 0 && next === undefined)) continue;
      if (problemOfRow(found.row) === null) longest = found;
    }
  return longest;
}

function withinParentheses(
  tokens: Token[],
  at: number,
  field: string,
  operator: string,
  shape: string,
): Found | null {
  if (!isSign(tokens[at], "(")) return null;
  const found = matched(tokens, at + 1, field, operator, shape);
  return found && isSign(tokens[found.end], ")") ? { ...found, end: found.end + 1 } : null;
}

const isSign = (token: Token | undefined, text: string) => token?.kind === "sign" && token.text === text;

/** Goes along the shape and the tokens at once. */
function matched(
  tokens: Token[],
  start: number,
  field: string,
  operator: string,
  shape: string,
): Found | null {
  const row: Row = { field, operator };
  let at = start;
  /** Takes a value of a row; false: the row has another one already. */
  const take = (name: "path" | "value" | "until" | "zone", given: string | null): boolean => {
    if (given === null || (row[name] !== undefined && row[name] !== given)) return false;
    row[name] = given;
    return true;
  };
  /** Of a time: whether hours are compared, or minutes of the day. */
  let isWhole = true;
  const next = (kind: Token["kind"], text?: string): Token | null => {
    const token = tokens[at];
    if (token?.kind !== kind || (text !== undefined && token.text !== text)) return null;
    at++;
    return token;
  };
  const readers: Record<string, () => boolean> = {
    text: () => take("value", next("text")?.text ?? null),
    texts: () => take("value", listAt()),
    number: () => take("value", numberAt(true)),
    whole: () => take("value", numberAt(false)),
    has: () => take("path", presenceAt()),
    argument: () => take("path", argumentAt()?.join(".") ?? null),
    minutes: () => minutesAt(),
    from: () => take("value", timeAt()),
    until: () => take("until", timeAt()),
  };
  const listAt = (): string | null => {
    if (!next("sign", "[")) return null;
    const items: string[] = [];
    do {
      const item = next("text");
      if (item === null) return null;
      items.push(item.text);
    } while (next("sign", ","));
    const written = items.join(", ");
    // A comma or a blank at the end within an item would be lost.
    const isSame = JSON.stringify(listIn(written)) === JSON.stringify(items);
    return isSame && next("sign", "]") ? written : null;
  };
  const numberAt = (mayBeLess: boolean): string | null => {
    const sign = mayBeLess && next("sign", "-") ? "-" : "";
    const number = next("number");
    return number && String(Number(sign + number.text));
  };
  /** `arguments.a["b"].c` as its names. */
  const argumentAt = (): string[] | null => {
    const begins = next("name")?.text.split(".");
    if (begins?.[0] !== "arguments") return null;
    const names = begins.slice(1);
    while (true) {
      if (isSign(tokens[at], "[") && tokens[at + 1]?.kind === "text" && isSign(tokens[at + 2], "]")) {
        names.push(tokens[at + 1]!.text);
        at += 3;
      } else if (tokens[at]?.kind === "name" && tokens[at]!.text.startsWith(".")) {
        names.push(...tokens[at]!.text.slice(1).split("."));
        at++;
      } else return names.some((name) => name.includes(".")) ? null : names;
    }
  };
  /** `has(arguments.a)` or `"a" in arguments` as names. */
  const onePresenceAt = (): string[] | null => {
    if (next("name", "has")) {
      const names = next("sign", "(") && argumentAt();
      return names && names.length > 0 && next("sign", ")") ? names : null;
    }
    const last = next("text");
    const above = last && next("name", "in") && argumentAt();
    return above && !last.text.includes(".") ? [...above, last.text] : null;
  };
  /** Each name on the way, one after the other. */
  const presenceAt = (): string | null => {
    let names: string[] = [];
    while (true) {
      const before = at;
      const found = names.length === 0 || next("sign", "&&") ? onePresenceAt() : null;
      const isNext =
        found?.length === names.length + 1 && names.every((name, place) => found[place] === name);
      if (!isNext) {
        at = before;
        return names.length === 0 ? null : names.join(".");
      }
      names = found;
    }
  };
  const zoneAt = (call: string): boolean =>
    next("name", call) !== null &&
    next("sign", "(") !== null &&
    take("zone", next("text")?.text ?? null) &&
    next("sign", ")") !== null;
  const minutesAt = (): boolean => {
    if (!zoneAt("now.getHours")) return false;
    isWhole = !next("sign", "*");
    return (
      isWhole || (next("number", "60") !== null && next("sign", "+") !== null && zoneAt("now.getMinutes"))
    );
  };
  const timeAt = (): string | null => {
    const number = next("number")?.text;
    if (number === undefined || !/^\d{1,4}$/.test(number)) return null;
    const minutes = Number(number) * (isWhole ? 60 : 1);
    return `${pad(Math.floor(minutes / 60))}:${pad(minutes % 60)}`;
  };
  for (const part of partsOf(shape, field)) {
    const isRead =
      part.hole === null ? next(part.token.kind, part.token.text) !== null : readers[part.hole]!();
    if (!isRead) return null;
  }
  return { row, end: at };
}

const pad = (number: number) => String(number).padStart(2, "0");

type Part = { hole: string } | { hole: null; token: Token };

const parts = new Map<string, Part[]>();

/** The shape as tokens with places for values. */
function partsOf(shape: string, field: string): Part[] {
  const key = `${shape} ${field}`;
  const known = parts.get(key);
  if (known) return known;
  const made = [...shape.replaceAll("@", field).matchAll(/\$(\w+)|[^\s$]+|\s+/g)].flatMap(
    ([written, hole]): Part[] =>
      hole === undefined
        ? (tokensOf(written, "call") ?? []).map((token) => ({ hole: null, token }))
        : [{ hole }],
  );
  parts.set(key, made);
  return made;
}
