import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { nextFreePort } from "../ports.ts";
import { isStarved, readUse, startPart } from "./part.ts";
import { isAnswered } from "./ready.ts";

/** Serves; at `/spin` it is busy for ever. Writes its id down. */
const SCRIPT = `
  import { appendFileSync } from "node:fs";
  import { createServer } from "node:http";
  appendFileSync(process.env.IDS, process.pid + "\\n");
  process.on("disconnect", () => process.exit());
  process.on("message", () => process.exit());
  createServer((request, response) => {
    if (request.url === "/spin") for (;;) {}
    response.end();
  }).listen(Number(process.env.PORT), "127.0.0.1");
`;

test.each([
  ["is stopped", 4_850, (pid: number) => process.kill(pid, "SIGSTOP")],
  ["is busy for ever", 4_855, (_pid: number, port: number) => void isAnswered("127.0.0.1", port, "/spin")],
])("a part that %s is ended, and started again", { tags: ["full"] }, async (_name, from, silence) => {
  const folder = mkdtempSync(join(tmpdir(), "intray-silent-"));
  const [script, file] = [join(folder, "part.mjs"), join(folder, "ids")];
  writeFileSync(script, SCRIPT);
  writeFileSync(file, "");
  const port = await nextFreePort(from);
  const ids = () => readFileSync(file, "utf8").trim().split("\n").filter(Boolean).map(Number);
  let answered = 0;
  const answers = async () => {
    const isUp = await isAnswered("127.0.0.1", port, "/");
    if (isUp) answered++;
    return isUp;
  };
  const part = startPart("part", script, { ...process.env, PORT: String(port), IDS: file }, { answers });
  try {
    // Silence before would be taken for its start.
    await expect.poll(() => answered).toBeGreaterThan(0);
    const [first] = ids();
    silence(first!, port);
    await expect.poll(() => ids().length).toBe(2);
    await expect.poll(() => isAnswered("127.0.0.1", port, "/")).toBe(true);
    expect(() => process.kill(first!, 0)).toThrow("ESRCH");
  } finally {
    part.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each([
  [true, "wants time and has none", { usedMs: 100, wantsTime: true }],
  [true, "has less than half of it", { usedMs: 1_000, wantsTime: true }],
  [false, "has it", { usedMs: 1_900, wantsTime: true }],
  [false, "is stopped, or asleep", { usedMs: 100, wantsTime: false }],
])("%s: the silence is the machine's where a part %s", (starved, _, after) => {
  const before = { usedMs: 100, wantsTime: true, at: 0 };
  expect(isStarved(before, { ...after, at: 2_000 })).toBe(starved);
  expect(isStarved(before, null)).toBe(false);
  expect(isStarved(null, { ...after, at: 2_000 })).toBe(false);
});

test("what a process has of the processor is read where Linux tells it", () => {
  const before = readUse(process.pid);
  const { user, system } = process.cpuUsage();
  for (let now = process.cpuUsage(); now.user + now.system < user + system + 200_000; )
    now = process.cpuUsage();
  const after = readUse(process.pid);
  if (process.platform !== "linux") return expect([before, after]).toEqual([null, null]);
  expect(after!.usedMs - before!.usedMs).toBeGreaterThan(50);
  expect(readUse(2 ** 22 + 1)).toBeNull();
});
