/** What a list of requests and its counts are asked for, and the counts. */
import { z } from "zod";
import { queryTimeSchema } from "../../base/page.ts";
import { IDS_AT_ONCE } from "../limits.ts";
import { requestStateSchema } from "../request-schema.ts";

/** Filters of a list and its counts; all of them combine. */
export const requestFilterSchema = z.object({
  /** These requests alone, by their ids with commas. */
  ids: z
    .string()
    .max(3_000)
    .transform((value) => value.split(","))
    .pipe(z.array(z.uuid()).max(IDS_AT_ONCE))
    .optional(),
  taskId: z.uuid().optional(),
  serverId: z.uuid().optional(),
  tool: z.string().max(256).optional(),
  /** Words in the message, the tool, the label, the arguments or the server's name; case does not matter. */
  q: z.string().max(200).optional(),
  askedAfter: queryTimeSchema.optional(),
  askedBefore: queryTimeSchema.optional(),
  /** Requests that end before this time; requests without an end don't match. */
  expiresBefore: queryTimeSchema.optional(),
  /** Open requests that people should have decided by now, by the rule under which they were asked. */
  overdue: z.enum(["true"]).optional(),
  /** Open requests on which the caller has voted, and others have not yet. */
  voted: z.enum(["true"]).optional(),
  /** Requests that wait for the task's requester. */
  needsInfo: z.enum(["true"]).optional(),
  /** Open requests that the caller has put off. */
  snoozed: z.enum(["true"]).optional(),
  amountMin: z.coerce.number().optional(),
  amountMax: z.coerce.number().optional(),
});
export type RequestFilter = z.infer<typeof requestFilterSchema>;

/**
 * `urgent`: what ends or is due within a day, the soonest first; then what is assigned to the caller, then the rest, both
 * the oldest first. With `q` as `oldest`. `decided`: the last decision, or end without one, first.
 * `due`: what people should decide on first, then what no rule gives a time. `expiring`: soonest first, those without an end
 * last. `amount`: largest first, those without one last.
 */
const REQUEST_ORDERS = ["urgent", "oldest", "newest", "decided", "due", "expiring", "amount"] as const;

const requestOrderSchema = z.enum(REQUEST_ORDERS);
export type RequestOrder = z.infer<typeof requestOrderSchema>;

export const requestListQuerySchema = requestFilterSchema.extend({
  state: z
    .string()
    .max(300)
    .optional()
    .transform((value) => value?.split(",").filter(Boolean))
    .pipe(z.array(requestStateSchema).optional()),
  assignee: z.enum(["me", "none"]).optional(),
  /** `me`: open requests that wait for the caller, who may accept them now. */
  waiting: z.enum(["me"]).optional(),
  /** Defaults to `oldest`. */
  order: requestOrderSchema.optional(),
});
export type RequestListQuery = z.infer<typeof requestListQuerySchema>;

/** Open requests that the caller may see. `waiting`: those that wait for the caller. */
export const requestCountsSchema = z.object({
  waiting: z.number(),
  mine: z.number(),
  unassigned: z.number(),
  all: z.number(),
});
export type RequestCounts = z.infer<typeof requestCountsSchema>;
