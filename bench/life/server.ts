/**
 * The server of the part, on the official package, in its own process: a task asks one question at once, and has ended
 * when the answer has come. Reports when a poll showed the question, and when one showed the end.
 */
import type { FakeTask } from "../../test/fixtures/fake-task.ts";
import { startTestServer } from "../../test/servers/mcp-server.ts";

export type News = { url: string } | { note: string; what: "asked" | "ended" };

const POLL_MS = 500;
/** Of tasks that are only there to be started: none of their polls falls into the measured time. */
const REST_POLL_MS = 600_000;
const server = await startTestServer();
const noteOf = new Map<FakeTask, string>();
const asked = new Set<FakeTask>();

const tell = (news: News) => process.send?.(news);

server.behave.onCall = (task) => {
  const { arguments: args } = server.calls.pop() as { arguments?: { note?: string } };
  const note = args?.note ?? "";
  noteOf.set(task, note);
  task.pollIntervalMs = note.startsWith("rest") ? REST_POLL_MS : POLL_MS;
  return "answer";
};
server.behave.onGet = (task) => {
  const note = noteOf.get(task);
  if (note === undefined) return;
  if (task.status === "input_required" && !asked.has(task)) {
    asked.add(task);
    tell({ note, what: "asked" });
  }
  if (task.status !== "completed") return;
  tell({ note, what: "ended" });
  noteOf.delete(task);
  asked.delete(task);
};

process.on("disconnect", () => process.exit());
// The records kept for tests would only grow here.
setInterval(() => {
  server.seen.length = 0;
  server.answers.length = 0;
}, 1_000);
tell({ url: server.url });
