import { HELD_CALLS_PER_AGENT, HELD_CALLS_PER_ORGANIZATION } from "../../tunables.ts";

/** How many calls a process holds open, by agent and by organization: each has a socket and some memory. Pure. */
export class HeldCounts {
  readonly #ofAgents = new Map<string, number>();
  readonly #ofOrganizations = new Map<string, number>();

  add(organizationId: string, agentId: string): void {
    change(this.#ofAgents, agentId, 1);
    change(this.#ofOrganizations, organizationId, 1);
  }

  remove(organizationId: string, agentId: string): void {
    change(this.#ofAgents, agentId, -1);
    change(this.#ofOrganizations, organizationId, -1);
  }

  /** Why no further call of the agent is held; null: it is. */
  refusal(organizationId: string, agentId: string): string | null {
    if ((this.#ofAgents.get(agentId) ?? 0) >= HELD_CALLS_PER_AGENT)
      return `This agent has ${HELD_CALLS_PER_AGENT} calls open here; let some of them end.`;
    if ((this.#ofOrganizations.get(organizationId) ?? 0) >= HELD_CALLS_PER_ORGANIZATION)
      return `Your organization’s agents have ${HELD_CALLS_PER_ORGANIZATION} calls open here; let some of them end.`;
    return null;
  }
}

function change(counts: Map<string, number>, of: string, by: number): void {
  const left = (counts.get(of) ?? 0) + by;
  if (left > 0) counts.set(of, left);
  else counts.delete(of);
}
