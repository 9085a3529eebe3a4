/**
 * Approvals of a call that a person has changed (docs/decisions/089): the answer's content is `{arguments}`, with which the call is made
 * instead. It counts only if the tool takes these arguments, and only for the people who have to approve them. Call rules judge them as
 * any approved call (approved-call.ts).
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Principal } from "../../access/principal.ts";
import { keptTools } from "../../agents/kept-tools.ts";
import { Prisma, type Tx } from "../../base/db/db.ts";
import { AppError, notFound } from "../../base/errors.ts";
import { areQuick, validateArguments } from "../../mcp/forms/arguments.ts";
import { formSchema } from "../../mcp/forms/form.ts";
import { canonicalJson } from "../../mcp/forms/jcs.ts";
import { judgeArguments, refuseArguments } from "../../mcp/forms/refuse-arguments.ts";
import type { ApprovalStage } from "../../policy/judge.ts";
import { POLICY_OF_TASK } from "../../policy/judge-request.ts";
import { labelOf } from "../../tasks/task-status.ts";
import { visibleTask } from "../../tasks/visibility.ts";
import { amountOf } from "../../text/amount.ts";
import { isRecord } from "../../text/json.ts";
import { approvalOf } from "../capture/insert-request.ts";
import type { LockedRequest } from "../lock-request.ts";
import type { AnswerInput } from "../request-input-schema.ts";
import { amountIn } from "../request-row.ts";
import { approvalOn } from "../voting/judge-voter.ts";
import { labelFor } from "../words/program-call.ts";

type Json = Record<string, unknown>;

// A z.record would drop a member `__proto__`.
const jsonSchema = z.custom<Json>(isRecord);
/** A call elsewhere that people may change: as a program tells it (`subject` of POST /requests), or as a coding agent's hook does. */
const elsewhereSchema = z.union([
  z.object({
    subject: z.object({
      editable: z.literal(true),
      arguments: jsonSchema,
      inputSchema: jsonSchema.optional(),
    }),
  }),
  z.object({
    call: z.object({ editable: z.literal(true), tool: z.string(), input: jsonSchema }),
  }),
]);

/** SHA-256, in hex, of arguments in RFC 8785's form. */
export function argumentsDigest(args: Json): string {
  return createHash("sha256").update(canonicalJson(args)).digest("hex");
}

/** Whether people may change the call that they approve. `arguments`: the task's. */
export function isEditable({
  state,
  origin,
  gate,
  arguments: args,
}: {
  state: string;
  origin: string;
  gate: string | null;
  arguments: unknown;
}): boolean {
  if (state !== "open" || origin !== "intray") return false;
  return gate === null ? elsewhereSchema.safeParse(args).success : gate === "waiting";
}

/** The changed arguments in an answer; null: it changes nothing. A form of an own question may have a field of this name. */
export function changedArguments(
  { origin, form }: Pick<LockedRequest, "origin" | "form">,
  { action, content = {} }: Pick<AnswerInput, "action" | "content">,
): Json | null {
  if (action !== "accept" || origin !== "intray" || Object.keys(content).join() !== "arguments") return null;
  const asked = formSchema.parse(form);
  return asked.kind === "supported" && asked.fields.length === 0 && isRecord(content.arguments)
    ? content.arguments
    : null;
}

interface CallRow {
  id: string;
  serverId: string;
  tool: string;
  gate: string | null;
  label: string | null;
  arguments: unknown;
}

const CALL = Prisma.sql`t.id, t.server_id AS "serverId", t.tool, t.gate, t.label, t.arguments`;

/** What is asked about, and by which schema it is checked. Throws `invalid_content` where people can't change it. */
async function askedCall(tx: Tx, { gate, serverId, tool, ...task }: CallRow) {
  if (gate === null) {
    const { data } = elsewhereSchema.safeParse(task.arguments);
    if (!data) throw notEditable("This request can only be approved as it is.");
    if ("call" in data) return { arguments: data.call.input, schema: {} };
    const { arguments: asked, inputSchema = {} } = data.subject;
    return { arguments: asked, schema: inputSchema };
  }
  const listed = (await keptTools(tx, [{ id: serverId, checkedAt: null }])).get(serverId)?.get(tool)?.tool;
  if (!listed) throw notEditable("The server does not list this tool any more.");
  return { arguments: jsonSchema.parse(task.arguments), schema: listed.inputSchema };
}

function notEditable(message: string): AppError {
  return new AppError("invalid_content", message, { errors: [{ field: "content.arguments", message }] });
}

/**
 * Checks changed arguments by a schema that may take long, before the answer's transaction: none is held meanwhile. Does nothing for
 * any other answer. Throws `invalid_arguments`.
 */
