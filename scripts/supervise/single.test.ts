import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { identityOf } from "../lock.mjs";
import { lockDataFolder, supervisorOf } from "./single.ts";

/** Of this process, which is no supervisor, and lives. */
const OURS = `${process.pid}`;

test.each([
  { name: "nobody that runs", holder: "2147483646 1" },
  { name: "our own number, of a container's life before this one", holder: `${OURS} 1` },
  { name: "our own number alone, as an earlier version wrote it", holder: OURS },
  { name: "another program that runs", holder: identityOf(process.ppid) },
])("a data folder that names $name is free", ({ holder }) => {
  const folder = mkdtempSync(join(tmpdir(), "intray-single-"));
  try {
    writeFileSync(join(folder, "supervisor.pid"), holder);
    expect(supervisorOf(folder)).toBeUndefined();
    const unlock = lockDataFolder(folder);
    unlock();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
