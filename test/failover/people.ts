/** People who decide one request after the other, and repeat a decision until it is taken, as a page does. */
import { setTimeout as sleep } from "node:timers/promises";
import { type Api, Gone } from "../chaos/api.ts";
import type { Keys } from "../chaos/installation.ts";
import { randomFor } from "../chaos/random.ts";

export interface Decided {
  requestId: string;
  action: "accept" | "decline";
  /** 202, or 409 after a try of which the person heard nothing. */
  outcome: "taken" | "was there";
  /** When the person heard that it counts. */
  at: number;
  /** Tries that brought no answer, or a server error. */
  unheard: number;
}

export interface People {
  decided: Decided[];
  /** Ends them. Resolves when each has its last decision. */
  stop(): Promise<void>;
}

/** What became of all decisions. Each list has the requests' ids. */
export interface Verdict {
  lost: string[];
  doubled: string[];
  misdirected: string[];
}

const PEOPLE = 3;
/** Requests that wait for them: more than they decide in the time that an outage leaves undecided. */
const STOCK = 15;
const DEADLINE_MS = 1_500;
const AGAIN_MS = 200;
const PAUSE_MS = 400;

interface Open {
  id: string;
  questionHash: string;
}

export function startPeople(api: Api, keys: Keys, seed: number, signal: AbortSignal): People {
  const over = new AbortController();
  const open: Open[] = [];
  const decided: Decided[] = [];
  let made = 0;
  const [asker] = keys.rivals;
  const [reader] = keys.people;

  async function until<T>(once: () => Promise<T | null>): Promise<T> {
    for (;;) {
      const answer = await once();
      if (answer !== null) return answer;
      await sleep(AGAIN_MS, undefined, { signal });
    }
  }

  async function ask(): Promise<void> {
    const at = made++;
    const { body } = await until(() =>
      api.once("POST", "/requests", {
        key: asker.key,
        headers: { "idempotency-key": `failover-${seed}-${at}` },
        body: { kind: "approval", message: `Release ${at}` },
        deadlineMs: DEADLINE_MS,
      }),
    );
    const reply = await until(() =>
      api.once("GET", `/input-requests/${body.id}`, { key: reader, deadlineMs: DEADLINE_MS }),
    );
    // Without synchronous replication a failover may have taken it away.
    if (reply.status === 200) open.push({ id: body.id, questionHash: reply.body.questionHash });
  }

  async function decide(cookie: string): Promise<void> {
    const request = open.shift();
    if (!request) return;
    const action = randomFor(seed, "person", request.id)() < 0.7 ? "accept" : "decline";
    const body = { action, questionHash: request.questionHash, ...(action === "accept" && { content: {} }) };
    let unheard = -1;
    const reply = await until(() => {
      unheard++;
      return api.once("POST", `/input-requests/${request.id}/answer`, {
        key: cookie,
        body,
        deadlineMs: DEADLINE_MS,
      });
    });
    if (reply.status === 404) return; // the request itself is lost, before anybody decided it
    if (reply.status !== 202 && !(reply.status === 409 && unheard > 0))
      throw new Error(`the decision of ${request.id}: ${reply.status} ${JSON.stringify(reply.body)}`);
    const outcome = reply.status === 202 ? "taken" : "was there";
    decided.push({ requestId: request.id, action, outcome, at: Date.now(), unheard });
  }

  async function loop(work: () => Promise<void>, pauseMs: number): Promise<void> {
    while (!over.signal.aborted) {
      await work();
      await sleep(pauseMs, undefined, { signal });
    }
  }
  const running = Promise.all([
    loop(async () => {
      while (open.length < STOCK && !over.signal.aborted) await ask();
    }, AGAIN_MS),
    ...Array.from({ length: PEOPLE }, (_, nth) =>
      loop(() => decide(keys.people[nth % keys.people.length] as string), PAUSE_MS),
    ),
  ]);
  // A failure is thrown by stop().
  running.catch(() => {});
  return {
    decided,
    async stop() {
      over.abort();
      await running;
    },
  };
}

/** Compares what people were told with what programs and the history say at the end. */
export async function judgeDecisions(api: Api, keys: Keys, decided: Decided[]): Promise<Verdict> {
  const verdict: Verdict = { lost: [], doubled: [], misdirected: [] };
  const [asker] = keys.rivals;
  const todo = [...decided];
  const judgeNext = async (): Promise<void> => {
    for (let one = todo.shift(); one; one = todo.shift()) {
      const outcome = await outcomeOf(api, asker.key, one.requestId);
      if (outcome === null) verdict.lost.push(one.requestId);
      else if (outcome !== (one.action === "accept" ? "answered" : "declined"))
        verdict.misdirected.push(one.requestId);
    }
  };
  await Promise.all(Array.from({ length: 4 }, judgeNext));
  const recorded = await api.all<{ inputRequestId: string }>("/events?type=answer.recorded", keys.admin);
  for (const [id, lines] of Map.groupBy(recorded, ({ inputRequestId }) => inputRequestId))
    if (lines.length > 1) verdict.doubled.push(id);
  const { body: chain } = await api.untilStatus("GET", "/events/verify", { key: keys.admin });
  if (chain.ok !== true) verdict.misdirected.push("the chain of events does not hold");
  return verdict;
}

/** Null: the request is gone, or waits for a decision. */
async function outcomeOf(api: Api, key: string, id: string): Promise<string | null> {
  try {
    const { body } = await api.untilStatus("GET", `/requests/${id}?waitMs=2000`, { key });
    return body.outcome;
  } catch (error) {
    if (error instanceof Gone) return null;
    throw error;
  }
}
