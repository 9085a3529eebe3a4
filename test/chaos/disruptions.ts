/** Deals the planned blows to the parts, and restarts each after its pause. */
import { type EventEmitter, once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Part } from "./parts.ts";
import type { Disruption, Moment } from "./plan.ts";

export interface DisruptionsDone {
  /** Kills by the name of the part. */
  kills: Map<string, number>;
  freezes: number;
  /** Of Intray's database, in ms. */
  outages: number[];
  /** Kills that came at their moment. */
  atMoments: number;
  /** Blows that found no running part. */
  missed: number;
}

/** How long a kill waits for its moment: the rarer, the longer. */
const MOMENT_MS: Record<Moment, number> = { call: 3_000, decision: 5_000, use: 20_000 };

/**
 * Resolves when the last blow was dealt and everything runs again. Rejects if a part cannot be restarted (a
 * Postgres that does not recover), or when the signal ends the run. `moments` emits the names of moments.
 */
export async function deal(
  disruptions: Disruption[],
  parts: Part[],
  dealt: DisruptionsDone,
  moments: EventEmitter,
  signal: AbortSignal,
): Promise<void> {
  const byName = new Map(parts.map((part) => [part.name, part]));
  const frozen = new Set<string>();
  const startedAt = performance.now();
  const recoveries: Promise<void>[] = [];
  let broken: unknown;
  for (const disruption of disruptions) {
    const wait = disruption.atMs - (performance.now() - startedAt);
    if (wait > 0) await sleep(wait, undefined, { signal });
    if (broken) throw broken;
    const target = disruption.parts
      .flatMap((name) => byName.get(name) ?? [])
      .find((part) => part.alive() && !(disruption.kind === "freeze" && frozen.has(part.name)));
    if (!target) {
      dealt.missed++;
      continue;
    }
    recoveries.push(
      strike(disruption, target, { frozen, dealt, moments, signal }).catch((error: unknown) => {
        broken = error;
      }),
    );
  }
  await Promise.all(recoveries);
  if (broken) throw broken;
}

async function strike(
  disruption: Disruption,
  part: Part,
  {
    frozen,
    dealt,
    moments,
    signal,
  }: { frozen: Set<string>; dealt: DisruptionsDone; moments: EventEmitter; signal: AbortSignal },
): Promise<void> {
  if (disruption.kind === "freeze") {
    dealt.freezes++;
    frozen.add(part.name);
    part.freeze();
    await sleep(disruption.downMs, undefined, { signal });
    // If the part was killed meanwhile, it is another process now, and not frozen.
    part.thaw();
    frozen.delete(part.name);
    return;
  }
  if (disruption.moment) {
    const { name, lagMs } = disruption.moment;
    if (await comes(moments, name, signal)) dealt.atMoments++;
    await sleep(lagMs, undefined, { signal });
    // Another blow came first.
    if (!part.alive()) {
      dealt.missed++;
      return;
    }
  }
  if (disruption.kind === "outage") dealt.outages.push(disruption.downMs);
  else dealt.kills.set(part.name, (dealt.kills.get(part.name) ?? 0) + 1);
  await part.kill();
  await sleep(disruption.downMs, undefined, { signal });
  await part.start();
}

/** Waits for a moment. Returns false if none came in time. */
async function comes(moments: EventEmitter, name: Moment, signal: AbortSignal): Promise<boolean> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(MOMENT_MS[name])]);
  const came = await once(moments, name, { signal: enough }).then(
    () => true,
    () => false,
  );
  signal.throwIfAborted();
  return came;
}
