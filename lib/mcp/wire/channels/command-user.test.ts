import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { endAll, open, options } from "../../../../test/commands.ts";
import { patiently } from "../../../../test/setup/patience.ts";
import { asCommandUser } from "./child.ts";

process.env.INTRAY_COMMAND_USER = "10002";
process.env.SECRET_OF_INTRAY = "sealing-key";

/** What a command tries against the process that started it. */
const ATTACK = `{
  echo "user $(id -u) groups $(id -G)"
  tr '\\0' '\\n' < /proc/$PPID/environ | grep SECRET_OF_INTRAY || echo "no secret"
  kill -0 $PPID && echo "may kill Intray"
  setpriv --reuid $(stat -c %u /proc/$PPID) --clear-groups id -u || echo "stays who it is"
  grep -E '^(CapEff|CapAmb|NoNewPrivs)' /proc/self/status
} 2>/dev/null`;
const HARMLESS = [
  "user 10002 groups 10002",
  "no secret",
  "stays who it is",
  "CapEff:\t0000000000000000",
  "CapAmb:\t0000000000000000",
  "NoNewPrivs:\t1",
];
/** Who is not root cannot become another user; nothing is run then. */
const MAY = process.getuid?.() === 0;
const REFUSED = "setpriv: setresuid failed: Operation not permitted";

afterEach(endAll);

describe("a command of another user", () => {
  it("knows no secret of Intray's and cannot touch its process, or is not run", async () => {
    const { v1, log } = open(["-c", `exec >&2; ${ATTACK}`], {}, "/bin/sh");
    await expect(v1.open(options)).rejects.toMatchObject({ code: "unreachable" });
    expect(log).toEqual(MAY ? HARMLESS : [REFUSED]);
  });

  it("has what its entry says, and no home of Intray's", async () => {
    const { v1, log } = open(["-c", 'echo "$HOME $TOKEN" >&2'], { TOKEN: "t" }, "/bin/sh");
    await expect(v1.open(options)).rejects.toMatchObject({ code: "unreachable" });
    expect(log).toEqual(MAY ? ["/nonexistent t"] : [REFUSED]);
  });

  it("ends with its wire, however stubborn", async () => {
    const { wire, v1, log } = open(
      ["-c", 'trap "" TERM; echo $$ >&2; while :; do sleep 1; done'],
      {},
      "/bin/sh",
    );
    const opening = expect(v1.open(options)).rejects.toMatchObject({ code: "unreachable" });
    await patiently(() => expect(log).toHaveLength(1));
    await wire.end();
    await opening;
    const pid = MAY ? Number(log[0]) : 0;
    if (pid) expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    else expect(log).toEqual([REFUSED]);
  });
});

describe("the image's entrance", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "intray-entrance-"));
    chmodSync(folder, 0o755);
    return () => rmSync(folder, { recursive: true, force: true });
  });

  /** Runs the entrance with a program in Node's place that reports who it is, and runs a command as the engine does. */
  function enter(environment: Record<string, string>): string[] {
    const [program, args] = asCommandUser({ uid: 10002, gid: 10002 }, "/bin/sh", ["-c", ATTACK]);
    const command = [program, ...args].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
    const node = `#!/bin/sh
      echo "Intray is $(id -u), commands \${INTRAY_COMMAND_USER:-its own user}, $(grep CapEff /proc/self/status)"
      if [ -n "\${INTRAY_COMMAND_USER:-}" ]; then ${command}; fi`;
    writeFileSync(join(folder, "node"), node, { mode: 0o755 });
    copyFileSync("ops/container/intray", join(folder, "intray"));
    chmodSync(join(folder, "intray"), 0o755);
    const { stdout } = spawnSync(join(folder, "intray"), ["engine"], {
      encoding: "utf8",
      env: {
        PATH: `${folder}:${process.env.PATH}`,
        SECRET_OF_INTRAY: "sealing-key",
        ...environment,
      } as never,
    });
    return stdout.trim().split("\n");
  }

  const image = { INTRAY_USER: "10001:10001" };
  const self = Number(execFileSync("id", ["-u"], { encoding: "utf8" }));
  const own = execFileSync("grep", ["CapEff", "/proc/self/status"], { encoding: "utf8" }).trim();

  it("keeps of root's powers what commands as another user take, and nothing where there are no commands", () => {
    expect(enter({ ...image, INTRAY_SERVERS_FILE: "/etc/intray/servers.json" })).toEqual(
      MAY
        ? ["Intray is 10001, commands 10002:10002, CapEff:\t00000000000000e0", ...HARMLESS]
        : [`Intray is ${self}, commands its own user, ${own}`],
    );
    expect(enter(image)).toEqual([
      MAY
        ? "Intray is 10001, commands its own user, CapEff:\t0000000000000000"
        : `Intray is ${self}, commands its own user, ${own}`,
    ]);
  });
});
