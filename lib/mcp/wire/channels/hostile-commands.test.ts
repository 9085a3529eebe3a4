/** Commands that flood their pipes: Intray's memory stays bounded, and their calls are still answered. */
import { afterEach, describe, expect, test } from "vitest";
import { endAll, open, options } from "../../../../test/commands.ts";
import type { Wire } from "../wire.ts";

afterEach(endAll);

const HEAD = `const say = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");`;
/** Starts a command that runs `onLine` for each line on its stdin. */
const command = (onLine: string, setup = "") =>
  open([
    "-e",
    `${HEAD}${setup};require("readline").createInterface({ input: process.stdin }).on("line", (line) => {${onLine}})`,
  ]).wire;
const ask = async (wire: Wire, method: string) => {
  const reply = await wire.request({ method, params: {}, headers: {} }, { ...options, deadlineMs: 60_000 });
  return (JSON.parse(reply.text) as { result: unknown }).result;
};

describe("a command", () => {
  test("that pings without end and does not read is answered as far as its pipe goes, and no further", async () => {
    const wire = command(
      `const { id, method, result } = JSON.parse(line);
       if (result) pongs++;
       if (method === "flood") {
         process.stdin.pause();
         for (let at = 0; at < 100_000; at++) say({ id: at, method: "ping" });
         say({ id, result: "flooded" });
         setTimeout(() => process.stdin.resume(), 1_000);
       }
       if (method === "count") say({ id, result: pongs });`,
      "let pongs = 0",
    );
    expect(await ask(wire, "flood")).toBe("flooded");
    const pongs = (await ask(wire, "count")) as number;
    expect(pongs).toBeGreaterThan(0);
    expect(pongs).toBeLessThan(20_000);
  });

  test("that answers under ids of other types, unknown ones and twice is heard once, under its own", async () => {
    const wire = command(
      `const { id } = JSON.parse(line);
       for (const other of [id + "x", id + 1, -id, null, id + 0.5, [id], { id }]) say({ id: other, result: "other" });
       say({ result: "none" });
       say({ id, result: "first" });
       say({ id, result: "second" });`,
    );
    expect(await ask(wire, "one")).toBe("first");
    expect(await ask(wire, "two")).toBe("first");
  });

  test("that nests its messages beyond reason, or fills megabytes of its log, is heard afterwards", async () => {
    const wire = command(
      `const { id } = JSON.parse(line);
       process.stdout.write("[".repeat(200_000) + "]".repeat(200_000) + "\\n");
       process.stdout.write('{"a":'.repeat(200_000) + "\\n");
       process.stderr.write("x".repeat(5_000_000) + "\\n");
       say({ id, result: "fine" });`,
    );
    expect(await ask(wire, "nest")).toBe("fine");
  });
});
