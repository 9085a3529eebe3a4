import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Api } from "./api.ts";
import type { Facts } from "./facts.ts";
import type { Installation } from "./installation.ts";
import type { RunRecord } from "./judge.ts";
import { findingsOf } from "./judgement.ts";
import type { Account } from "./table.ts";

/** Writes all facts of the run, and for each task with a finding Intray's record of it. */
export async function keepEvidence(
  api: Api,
  installation: Installation,
  record: RunRecord,
  facts: Facts,
  { judgement }: Account,
): Promise<void> {
  const folder = join(installation.folder, "evidence");
  mkdirSync(folder);
  const write = (name: string, what: unknown) =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify(what, null, 2));
  write("judgement", judgement);
  write("people", record);
  for (const id of new Set(findingsOf(judgement).flatMap(({ taskId }) => taskId ?? []))) {
    const read = async (path: string) =>
      (await api.once("GET", `/tasks/${id}${path}`, { key: installation.keys.operator }))?.body;
    const there = facts.ledger.find((line) => line.kind === "created" && line.data.key === id)?.taskId;
    write(id, {
      task: await read(""),
      facts: facts.tasks.find((task) => task.id === id),
      events: await read("/events?limit=200"),
      messages: await read("/messages?limit=200"),
      ledger: facts.ledger.filter((line) => line.taskId === there),
    });
  }
}
