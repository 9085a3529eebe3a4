/** The states of an invoice. */
export const states = [
  "SUBMITTED",
  "VALIDATING",
  "PENDING-APPROVAL",
  "APPROVED",
  "RECONCILING",
  "PENDING-COST-CENTER",
  "CODED",
  "PAYING",
  "PAID",
  "REJECTED",
  "FAILED",
  "CANCELLED",
] as const;
export type State = (typeof states)[number];

export const ended: readonly State[] = ["PAID", "REJECTED", "FAILED", "CANCELLED"];
export const hasEnded = (task: { state: State }) => ended.includes(task.state);
