/** Who calls an address for agents, counted: `/mcp`, and the hooks of programs. */
import { env } from "../../base/env.ts";
import { AppError } from "../../base/errors.ts";
import { countCall } from "../http/calls.ts";
import { type AgentCaller, authenticateAgent } from "./agent.ts";
import { originOf } from "./origin.ts";

/** Throws `cross_site`, `unauthenticated`, `throttled`, and as `authenticateAgent`. */
export async function identifyAgent(request: Request): Promise<AgentCaller> {
  refuseOtherOrigin(request);
  const { key } = originOf(request);
  // Whether it starts something is known once its body is read.
  const counted = (caller: AgentCaller | null) => countCall(caller, key, "GET");
  const caller = await authenticateAgent(request).catch(async (error: unknown) => {
    if (error instanceof AppError) await counted(null);
    throw error;
  });
  await counted(caller);
  if (!caller) throw new AppError("unauthenticated", "Send an agent's secret as a Bearer token, or sign in.");
  return caller;
}

/** Browsers' pages are no agents: one that guesses an address in its user's network is refused, whatever it knows. */
function refuseOtherOrigin(request: Request): void {
  const origin = request.headers.get("origin");
  if (origin !== null && origin !== new URL(env().url).origin)
    throw new AppError("cross_site", "Pages of other sites are not served here.");
}
