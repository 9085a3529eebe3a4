/** Approvals of a call with other arguments than it was asked about with, as people see them. */
import { actorWords } from "../../access/actor-words.ts";
import { isRecord } from "../../text/json.ts";
import { isApproval } from "../answers/form-buttons.ts";
import type { InputRequestDetail } from "../request-schema.ts";
import { programCallOf } from "./own-questions.ts";

type Json = Record<string, unknown>;

/** The arguments that are to be approved, and the schema that a program gave with them. Of a call of Intray's own, its server has it. */
export function askedCall({ gate, arguments: args }: Pick<InputRequestDetail, "gate" | "arguments">): {
  arguments: Json;
  inputSchema: Json;
} {
  const subject = gate === null && isRecord(args.subject) ? args.subject : {};
  const inputSchema = isRecord(subject.inputSchema) ? subject.inputSchema : {};
  return { arguments: gate ? args : isRecord(subject.arguments) ? subject.arguments : {}, inputSchema };
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

/** What is compared of a request and an earlier one: of a coding agent's call its input, not when it ends or how it is called here. */
export function comparedArguments(
  request: Pick<InputRequestDetail, "arguments" | "origin" | "gate">,
  args: Json = request.arguments,
): Json {
  return programCallOf({ ...request, arguments: args })?.input ?? args;
}

/** What an approval with changes does. */
export function editWords({
  gate,
  server,
  requestedBy,
}: Pick<InputRequestDetail, "gate" | "server" | "requestedBy">): string {
  const asker = actorWords(requestedBy, { begins: true });
  return gate
    ? `${server.name} is called with your arguments. ${asker} is told what you changed.`
    : `${asker} is told what you changed, and may make the call with your arguments alone.`;
}
