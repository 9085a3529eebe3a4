import { exactDuration } from "../text/duration.ts";
import { plural } from "../text/labels.ts";
import type { Agent, AgentGrant, GrantInput } from "./agent-schema.ts";

/** `2 servers, 3 tools`, or that there is nothing. */
export function grantWords(grants: AgentGrant[]): string {
  const servers = grants.filter(({ tool }) => tool === null).length;
  const tools = grants.length - servers;
  const parts = [
    ...(servers > 0 ? [plural(servers, "server")] : []),
    ...(tools > 0 ? [plural(tools, "tool")] : []),
  ];
  return parts.length > 0 ? parts.join(", ") : "No tools yet";
}

/** How long a call waits for its result, as a choice. */
export function holdWords(holdMs: number | null): string {
  // As `PRESETS` of lib/web/mcp/call-tool.ts has them.
  if (holdMs === null) return "Automatic: 50 s, or 3 min for Claude Code and VS Code";
  return holdMs === 0 ? "Don’t wait" : exactDuration(holdMs);
}

/** The same as part of a sentence. */
export function waitWords(holdMs: number | null): string {
  if (holdMs === null) return "waits as long as its client allows";
  return holdMs === 0 ? "doesn’t wait" : `waits up to ${exactDuration(holdMs)}`;
}

/** `claude-code 2.1`, which nobody has proved. */
export function clientWords({ name, version }: NonNullable<Agent["client"]>): string {
  return version === null ? name : `${name} ${version}`;
}

/** How many tools ask because they are not as they were granted. */
export function changedTools(grants: AgentGrant[]): number {
  return grants.reduce((sum, { changed }) => sum + changed.length, 0);
}

/** A grant as it is sent to keep it. */
export function toGrantInput({ serverId, tool, before, askAgentToo }: AgentGrant): GrantInput {
  return {
    serverId,
    ...(tool !== null && { tool }),
    ...(before !== null && { before }),
    ...(askAgentToo !== null && { askAgentToo }),
  };
}
