import { organizationsWithDecidedRaces, settleRace } from "../races/settling.ts";
import type { Chore } from "./chores.ts";
import { SETTLE_RACES_MS } from "./tunables.ts";

/** Tells what lost a race to stop. */
export const settleRaces: Chore = {
  name: "settle-races",
  everyMs: SETTLE_RACES_MS,
  organizations: organizationsWithDecidedRaces,
  run: ({ database }, organizationId) => settleRace(organizationId, database),
};
