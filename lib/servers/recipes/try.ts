/** Tries a recipe on a reply, recorded or asked for now. Changes nothing on the server: only tools that only read are called. */
import type { Principal } from "../../access/principal.ts";
import { AppError, type FieldError } from "../../base/errors.ts";
import type { Services } from "../../base/process/services.ts";
import { createPeer, openWire } from "../../mcp/connect.ts";
import { discover } from "../../mcp/discover.ts";
import type { Endpoint } from "../../mcp/peer.ts";
import { PeerError } from "../../mcp/peer-error.ts";
import { ToolCalls } from "../../mcp/tool-calls.ts";
import { RuleFailure } from "../../text/rules/language.ts";
import { addressFor, endpointOf } from "../connections/connection-reads.ts";
import { judge as judgeFailure } from "../probe.ts";
import { readKeptTools, readOwnTools, readServer } from "../server-reads.ts";
import { problemsOf } from "./check.ts";
import { DETAILS } from "./choices.ts";
import { argumentsFor, type Handle, judge, questionAt, toResult } from "./judge.ts";
import { readRecipe } from "./recipe-reads.ts";
import type { Recipe, TriedRecipe, TryRecipeInput } from "./recipe-schema.ts";

/** Long enough for a cold start behind a proxy, short enough for a person who waits for the page. */
const DEADLINE_MS = 10_000;
/** Of ending the session afterwards, in ms. */
const CLOSE_DEADLINE_MS = 2_000;

/**
 * Returns what the recipe makes of the reply. Throws `not_found`, `invalid_input`, `not_read_only` if the status tool does not say
 * that it only reads, `server_paused`, and `server_unavailable`.
 */
export async function tryRecipe(
  services: Services,
  principal: Principal,
  serverId: string,
  name: string,
  input: TryRecipeInput,
): Promise<TriedRecipe> {
  const { organizationId } = principal;
  const recipe =
    input.recipe ??
    (await services.db.withOrganization(organizationId, async (tx) => {
      const tools = await readOwnTools(tx, serverId);
      return (await readRecipe(tx, serverId, name, tools)).recipe;
    }));
  const errors = problemsOf(recipe).map(
    ({ field, message }): FieldError => ({ field: `recipe.${field}`, message }),
  );
  if (errors.length > 0) throw new AppError("invalid_input", "The recipe is not valid.", { errors });
  const handle = (input.handle ?? "handle") as Handle;
  const asked = input.reply
    ? { reply: input.reply }
    : await ask(services, principal, serverId, recipe, handle);
  return "problem" in asked ? { ...NOTHING, problem: asked.problem } : triedOn(recipe, handle, asked.reply);
}

const NOTHING: TriedRecipe = {
  reply: null,
  problem: null,
  state: null,
  known: false,
  status: null,
  statusMessage: null,
  questions: [],
};

/** Pure. */
function triedOn(recipe: Recipe, handle: Handle, reply: Record<string, unknown>): TriedRecipe {
  const result = toResult(reply);
  if (!result) return { ...NOTHING, reply, problem: "This is no reply of a tool." };
  if (result.isError) return { ...NOTHING, reply, problem: `The tool failed: ${result.text.slice(0, 500)}` };
  try {
    const { questions, ...judged } = judge(recipe, handle, result);
    return {
      ...NOTHING,
      reply,
      ...judged,
      questions: questions.map(({ address, message, requestedSchema }) => ({
        message,
        details:
          ((requestedSchema as Record<string, unknown>)[DETAILS] as Record<string, unknown> | undefined) ??
          null,
        choices: (address.kind === "key" ? (questionAt(recipe, address.key)?.choices ?? []) : []).map(
          ({ label, tool, arguments: given, required }) => ({
            label,
            call: callOf(tool, given, handle, required),
          }),
        ),
      })),
    };
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error;
    return { ...NOTHING, reply, problem: error.message };
  }
}

/** A choice's call, with a stand-in for each field that the person has to fill in. */
function callOf(tool: string, given: Record<string, string>, handle: Handle, required: string[]) {
  const answer = Object.fromEntries(required.map((field) => [field, `(${field})`]));
  try {
    return { tool, arguments: argumentsFor("choice", given, { handle, answer }), problem: null };
  } catch (error) {
    if (!(error instanceof RuleFailure)) throw error;
    return { tool, arguments: null, problem: error.message };
  }
}

async function ask(
  services: Services,
  principal: Principal,
  serverId: string,
  { status }: Recipe,
  handle: Handle,
): Promise<{ reply: Record<string, unknown> } | { problem: string }> {
  const { organizationId } = principal;
  const { server, kept, address } = await services.db.withOrganization(organizationId, async (tx) => ({
    server: await readServer(tx, principal, serverId),
    kept: await readKeptTools(tx, serverId),
    address: await addressFor(tx, principal, serverId),
  }));
  if (kept.isPaused)
    throw new AppError("server_paused", "The server is paused: Intray does not ask it until the pause ends.");
  const tool = kept.tools?.find(({ name }) => name === status.tool);
  if (!tool || tool.recipe) return { problem: `The server lists no tool ${status.tool}.` };
  if (tool.annotations?.readOnlyHint !== true)
    throw new AppError(
      "not_read_only",
      `${status.tool} does not say that it only reads, so that it is not called to try something. Try a recorded reply.`,
    );
  let args: Record<string, unknown>;
  try {
    args = argumentsFor("call", status.arguments, { handle });
  } catch (error) {
    if (error instanceof RuleFailure) return { problem: error.message };
    throw error;
  }
  const endpoint: Endpoint =
    server.startsOn === null ? { url: address.url, headers: {} } : endpointOf(address, services);
  const wire = openWire(endpoint, services.network);
  const options = { deadlineMs: DEADLINE_MS };
  let calls: ToolCalls | null = null;
  try {
    const { era } = await discover(wire, server.eraSetting, options);
    const peer = createPeer(era, wire);
    calls = new ToolCalls(async () => peer);
    const call = { tool: tool.name, arguments: args, inputSchema: tool.inputSchema };
    return { reply: await calls.call(call, options) };
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    // The server's own words on the call; nothing of where it was looked for.
    if (error.rpcError) return { problem: `The call was refused: ${error.rpcError.message.slice(0, 500)}` };
    throw new AppError("server_unavailable", judgeFailure(error).message ?? "The server did not answer.");
  } finally {
    // A session that is not closed ends when its server forgets it.
    await calls?.close({ deadlineMs: CLOSE_DEADLINE_MS }).catch(() => undefined);
    await wire.end();
  }
}
