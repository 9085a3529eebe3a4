/**
 * What the API's description cannot say of a call, by its name. A new route is tested without a line here; it needs
 * one where the calls that the tests make of its schema are not valid ones.
 */
import type { Place } from "./from-schema.ts";

interface Exception {
  /** Why a key is refused whatever its role: the thing is a person's. */
  membersOnly?: string;
  /** Values at places, e.g. `body.action`. */
  values?: Record<Place, unknown>;
  /** The state that the task has to be in for the call to mean something. */
  taskState?: string;
  /** Statuses that show that the things were found, beside those that always do; with the reason. */
  alsoFound?: Record<number, string>;
  /** The answer to a foreign id in a body where it is not 404; it equals the one to an unknown id. */
  foreignInBody?: { status: number; because: string };
}

export const EXCEPTIONS: Record<string, Exception> = {
  "POST /api/v1/input-requests/{id}/answer": { values: { "body.action": "decline" } },
  "POST /api/v1/input-requests/bulk-answer": {
    values: { "body.action": "decline" },
    foreignInBody: { status: 200, because: "each of the items has its own result" },
  },
  "POST /api/v1/input-requests/bulk-undo": {
    foreignInBody: { status: 200, because: "each of the ids has its own result" },
  },
  "POST /api/v1/tasks/{id}/settle-start": { taskState: "start_unknown" },
  "POST /api/v1/input-requests/{id}/claim": { membersOnly: "a claim is a person's" },
  "PUT /api/v1/input-requests/{id}/draft": { membersOnly: "a draft is a person's" },
  "GET /api/v1/views": { membersOnly: "views are a person's" },
  "POST /api/v1/views": { membersOnly: "views are a person's" },
  "PATCH /api/v1/views/{id}": { membersOnly: "views are a person's" },
  "DELETE /api/v1/views/{id}": { membersOnly: "views are a person's" },
  "GET /api/v1/me/preferences": { membersOnly: "preferences are a person's" },
  "PATCH /api/v1/me/preferences": { membersOnly: "preferences are a person's" },
};

/** Calls that anyone may make, and why. Any other public route fails the tests. */
export const PUBLIC: Record<string, string> = {
  "GET /api/v1/openapi.json": "it names no tenant",
  "GET /healthz": "it names no tenant",
  "GET /readyz": "it names no tenant",
  "POST /api/engine/run": "CRON_SECRET is its credential",
  "POST /api/set-password": "the link's token is its credential",
  "POST /api/setup": "it works once, while there is no organization",
};
