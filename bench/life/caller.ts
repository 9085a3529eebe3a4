/** A caller of the API that takes tasks through their lives: start, question, answer, end. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Child } from "../child.ts";
import type { News } from "./server.ts";

export interface Caller {
  /** `what` begins the note in the task's arguments (server.ts). */
  start(what: string): Promise<{ id: string; note: string }>;
  /** From the start to the end, with four reads of the task if each comes late enough. Returns the reads. */
  live(): Promise<number>;
  call(method: string, path: string, body?: object): Promise<Answer>;
}

// biome-ignore lint/suspicious/noExplicitAny: ids are taken out of answers of any shape
type Answer = any;

/** What the server has said is read this much later: by then the engine has usually written it. */
const BEHIND_MS = 150;
/** A read that came too early is repeated, each time after twice as long. */
const AGAIN_MS = 250;

export function callerOf(url: string, key: string, serverId: string, server: Child): Caller {
  const waiting = new Map<string, () => void>();
  server.on((news: News) => {
    if (!("note" in news)) return;
    const name = `${news.what} ${news.note}`;
    waiting.get(name)?.();
    waiting.delete(name);
  });
  const heard = (what: "asked" | "ended", note: string) =>
    new Promise<void>((resolve) => waiting.set(`${what} ${note}`, resolve));
  const call = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { "content-type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const answer = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer)}`);
    return answer;
  };
  const start = async (what: string, note = `${what} ${crypto.randomUUID()}`) => {
    const task = await call("POST", "/api/v1/tasks", {
      serverId,
      tool: "approve",
      arguments: { note },
    });
    return { id: task.id as string, note };
  };
  return {
    call,
    start,
    async live() {
      const note = `life ${crypto.randomUUID()}`;
      const [asked, ended] = [heard("asked", note), heard("ended", note)];
      const { id } = await start("life", note);
      let reads = 0;
      const read = () => {
        reads++;
        return call("GET", `/api/v1/tasks/${id}`);
      };
      const until = async (isThere: (task: Answer) => boolean) => {
        for (let pause = AGAIN_MS; !isThere(await read()); pause *= 2) await sleep(pause);
      };
      await read();
      await asked;
      await sleep(BEHIND_MS);
      await until((task) => task.inputRequests.length > 0);
      const { items } = await call("GET", `/api/v1/input-requests?taskId=${id}`);
      await call("POST", `/api/v1/input-requests/${items[0].id}/answer`, {
        action: "accept",
        content: { approve: true },
        questionHash: items[0].questionHash,
      });
      await read();
      await ended;
      await sleep(BEHIND_MS);
      await until((task) => task.finishedAt !== null);
      return reads;
    },
  };
}

/** Takes tasks through their lives, `atOnce` of them at a time, until `stop` aborts. Each life that ends is told. */
export async function keepAlive(
  caller: Caller,
  atOnce: number,
  stop: AbortSignal,
  onEnd: (ms: number, reads: number) => void,
): Promise<void> {
  await Promise.all(
    Array.from({ length: atOnce }, async (_, n) => {
      // All at once would go on as a crowd that moves in step.
      await sleep((n * 2_000) / atOnce);
      while (!stop.aborted) {
        const began = performance.now();
        const reads = await caller.live();
        onEnd(performance.now() - began, reads);
      }
    }),
  );
}
