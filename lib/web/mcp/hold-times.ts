/** How long a call that is no task is held open before it is answered with how far the task is. */

/** What most clients bear: their own patience is a minute. */
const HOLD_MS = 50_000;

/** Clients whose calls may take longer, by what they call themselves: these wait as long as the stream says something. */
const PRESETS: [name: RegExp, holdMs: number][] = [
  [/^claude-code\b/i, 180_000],
  [/^visual studio code\b/i, 180_000],
  [/^cursor\b/i, 50_000],
  [/^codex\b/i, 50_000],
];

/** The agent's own hold time as an admin set it, else the client's preset, else what most clients bear. */
export function holdMsFor(agent: { holdMs: number | null }, clientName: string | null): number {
  if (agent.holdMs !== null) return agent.holdMs;
  return PRESETS.find(([name]) => clientName !== null && name.test(clientName))?.[1] ?? HOLD_MS;
}
