import { spawn } from "node:child_process";
import { once } from "node:events";
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
    const unlock = lockDataFolder(folder, "http://localhost:3000");
    unlock();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a data folder that is in use names its process, and the address at which it serves", async () => {
  const folder = mkdtempSync(join(tmpdir(), "intray-single-"));
  const script = `
    import { lockDataFolder } from ${JSON.stringify(new URL("single.ts", import.meta.url).href)};
    lockDataFolder(${JSON.stringify(folder)}, "http://localhost:5600");
    setInterval(() => {}, 1e6);
    process.stdout.write("held");`;
  // A supervisor is known by its command line.
  const supervisor = spawn(process.execPath, ["--input-type=module", "-e", script, "scripts/supervise.ts"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    await once(supervisor.stdout, "data");
    expect(supervisorOf(folder)).toEqual({ pid: supervisor.pid, url: "http://localhost:5600" });
    expect(() => lockDataFolder(folder, "http://localhost:5601")).toThrow(`process ${supervisor.pid}`);
  } finally {
    supervisor.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});
