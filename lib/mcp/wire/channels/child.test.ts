import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { call, endAll, notes, open, options, SCRIPT } from "../../../../test/commands.ts";
import { patiently } from "../../../../test/setup/patience.ts";
import { Child } from "./child.ts";

afterEach(endAll);

describe("a command that dies", () => {
  it("leaves the outcome of its calls unknown, ends its session, and is started again after a pause", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    const heard = notes();
    await v1.listen(session, heard.listener, options);
    const calls = [call(v1, session, "listen"), call(v1, session, "die")];
    const ends = calls.map((each) =>
      expect(each).rejects.toMatchObject({ code: "unreachable", reached: "maybe" }),
    );
    await Promise.all(ends);
    await patiently(() => expect(heard.closed).toEqual(["failed"]));
    await expect(call(v1, session, "echo")).rejects.toMatchObject({ code: "session_gone", reached: "no" });
    await expect(v1.listen(session, heard.listener, options)).rejects.toMatchObject({ code: "session_gone" });
    const next = await patiently(() => v1.open(options));
    expect(next?.id).not.toBe(session?.id);
    expect(await call(v1, next, "echo", { n: 1 })).toEqual({ n: 1 });
  });

  it.each([
    ["at once", process.execPath, [SCRIPT, "dead"]],
    ["because it does not exist", "/no/such/command", []],
  ])("%s is run less and less often, and its calls never arrived", async (_, command, args) => {
    const { v1 } = open(args, {}, command);
    const refusals: (number | null)[] = [];
    await patiently(async () => {
      const error = await v1.open(options).then(
        () => undefined,
        (reason: { retryAfterMs: number | null }) => reason,
      );
      expect(error).toMatchObject({ code: "unreachable" });
      refusals.push(error?.retryAfterMs ?? null);
      // The command ran a third time, after a longer pause than the first.
      expect(refusals.filter((pause) => pause === null).length).toBeGreaterThanOrEqual(2);
      expect(Math.max(...refusals.map(Number))).toBeGreaterThan(500);
    });
  });

  it("is no call that arrived where it does not exist", async () => {
    const { v2 } = open([], {}, "/no/such/command");
    await expect(call(v2, null, "echo")).rejects.toMatchObject({ code: "unreachable", reached: "no" });
  });

  describe("is heard to its last words before its end is told", () => {
    /** A child that runs `script`; `heard` has what it said, and its end. */
    function run(script: string) {
      const heard: string[] = [];
      const listener = {
        onLog: (line: string) => void heard.push(line),
        onMessage: () => 1,
        onGone: () => void heard.push("(gone)"),
      };
      const child = new Child(
        { command: process.execPath, args: ["-e", script], env: {} },
        listener,
        120_000,
      );
      onTestFinished(() => child.end());
      return { child, heard };
    }

    it("in whichever order its outputs end", async () => {
      const { heard } = run('require("fs").closeSync(1); setTimeout(() => console.error("no ledger"), 100)');
      await patiently(() => expect(heard).toEqual(["no ledger", "(gone)"]));
    });

    it("also where it has stopped reading before", async () => {
      const { child, heard } = run(`
        process.on("SIGUSR2", () => { console.error("no ledger"); process.exit(); });
        setInterval(() => {}, 1e6);
        require("fs").closeSync(0);
        console.error(process.pid);`);
      await patiently(() => expect(heard).toHaveLength(1));
      const pid = Number(heard[0]);
      for (const line of ["one", "two"])
        child.write(line, (failure) => heard.push(`${line}: ${failure?.code} ${failure?.reached}`));
      process.kill(pid, "SIGUSR2");
      await patiently(() =>
        expect(heard.slice(1)).toEqual(["no ledger", "(gone)", "one: unreachable no", "two: unreachable no"]),
      );
    });
  });

  it("is killed when it says more than 10 MB in one message", async () => {
    const { v1, log } = open([SCRIPT]);
    const session = await v1.open(options);
    await expect(call(v1, session, "huge")).rejects.toMatchObject({ code: "unreachable", reached: "maybe" });
    expect(log.join()).toContain("larger than 10 MB");
  });

  it("is ended when it does not listen any more", async () => {
    const { v1 } = open([SCRIPT]);
    const session = await v1.open(options);
    await expect(call(v1, session, "deaf", {}, { deadlineMs: 500 })).rejects.toMatchObject({
      reached: "maybe",
    });
    await patiently(() =>
      expect(call(v1, session, "echo", {}, { deadlineMs: 500 })).rejects.toMatchObject({
        code: "session_gone",
      }),
    );
  });
});

describe("the end", () => {
  /** Returns pid, parent and state of every process except zombies. */
  const processes = () =>
    execFileSync("ps", ["-A", "-o", "pid=", "-o", "ppid=", "-o", "stat="], { encoding: "utf8" })
      .trim()
      .split("\n")
      .map((line) => line.trim().split(/\s+/) as [string, string, string])
      .filter(([, , state]) => !state.startsWith("Z"));
  const started: ChildProcess[] = [];
  afterEach(() => {
    for (const child of started.splice(0)) child.kill("SIGKILL");
  });

  it("of the wire is the end of the child, also of one that does not want to", async () => {
    const { wire, v1 } = open([SCRIPT, "stubborn"]);
    const session = await v1.open(options);
    const waiting = call(v1, session, "listen").catch((error: unknown) => error);
    await wire.end();
    expect(await waiting).toMatchObject({ code: "unreachable", reached: "maybe" });
    await expect(v1.open(options)).rejects.toMatchObject({ code: "unreachable", reached: "no" });
  });

  it.each(["SIGTERM", "SIGKILL"] as const)("of our process by %s is the end of the child", async (signal) => {
    const program = `
      import { createNetwork } from "./lib/base/network/network.ts";
      import { createPeer, openWire } from "./lib/mcp/connect.ts";
      process.on("SIGTERM", () => process.exit(0));
      const endpoint = { command: process.execPath, args: [${JSON.stringify(SCRIPT)}, "stubborn"], env: {} };
      const peer = createPeer("2025-11-25", openWire(endpoint, createNetwork({ allowHosts: [], denyPorts: [] })));
      await peer.open({ deadlineMs: 15000 });
      console.log(process.pid);`;
    const ours = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    started.push(ours);
    await once(ours.stdout, "data");
    const ofOurs = processes().filter(([, parent]) => parent === String(ours.pid));
    const children = ofOurs.map(([pid]) => pid);
    expect(children).toHaveLength(2);
    ours.kill(signal);
    const left = () => processes().filter(([pid]) => children.includes(pid));
    await patiently(() => expect(left()).toEqual([]));
  });
});
