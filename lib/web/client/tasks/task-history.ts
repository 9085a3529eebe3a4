import { keepPreviousData } from "@tanstack/react-query";
import type { Page } from "@/lib/base/page.ts";
import type { TaskEvent } from "@/lib/history/events/event-schema.ts";
import type { InputRequestSummary } from "@/lib/requests/request-schema.ts";
import type { Read } from "@/lib/tasks/access-log/access-log-schema.ts";
import type { TaskEventQuery, TaskMessage, TaskPhase } from "@/lib/tasks/task-schema.ts";
import { query } from "@/lib/web/client/base/client.ts";
import { reading, readingPages } from "@/lib/web/client/base/reading.ts";
import { requestKeys } from "@/lib/web/client/requests.ts";
import { taskKeys } from "@/lib/web/client/tasks/tasks.ts";

const EVENTS_A_PAGE = 100;

/** All of a task's history, page by page. */
export function taskHistory(id: string, order: TaskEventQuery["order"]) {
  return readingPages<Page<TaskEvent>>(
    [...taskKeys.task(id), "history", order],
    (cursor) => `/api/v1/tasks/${id}/events${query({ order, limit: EVENTS_A_PAGE, cursor })}`,
    {
      placeholderData: keepPreviousData,
    },
  );
}

export function taskPhases(id: string) {
  return reading<{ phases: TaskPhase[] }>([...taskKeys.task(id), "phases"], `/api/v1/tasks/${id}/phases`);
}

/** All questions of a task, newest first, with their decisions and deliveries. */
export function taskRequests(taskId: string) {
  return readingPages<Page<InputRequestSummary>>(
    [...requestKeys.ofTask(taskId), "newest first"],
    (cursor) => `/api/v1/input-requests${query({ taskId, order: "newest", cursor })}`,
  );
}

/** The newest lines of a task's history, newest first, as many as the column beside a request shows. */
export function taskEvents(id: string) {
  return reading<Page<TaskEvent>>(
    [...taskKeys.task(id), "events"],
    `/api/v1/tasks/${id}/events?order=newest&limit=200`,
  );
}

/** As in `GET /tasks/{id}/messages`; an empty value does not filter. */
export interface MessageFilter {
  direction: string;
  method: string;
  q: string;
}

/** A page is small because one message may have 64 kB. */
const MESSAGES_A_PAGE = 40;

/**
 * A task's messages, newest first, and the methods of all its messages. The last result stays until the next
 * one has loaded.
 */
export function taskMessages(id: string, filter: MessageFilter) {
  return readingPages<Page<TaskMessage> & { methods: string[] }>(
    [...taskKeys.task(id), "messages", filter],
    (cursor) =>
      `/api/v1/tasks/${id}/messages${query({ order: "newest", limit: MESSAGES_A_PAGE, ...filter, cursor })}`,
    {
      placeholderData: keepPreviousData,
    },
  );
}

/** Who looked at a task, newest first. */
export function taskReads(id: string) {
  return reads([...taskKeys.task(id), "access"], `/api/v1/tasks/${id}/access`);
}

/** Who looked at what is the signed-in person's, newest first. */
export function ownReads() {
  return reads(["me", "access"], "/api/v1/me/access");
}

function reads(queryKey: readonly string[], path: string) {
  return readingPages<Page<Read>>(queryKey, (cursor) => `${path}${query({ limit: READS_A_PAGE, cursor })}`);
}

const READS_A_PAGE = 20;