export async function refuseUnfitChange(
  principal: Principal,
  inputRequestId: string,
  input: Pick<AnswerInput, "action" | "content">,
  within: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>,
): Promise<void> {
  if (!isRecord(input.content?.arguments)) return;
  const slow = await within((tx) => slowCheck(tx, principal, inputRequestId, input));
  if (slow)
    refuseArguments(slow.args, await judgeArguments(principal.organizationId, slow.schema, slow.args));
}

async function slowCheck(
  tx: Tx,
  principal: Principal,
  inputRequestId: string,
  input: Pick<AnswerInput, "action" | "content">,
): Promise<{ schema: Json; args: Json } | null> {
  const [row] = await tx.$queryRaw<(CallRow & Pick<LockedRequest, "origin" | "form">)[]>`
    SELECT ${CALL}, r.origin, r.form
    FROM input_request r JOIN task t ON t.organization_id = r.organization_id AND t.id = r.task_id
    WHERE r.organization_id = ${tx.organizationId}::uuid AND r.id = ${inputRequestId}::uuid AND ${visibleTask(principal)}`;
  if (!row) throw notFound("request");
  const args = changedArguments(row, input);
  if (!args) return null;
  const { schema } = await askedCall(tx, row);
  return areQuick(schema, args) ? null : { schema, args };
}

/**
 * Judges changed arguments for a request whose lock is held, and returns the answer's content: none where nothing was changed. Throws
 * `invalid_content`, `invalid_arguments`, and `approval_differs` where the policy has others decide on them.
 */
export async function contentOfChange(tx: Tx, request: LockedRequest, args: Json): Promise<Json> {
  const [task] = await tx.$queryRaw<(CallRow & { policy: unknown })[]>`
    SELECT ${CALL}, ${POLICY_OF_TASK} AS policy FROM task t WHERE t.organization_id = ${tx.organizationId}::uuid AND t.id = ${request.taskId}::uuid`;
  if (!task) throw notFound("request");
  const asked = await askedCall(tx, task);
  if (canonicalJson(args) === canonicalJson(asked.arguments)) return {};
  // A schema that may take long was asked before this transaction.
  const check = areQuick(asked.schema, args)
    ? validateArguments(asked.schema, args)
    : { checked: false as const, reason: "It was checked before." };
  refuseArguments(args, check);
  await refuseOtherApprovers(tx, request, task, args);
  return { arguments: args };
}

/** Refuses a change of which the policy says that others decide. Where it asks for nobody in particular, the present people do. */
async function refuseOtherApprovers(
  tx: Tx,
  request: LockedRequest,
  task: CallRow & { policy: unknown },
  args: Json,
): Promise<void> {
  if (!task.policy) return;
  const { form, ...shown } = await tx.inputRequest.findFirstOrThrow({
    where: { organizationId: tx.organizationId, id: request.id },
    select: {
      ...{ id: true, message: true, form: true, url: true },
      ...{ amount: true, currency: true, privateAmount: true },
    },
  });
  const isOwnCall = task.gate !== null;
  const changed = isOwnCall ? args : withArguments(jsonSchema.parse(task.arguments), args);
  // Of a call elsewhere, the program may have named an amount beside the arguments.
  const amount = amountOf(args, shown.message) ?? (isOwnCall ? null : amountIn(shown));
  const next = approvalOf(
    { policy: task.policy, tool: task.tool, label: labelAs(task, args), arguments: changed },
    {
      ...shown,
      ...{ amount: amount?.value ?? null, currency: amount?.currency ?? null },
      form: form as Prisma.InputJsonValue,
    },
    false,
  );
  if (!next) return;
  const present = approvalOn(request);
  // Another version of the policy may have the same rules.
  const rulesOf = ({ rule, rules, requester, stages }: typeof next) =>
    JSON.stringify([rule, rules, requester, stages.map(askedOf)]);
  if (present && rulesOf(present) === rulesOf(next)) return;
  throw new AppError(
    "approval_differs",
    `For these arguments, the rule “${next.rule}” says who decides. Ask to revise instead: the next request then goes to them.`,
    { extra: { rule: next.rule } },
  );
}

/** The label of the call with other arguments. That of a program's request is the program's own. */
function labelAs({ gate, label, arguments: asked }: CallRow, args: Json): string | null {
  if (gate !== null) return labelOf(args);
  const { data } = elsewhereSchema.safeParse(asked);
  return data && "call" in data ? labelFor({ tool: data.call.tool, input: args }) : label;
}

/** What the policy asks of a stage, without what timers made of it. */
function askedOf({ reminded: _, escalated, roles, people, groups, ...stage }: ApprovalStage) {
  return escalated.length > 0 ? stage : { ...stage, roles, people, groups };
}

function withArguments(asked: Json, args: Json): Json {
  if (isRecord(asked.call)) return { ...asked, call: { ...asked.call, input: args } };
  return { ...asked, subject: { ...jsonSchema.parse(asked.subject), arguments: args } };
}
