/**
 * The original demonstration's deviations on the wire. Each quirk is a function of the outgoing body: the
 * result of a reply, or the params of a message. The letters are those of README.md.
 */

export type Body = Record<string, unknown>;
export type Rewrite = (body: Body) => Body;

const FIVE_DAYS_MS = 432_000_000;
const RELATED_TASK = "io.modelcontextprotocol/related-task";
const OLD_RELATED_TASK = "modelcontextprotocol.io/related-task";
const OLD_TASK = "modelcontextprotocol.io/task";

/** a: A task is announced in the `_meta` of an empty result, under another key. 2025-11-25 only. */
export const announceInMeta: Rewrite = (body) => {
  if (isTask(body.task)) {
    const { taskId, status } = body.task;
    return { content: [], _meta: { [OLD_TASK]: { taskId, status } } };
  }
  if (!isBody(body._meta) || !(RELATED_TASK in body._meta)) return body;
  const { [RELATED_TASK]: related, ...meta } = body._meta;
  return { ...body, _meta: { ...meta, [OLD_RELATED_TASK]: related } };
};

/** d: A rejected invoice is a completed task, and only the text of its result says so. */
export const tellInText: Rewrite = (body) => {
  const { structuredContent: _, ...rest } = body;
  return {
    ...rest,
    ...(isBody(body.result) && { result: tellInText(body.result) }),
    ...(Array.isArray(body.tools) && { tools: body.tools.map(({ outputSchema: __, ...tool }) => tool) }),
  };
};

/** e: Every task reports that it was updated just now. */
export const updateAlways: Rewrite = eachTask((task) => ({
  ...task,
  lastUpdatedAt: new Date().toISOString(),
}));

/**
 * h: The list has one page, of running tasks, with other messages than `tasks/get` returns. 2025-11-25 only.
 */
export const listRunning: Rewrite = (body) => {
  if (!Array.isArray(body.tasks)) return body;
  const running = body.tasks.filter(({ status }) => status === "working" || status === "input_required");
  return { tasks: running.map((task) => ({ ...task, statusMessage: `Invoice workflow ${task.taskId}` })) };
};

/** i: A task reports a TTL of five days, whatever its due dates. */
export const fiveDays: Rewrite = eachTask(({ ttl, ttlMs, ...task }) => ({
  ...task,
  ...(ttl !== undefined && { ttl: FIVE_DAYS_MS }),
  ...(ttlMs !== undefined && { ttlMs: FIVE_DAYS_MS }),
}));

function eachTask(change: Rewrite): Rewrite {
  return (body) => ({
    ...(isTask(body) ? change(body) : body),
    ...(isTask(body.task) && { task: change(body.task) }),
    ...(Array.isArray(body.tasks) && { tasks: body.tasks.map(change) }),
  });
}

export function isBody(value: unknown): value is Body {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isTask(value: unknown): value is Body {
  return isBody(value) && "taskId" in value && "status" in value && "createdAt" in value;
}
