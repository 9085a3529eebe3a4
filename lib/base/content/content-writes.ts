/** Seals what the client's models write, by column. Raw statements seal for themselves. */
import { type Content, type ContentColumn, canonical } from "./content.ts";

type Values = Record<string, unknown>;

interface Model {
  /** The member that names the row that values are bound to. */
  row: string;
  text?: Record<string, ContentColumn>;
  json?: Record<string, ContentColumn>;
  /** SHA-256 of content. */
  hashes?: string[];
}

const MODELS: Record<string, Model> = {
  task: {
    row: "id",
    text: { label: "task.label", statusMessage: "task.status_message", outcome: "task.outcome" },
    json: {
      arguments: "task.arguments",
      askedArguments: "task.asked_arguments",
      progress: "task.progress",
      result: "task.result",
      error: "task.error",
    },
  },
  inputRequest: {
    row: "id",
    text: {
      message: "input_request.message",
      url: "input_request.url",
      assignmentNote: "input_request.assignment_note",
    },
    json: { requestedSchema: "input_request.requested_schema", form: "input_request.form" },
    hashes: ["questionHash", "judgedHash"],
  },
  answer: {
    row: "id",
    text: { comment: "answer.comment" },
    json: { content: "answer.content" },
    hashes: ["questionHash"],
  },
  // Its id is made by the database.
  protocolMessage: { row: "taskId", json: { body: "protocol_message.body" } },
};

/** Returns the arguments of a write with its content as it is to be stored. */
export function sealWrite(content: Content, model: string, args: unknown): unknown {
  const columns = MODELS[model];
  if (!columns || content.kid === null || typeof args !== "object" || args === null) return args;
  const { data, where } = args as { data?: unknown; where?: Values };
  if (typeof data !== "object" || data === null) return args;
  const sealed = Array.isArray(data)
    ? data.map((row: Values) => sealRow(content, model, columns, row, where))
    : sealRow(content, model, columns, data as Values, where);
  return { ...args, data: sealed };
}

function sealRow(content: Content, model: string, columns: Model, data: Values, where?: Values): Values {
  const row = data[columns.row] ?? where?.[columns.row];
  const sealed = { ...data };
  const bound = (): string => {
    if (typeof row !== "string") throw new Error(`${model}: content is written to rows that are not named`);
    return row;
  };
  for (const [name, column] of Object.entries(columns.text ?? {}))
    if (typeof data[name] === "string") sealed[name] = content.text(column, bound(), data[name]);
  for (const [name, column] of Object.entries(columns.json ?? {}))
    if (data[name] !== undefined && !isNull(data[name]))
      sealed[name] = content.json(column, bound(), data[name], readable(content, column, data[name]));
  for (const name of columns.hashes ?? [])
    if (typeof data[name] === "string") sealed[name] = content.hash(data[name]);
  if (model === "inputRequest" && ("amount" in data || "currency" in data)) {
    const { amount, currency } = data;
    sealed.privateAmount =
      typeof amount === "number"
        ? content.text("input_request.private_amount", bound(), JSON.stringify({ amount, currency }))
        : null;
    sealed.amount = null;
    sealed.currency = null;
  }
  return sealed;
}

/** The client's own words for null are objects of a class. */
function isNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return value === null;
  return !Array.isArray(value) && ![Object.prototype, null].includes(Object.getPrototypeOf(value));
}

/** What stays readable beside a sealed JSON value, because statements need it. */
export function readable(content: Content, column: ContentColumn, value: unknown): Values {
  if (content.kid === null || typeof value !== "object" || value === null) return {};
  if (column === "task.error") return { code: (value as Values).code };
  // Equal forms of a server may be answered together.
  if (column === "input_request.form" && (value as Values).kind === "supported")
    return { alike: content.digest("form", canonical(value)) };
  return {};
}
