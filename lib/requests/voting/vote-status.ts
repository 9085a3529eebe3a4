/** How far the votes on a request are. Pure, client-safe. */

export interface Stage {
  need: number;
  rejections: number;
}

export interface VoteInStage {
  stage: number;
  /** The id of the user. */
  person: string;
  rejects: boolean;
}

export type StageState = "waiting" | "open" | "done";

/** The votes of different persons in a stage. */
function countIn(votes: VoteInStage[], stage: number, rejects: boolean): number {
  const counted = votes.filter((vote) => vote.stage === stage && vote.rejects === rejects);
  return new Set(counted.map(({ person }) => person)).size;
}

/** How many persons have still to agree in a stage. */
export function missingIn(stages: Stage[], votes: VoteInStage[], stage: number): number {
  return Math.max(0, (stages[stage]?.need ?? 0) - countIn(votes, stage, false));
}

/** The first stage in which somebody has still to agree. Null: all have, and the request is decided. */
export function openStage(stages: Stage[], votes: VoteInStage[]): number | null {
  const at = stages.findIndex((_, stage) => missingIn(stages, votes, stage) > 0);
  return at === -1 ? null : at;
}

/** Whether a stage has enough rejections to decide the request. */
export function isRejectedIn(stages: Stage[], votes: VoteInStage[], stage: number): boolean {
  const most = stages[stage]?.rejections;
  return most !== undefined && countIn(votes, stage, true) >= most;
}

/** A stage is done once it is full or has rejected; the first that is not is open, those after it wait. */
export function stageStates(stages: Stage[], votes: VoteInStage[]): StageState[] {
  const open = openStage(stages, votes) ?? stages.length;
  return stages.map((_, at) => {
    if (at < open || isRejectedIn(stages, votes, at)) return "done";
    return at === open ? "open" : "waiting";
  });
}
