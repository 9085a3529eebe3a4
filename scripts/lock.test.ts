import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { identityOf } from "./lock.mjs";

const LOCK = new URL("lock.mjs", import.meta.url).href;

function folder({ onTestFinished }: Pick<TestContext, "onTestFinished">): string {
  const path = mkdtempSync(join(tmpdir(), "intray-lock-"));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** A process that takes the lock and runs `work` with it, which may use `append(line)`. */
function contender(path: string, work: string) {
  const script = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(LOCK)};
    const append = (line) => appendFileSync(${JSON.stringify(join(path, "log"))}, line + "\\n");
    await withLock(${JSON.stringify(join(path, "lock"))}, (holder) => append("waits for " + holder), async (alsoHeldBy) => {${work}});`;
  return spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "inherit" });
}

/** Writes a lock of this folder, as `identity` would hold it. */
const writeLock = (path: string, identity: string) =>
  writeFileSync(join(path, "lock"), `${JSON.stringify(realpathSync(path))}\n${identity}`);

const linesOf = (path: string) => readFileSync(join(path, "log"), "utf8").trim().split("\n");

test("of many processes one at a time is in, also where the first holder was killed", async (context) => {
  const path = folder(context);
  const killed = contender(path, `append("held"); await sleep(1e8);`);
  await expect.poll(() => existsSync(join(path, "log"))).toBe(true);
  killed.kill("SIGKILL");
  await once(killed, "exit");

  const all = Array.from({ length: 8 }, () =>
    contender(path, `append("in"); await sleep(20); append("out");`),
  );
  const codes = await Promise.all(all.map(async (child) => (await once(child, "exit"))[0]));
  expect(codes).toEqual(Array(8).fill(0));
  const turns = linesOf(path).filter((line) => line === "in" || line === "out");
  expect(turns).toEqual(Array.from({ length: 8 }, () => ["in", "out"]).flat());
  expect(readdirSync(path)).toEqual(["log"]);
});

test("who waits says for whom", async (context) => {
  const path = folder(context);
  const first = contender(
    path,
    `append("held"); while (!process.getBuiltinModule("fs").readFileSync(${JSON.stringify(join(path, "log"))}, "utf8").includes("waits")) await sleep(5);`,
  );
  await expect.poll(() => existsSync(join(path, "log"))).toBe(true);
  const second = contender(path, `append("in");`);
  await Promise.all([once(first, "exit"), once(second, "exit")]);
  expect(linesOf(path)).toEqual(["held", `waits for ${first.pid}`, "in"]);
});

test("a lock that was copied with its folder holds nothing in the copy, and still holds where it was taken", async (context) => {
  const [original, copy] = [folder(context), folder(context)];
  const holder = contender(original, `append("held"); await sleep(1e8);`);
  context.onTestFinished(() => void holder.kill("SIGKILL"));
  await expect.poll(() => existsSync(join(original, "log"))).toBe(true);
  copyFileSync(join(original, "lock"), join(copy, "lock"));
  const here = contender(copy, `append("in");`);
  expect((await once(here, "exit"))[0]).toBe(0);
  expect(linesOf(copy)).toEqual(["in"]);
  expect(readdirSync(copy)).toEqual(["log"]);

  const there = contender(original, `append("in");`);
  await expect.poll(() => linesOf(original)).toEqual(["held", `waits for ${holder.pid}`]);
  holder.kill("SIGKILL");
  expect((await once(there, "exit"))[0]).toBe(0);
});

test("a process id that was given away again holds nothing", async (context) => {
  const path = folder(context);
  // Ours lives, but it did not start then.
  writeLock(path, `${process.pid} 1`);
  const child = contender(path, `append("in");`);
  expect((await once(child, "exit"))[0]).toBe(0);
  expect(linesOf(path)).toEqual(["in"]);
});

test("it is given back where the work fails, and where it ends the process", async (context) => {
  const path = folder(context);
  const failing = contender(path, `process.once("uncaughtException", () => {}); throw new Error("no");`);
  await once(failing, "exit");
  expect(readdirSync(path)).toEqual([]);
  const ending = contender(path, `process.exit(7);`);
  expect((await once(ending, "exit"))[0]).toBe(7);
  expect(readdirSync(path)).toEqual([]);
});

test("a child that outlives the holder holds it too", async (context) => {
  const path = folder(context);
  const killed = contender(
    path,
    `const child = process.getBuiltinModule("child_process").spawn("sleep", ["1000"], { stdio: "ignore" });
     alsoHeldBy(child.pid); append(child.pid); await sleep(1e8);`,
  );
  await expect.poll(() => existsSync(join(path, "log"))).toBe(true);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const [child] = linesOf(path);
  const next = contender(path, `append("in");`);
  await expect.poll(() => linesOf(path)).toEqual([child, `waits for ${child}`]);
  process.kill(Number(child), "SIGKILL");
  expect((await once(next, "exit"))[0]).toBe(0);
  expect(linesOf(path)).toEqual([child, `waits for ${child}`, "in"]);
});

test("a holder that was killed and that nobody has buried holds nothing", async (context) => {
  const path = folder(context);
  // A parent that is stopped buries no child.
  const parent: ChildProcess = spawn("sh", ["-c", "sleep 1000 & echo $!; wait"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  context.onTestFinished(() => void parent.kill("SIGKILL"));
  const [line] = await once(parent.stdout as NonNullable<typeof parent.stdout>, "data");
  const pid = Number(line);
  parent.kill("SIGSTOP");
  await expect.poll(() => readFileSync(`/proc/${parent.pid}/stat`, "utf8")).toContain(" T ");
  writeLock(path, identityOf(pid));
  process.kill(pid, "SIGKILL");
  await expect.poll(() => readFileSync(`/proc/${pid}/stat`, "utf8")).toContain(" Z ");
  const child = contender(path, `append("in");`);
  expect((await once(child, "exit"))[0]).toBe(0);
  expect(linesOf(path)).toEqual(["in"]);
});
