/** Events that agents subscribe to by MCP Events: ids and states of their own tasks, never what was said. */
import { z } from "zod";

const AGENT_EVENTS = ["request.ended", "task.ended", "task.input_required"] as const;
export type AgentEventName = (typeof AGENT_EVENTS)[number];
export const agentEventNameSchema = z.enum(AGENT_EVENTS);

/** The arguments of a subscription. Without `taskId`: all tasks of the agent. */
export const agentEventArgumentsSchema = z.strictObject({ taskId: z.uuid().optional() });
export type AgentEventArguments = z.infer<typeof agentEventArgumentsSchema>;

/** A subscription as people see it. The address may have a secret in its path, so that only its host is told. */
const subscriptionSchema = z.object({
  id: z.uuid(),
  event: agentEventNameSchema,
  taskId: z.uuid().nullable(),
  host: z.string(),
  createdAt: z.iso.datetime(),
  /** Unless the agent subscribes again before. */
  expiresAt: z.iso.datetime(),
  /** No delivery has succeeded since then. */
  failingSince: z.iso.datetime().nullable(),
});
export type Subscription = z.infer<typeof subscriptionSchema>;

export const subscriptionListSchema = z.object({ items: z.array(subscriptionSchema) });
export const subscriptionParams = z.object({ id: z.uuid(), subscriptionId: z.uuid() });

/** Most subscriptions of one agent at a time. */
export const MOST_SUBSCRIPTIONS = 100;
