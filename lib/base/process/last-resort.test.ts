import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

/** Runs a script in a process with the last resort installed. Returns its output and exit code. */
async function run(script: string, end = 'log.info("it ends in order")') {
  const here = (path: string) => JSON.stringify(fileURLToPath(new URL(path, import.meta.url)));
  const source = `
    import pino from "pino";
    import { installLastResort } from ${here("lifecycle.ts")};
    const log = pino(pino.destination({ sync: true }));
    installLastResort(log, async () => { ${end} });
    ${script}`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", source], {
    cwd: fileURLToPath(new URL("../../..", import.meta.url)),
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk));
  child.stderr.on("data", (chunk: Buffer) => (output += chunk));
  const [code] = await once(child, "close");
  return { code, output };
}

test("a promise that nobody waits for fails: it is said loudly, and the process goes on", async () => {
  const { code, output } = await run(`
    void Promise.reject(new Error("the database is away"));
    setTimeout(() => log.info("it goes on"), 50);`);
  expect(output).toContain("the database is away");
  expect(output).toContain('"level":50');
  expect(output).toContain("it goes on");
  expect(code).toBe(0);
});

test("an error comes from a timer: it is said loudly, and the process ends in order, for another start", async () => {
  const { code, output } = await run(`
    setInterval(() => undefined, 1_000);
    setTimeout(() => { throw new Error("half done"); }, 1);`);
  expect(output).toContain("half done");
  expect(output).toContain('"level":60');
  expect(output).toContain("it ends in order");
  expect(code).toBe(1);
});

test("an end that fails in its turn is an end all the same", async () => {
  const thrown = `
    setInterval(() => undefined, 1_000);
    setTimeout(() => { throw new Error("half done"); }, 1);`;
  const { code, output } = await run(thrown, 'throw new Error("it can not be ended")');
  expect(output).toContain("it can not be ended");
  expect(code).toBe(1);
});
