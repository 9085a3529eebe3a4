/** The facts of a call, for the conditions of call rules. The names are those of conditions/vocabulary.ts. */
import type { Principal } from "../../access/principal.ts";
import type { Tool } from "../../mcp/peer.ts";
import { currencyOfAmount } from "../../text/amount.ts";
import { createLanguage } from "../../text/rules/language.ts";
import { adviceOn, variablesOf } from "../conditions/vocabulary.ts";
import { largestAmount } from "../facts.ts";

/** The language of call rules. Texts are parsed once a process. */
export const callLanguage = createLanguage(variablesOf("call"), adviceOn("call"));

export interface Call {
  server: { id: string; name: string };
  tool: Pick<Tool, "name" | "title" | "annotations">;
  arguments: Record<string, unknown>;
  requester: Pick<Principal, "actor" | "role">;
  now: Date;
  /** The call is one that a program makes with its own tools (a hook): no server of Intray's gets it. */
  isPrograms?: boolean;
}

/**
 * Returns the facts of a call. Reading its amount throws RuleFailure where that can't be read, so that only a condition which
 * does read it fails.
 */
export function factsOf({ server, tool, arguments: args, requester, now }: Call): Record<string, unknown> {
  const { actor, role } = requester;
  const amount = once(() => largestAmount(args));
  const currency = once(() => currencyOfAmount(args, ""));
  // The server's own claims; where it says nothing, MCP's defaults hold.
  const claims = (name: string, otherwise: boolean) => {
    const said = tool.annotations?.[name];
    return typeof said === "boolean" ? said : otherwise;
  };
  const readOnly = claims("readOnlyHint", false);
  return {
    server: { id: server.id, name: server.name },
    tool: {
      name: tool.name,
      title: tool.title ?? "",
      readOnly,
      destructive: !readOnly && claims("destructiveHint", true),
      idempotent: claims("idempotentHint", false),
      openWorld: claims("openWorldHint", true),
    },
    arguments: args,
    agent: actor.kind === "agent" ? { id: actor.id ?? "", name: actor.name } : null,
    requester: { id: actor.id ?? "", name: actor.name, role, kind: actor.kind },
    get amount() {
      return amount();
    },
    get currency() {
      return currency();
    },
    request: {
      get amount() {
        return amount();
      },
      get currency() {
        return currency();
      },
    },
    now,
  };
}

/** Finds a value when it is first asked for; a failure is kept too, since a condition may ask at each turn of a loop. */
function once<T>(find: () => T): () => T {
  let found: { value: T } | { error: unknown } | null = null;
  return () => {
    found ??= outcomeOf(find);
    if ("error" in found) throw found.error;
    return found.value;
  };
}

function outcomeOf<T>(find: () => T): { value: T } | { error: unknown } {
  try {
    return { value: find() };
  } catch (error) {
    return { error };
  }
}
