import type { Tx } from "../db.ts";
import { storable } from "../db.ts";
import type { Actor } from "../members/schema.ts";
import type { EventType } from "./schema.ts";

/** The engine, where it acts by itself. */
export const ENGINE_ACTOR: Actor = { kind: "engine", id: null, name: "Intray" };

export interface NewEvent {
  type: EventType;
  actor: Actor;
  taskId?: string;
  inputRequestId?: string;
  data?: Record<string, unknown>;
}

/**
 * Appends to the organization's hash chain. Call it last in a transaction: it takes the lock on the chain's head,
 * which every other writer of the organization waits for.
 */
export async function appendEvents(_organizationId: string, tx: Tx, events: NewEvent[]): Promise<void> {
  for (const event of events) {
    await tx.$executeRaw`SELECT append_event(${event.type}, ${JSON.stringify(event.actor)}::jsonb,
      ${event.taskId ?? null}::uuid, ${event.inputRequestId ?? null}::uuid,
      ${JSON.stringify(storable(event.data ?? {}))}::jsonb)`;
  }
}
