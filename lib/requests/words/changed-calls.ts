/** Approvals of a call with other arguments than it was asked about with, as people see them. */
import { actorWords } from "../../access/actor-words.ts";
import { isRecord } from "../../text/json.ts";
import { isApproval } from "../answers/form-buttons.ts";
import type { InputRequestDetail } from "../request-schema.ts";
import { programCallOf } from "./own-questions.ts";

type Json = Record<string, unknown>;

/**
 * The arguments that are to be approved, and the schema by which they are edited: the one that a program gave with them, or the shape
 * of a coding agent's input. Of a call of Intray's own, its server has it.
 */
export function askedCall(request: Pick<InputRequestDetail, "gate" | "arguments" | "origin">): {
  arguments: Json;
  inputSchema: Json;
} {
  const programs = programCallOf(request);
  if (programs) return { arguments: programs.input, inputSchema: shapeOf(programs.input) };
  const { gate, arguments: args } = request;
  const subject = gate === null && isRecord(args.subject) ? args.subject : {};
  const inputSchema = isRecord(subject.inputSchema) ? subject.inputSchema : {};
  return { arguments: gate ? args : isRecord(subject.arguments) ? subject.arguments : {}, inputSchema };
}

const TYPES = new Set(["number", "boolean"]);
/** A text of so many characters is edited in lines, as commands and files are. */
const LONG_TEXT = { type: "string", maxLength: 128 * 1024 };

/** A field for each text, number and choice, in the order of the program; anything else is edited as JSON. */
function shapeOf(input: Json): Json {
  const fields = Object.entries(input).map(([name, value]) => [
    name,
    typeof value === "string" ? LONG_TEXT : TYPES.has(typeof value) ? { type: typeof value } : {},
  ]);
  return { type: "object", properties: Object.fromEntries(fields) };
}

/** The changed arguments that voters have agreed to; null: none of them changed anything. */
export function agreedChange({
  approval,
  editable,
}: Pick<InputRequestDetail, "approval" | "editable">): Json | null {
  const said = approval?.content?.arguments;
  return editable && isRecord(said) ? said : null;
}

/** The changed arguments that were approved; null: it was approved as it was asked, or not at all. */
export function approvedChange(
  request: Pick<InputRequestDetail, "answer" | "fields" | "origin" | "gate" | "tool">,
): Json | null {
  const { answer, fields } = request;
  const said = answer?.action === "accept" ? answer.content?.arguments : undefined;
  const isBare = fields.kind === "supported" && fields.fields.length === 0;
  return isBare && isApproval(request) && isRecord(said) ? said : null;
}

/**
 * What is compared of a request and an earlier one: of a coding agent's call what people read, not when it ends. The input is a member of
 * its own, since its members may have any names. `isMasked`: secrets that may differ are not compared.
 */
export function comparedArguments(
  request: Pick<InputRequestDetail, "arguments" | "origin" | "gate">,
  args: Json = request.arguments,
): { compared: Json; isMasked: boolean } {
  const call = programCallOf({ ...request, arguments: args });
  if (!call) return { compared: args, isMasked: false };
  const { program, tool, cwd = null, by = null, input, isMasked } = call;
  return { compared: { program, tool, directory: cwd, helper: by, input }, isMasked: isMasked === true };
}

/** What an approval with changes does. */
export function editWords({
  gate,
  server,
  requestedBy,
  ...request
}: Pick<InputRequestDetail, "gate" | "server" | "requestedBy" | "arguments" | "origin">): string {
  const asker = actorWords(requestedBy, { begins: true });
  const programs = programCallOf({ gate, ...request });
  if (programs) return `${programs.program} makes the call with your input, and is told what it is.`;
  return gate
    ? `${server.name} is called with your arguments. ${asker} is told what you changed.`
    : `${asker} is told what you changed, and may make the call with your arguments alone.`;
}
