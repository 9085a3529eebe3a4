/**
 * The server of the end-to-end part, on the official package. Its tool `wait` works, and asks some time after
 * the call if its note begins with "ask". Reports when a question existed, when a poll showed it, and when an
 * answer came.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { APPROVAL_SCHEMA, type FakeTask } from "../../test/fixtures/fake-task.ts";
import { startTestServer } from "../../test/servers/mcp-server.ts";
import { clock } from "../child.ts";

export type News = { url: string } | { note: string; what: "asked" | "shown" | "answered"; at: number };

export interface Settings {
  subscribes: boolean;
  pollMs: number;
  /** The delay from the call to the question; up to a second is added. */
  askAfterMs: number;
}

const server = await startTestServer();
const noteOf = new Map<FakeTask, string>();
const shown = new Set<FakeTask>();
let settings: Settings = { subscribes: false, pollMs: 5_000, askAfterMs: 0 };

const tell = (news: News) => process.send?.(news);
const tellOf = (task: FakeTask, what: "asked" | "shown" | "answered") => {
  const note = noteOf.get(task);
  if (note !== undefined) tell({ note, what, at: clock() });
};

server.behave.onCall = (task) => {
  const { arguments: args } = server.calls.pop() as { arguments?: { note?: string } };
  task.pollIntervalMs = settings.pollMs;
  const note = args?.note ?? "";
  if (note.startsWith("ask")) void ask(task, note);
  return "answer";
};
server.behave.onGet = (task) => {
  if (task.status !== "input_required" || shown.has(task)) return;
  shown.add(task);
  tellOf(task, "shown");
};
server.behave.onUpdate = (task) => {
  tellOf(task, "answered");
  return "take";
};

async function ask(task: FakeTask, note: string): Promise<void> {
  await sleep(settings.askAfterMs + Math.random() * 1_000);
  const params = { mode: "form", message: note, requestedSchema: APPROVAL_SCHEMA };
  task.inputRequests = { approval: { method: "elicitation/create", params } };
  task.status = "input_required";
  task.lastUpdatedAt = new Date().toISOString();
  noteOf.set(task, note);
  tellOf(task, "asked");
  if (settings.subscribes) server.subscriptions.notify(task.taskId);
}

process.on("message", (changed: Settings) => {
  settings = changed;
  server.behave.subscribes = changed.subscribes;
});
process.on("disconnect", () => process.exit());
// The records kept for tests would only grow here.
setInterval(() => {
  server.seen.length = 0;
  server.answers.length = 0;
}, 1_000);
tell({ url: server.url });
