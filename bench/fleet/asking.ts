/** Engines whose connections all have a quiet task, with tasks that wait for an answer. */
import type { Principal } from "../../lib/access/principal.ts";
import type { EngineProcess } from "../../test/engine-process.ts";
import { batches, tookUntil, watched } from "./leases.ts";
import type { Servers } from "./servers.ts";
import type { Place, Stage } from "./stage.ts";

export interface Asking {
  by: Principal;
  places: Place[];
  /** Intray's ids of tasks with an open question, spread over the places. */
  asking: string[];
}

/** Writes all tasks as rows before an engine starts. Their questions open once an engine has polled them. */
export async function fillWithQuestions(
  stage: Stage,
  servers: Servers,
  { connections, questions }: { connections: number; questions: number },
): Promise<Asking> {
  const by = await stage.organization("acme");
  const urls = Array.from({ length: connections }, (_, at) => servers.urls[at % servers.urls.length] ?? "");
  const places = await stage.places(by, urls);
  await stage.seed(by, places, "rest", 2_000);
  const everywhere = Array.from({ length: questions }, (_, at) => places[at % connections] as Place);
  const asking: string[] = [];
  for (const some of batches(everywhere, 200)) asking.push(...(await stage.seed(by, some, "ask", 2_000)));
  return { by, places, asking };
}

/**
 * Starts two engines; resolves when all questions are open and the connections are balanced to a twentieth.
 */
export async function startTwo(
  stage: Stage,
  { places, asking }: Asking,
): Promise<{ engines: EngineProcess[]; evenMs: number }> {
  const engines = [await stage.engine()];
  await tookUntil("all questions are here", async () => {
    const { rows } = await stage.admin.query(
      "SELECT count(*)::integer AS n FROM input_request WHERE state = 'open'",
    );
    return rows[0].n === asking.length;
  });
  engines.push(await stage.engine());
  const evenMs = await tookUntil("both have as many", async () => {
    const counts = (await watched(stage)).map(({ connections }) => connections);
    const all = counts.reduce((total, count) => total + count, 0);
    return Math.max(...counts) - Math.min(...counts) <= places.length / 20 && all === places.length;
  });
  return { engines, evenMs };
}
