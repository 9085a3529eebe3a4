/** What the rules of a policy can say something about. docs/governance.md lists it for who writes them. */
import type { Actor } from "../access/access-schema.ts";
import { createLanguage, type Variables } from "../text/rules/language.ts";
import { largestAmount } from "./call-rules/largest-amount.ts";

export const VARIABLES: Variables = {
  server: { id: "string", name: "string" },
  tool: "string",
  task: { label: "string", requester: "string", arguments: "map", createdAt: "google.protobuf.Timestamp" },
  request: {
    message: "string",
    // A number, or null where neither the arguments nor the question name an amount of money.
    amount: "dyn",
    currency: "dyn",
    // Names.
    fields: "list<string>",
    url: "dyn",
    askedAgain: "bool",
  },
  // The role is null where the requester is no member any more.
  requester: { id: "string", name: "string", role: "dyn", groups: "list<string>", kind: "string" },
  // Null, or an object.
  agent: "dyn",
  now: "google.protobuf.Timestamp",
};

/** The language of policies. Texts are parsed once a process. */
export const policyLanguage = createLanguage(VARIABLES);

/** A request that is about to be asked. */
export interface AskedRequest {
  server: { id: string; name: string };
  tool: string;
  task: { label: string | null; arguments: Record<string, unknown>; createdAt: Date };
  request: {
    message: string;
    /** As the request's card shows it. */
    amount: number | null;
    currency: string | null;
    fields: string[];
    url: string | null;
    askedAgain: boolean;
  };
  requester: { actor: Actor; role: string | null; groups: string[] };
  now: Date;
}

/**
 * Returns the facts of a request. Reading its amount throws RuleFailure where that can't be read, so that only a condition
 * which does read it fails.
 */
export function factsOf({ server, tool, task, request, requester, now }: AskedRequest) {
  const { actor, role, groups } = requester;
  let amount: { value: number | null } | null = null;
  return {
    server: { id: server.id, name: server.name },
    tool,
    task: {
      label: task.label ?? "",
      requester: actor.name,
      arguments: task.arguments,
      createdAt: task.createdAt,
    },
    request: {
      message: request.message,
      // The larger one of what the card shows and what the arguments name: the card's could be one that the caller added.
      get amount() {
        amount ??= { value: larger(largestAmount(task.arguments), request.amount) };
        return amount.value;
      },
      currency: request.currency,
      fields: request.fields,
      url: request.url,
      askedAgain: request.askedAgain,
    },
    requester: { id: actor.id ?? "", name: actor.name, role, groups, kind: actor.kind },
    agent: actor.kind === "agent" ? { id: actor.id ?? "", name: actor.name } : null,
    now,
  };
}

function larger(one: number | null, other: number | null): number | null {
  if (other === null) return one;
  return one === null ? Math.abs(other) : Math.max(one, Math.abs(other));
}
