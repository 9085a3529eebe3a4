/** The processes of compose.yaml, started by hand: the same entrance, commands and environment. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { readRecord } from "../../scripts/database/cluster.ts";
import { startEmbedded } from "../../scripts/database/embedded.ts";
import { withLogin } from "../../scripts/database/roles.ts";
import { freePort } from "../../scripts/ports.ts";
import type { Arrangement } from "./arranged.ts";

const ENTRANCE = "ops/container/intray";

export async function arrangeByHand(serverPort: number): Promise<Arrangement> {
  const folder = mkdtempSync(join(tmpdir(), "intray-arrangement-"));
  const postgres = await startEmbedded(join(folder, "postgres"));
  const port = await freePort();
  const file = (name: string, text: string) => {
    const path = join(folder, name);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const urlOf = (role: string) => withLogin(postgres.ownerUrl, role, randomBytes(24).toString("hex"));
  const common = {
    PATH: `${join(process.execPath, "..")}:${process.env.PATH}`,
    NODE_ENV: "production",
    INTRAY_URL: `http://localhost:${port}`,
    INTRAY_ALLOW_HOSTS: `127.0.0.1:${serverPort}`,
    PORT: String(port),
    INTRAY_KEYS_FILE: file("intray_keys", `k1:${randomBytes(32).toString("base64")}`),
  };
  const app = { APP_DATABASE_URL_FILE: file("app_database_url", urlOf("intray_app")) };
  const engineUrl = { ENGINE_DATABASE_URL_FILE: file("engine_database_url", urlOf("intray_engine")) };
  const auth = { AUTH_SECRET_FILE: file("auth_secret", randomBytes(32).toString("base64")) };
  const owner = { DATABASE_URL_FILE: file("database_url", postgres.ownerUrl) };
  const command = (...args: string[]) =>
    execFileSync(ENTRANCE, args, {
      env: { ...common, ...app, ...engineUrl, ...auth, ...owner } as NodeJS.ProcessEnv,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }).trim();

  command("migrate", "--logins");
  const parts = [
    keep("engine", { ...common, ...engineUrl }),
    keep("engine", { ...common, ...engineUrl }),
    keep("web", { ...common, ...app, ...auth }),
  ];
  return {
    url: `http://127.0.0.1:${port}`,
    reach: async (at) => `http://127.0.0.1:${at}/mcp`,
    command: async (...args) => command(...args),
    async kill(name) {
      parts.find((part) => part.name === name)?.kill();
    },
    drain: () => Promise.all(parts.map((part) => part.drain())),
    async close() {
      for (const part of parts) part.end();
      await postgres.server.stop("fast");
      // As root, Postgres works as another user, in a folder of its own.
      const elsewhere = readRecord(join(folder, "postgres")).home;
      for (const path of [folder, elsewhere]) if (path) rmSync(path, { recursive: true, force: true });
    },
  };
}

/** restart: unless-stopped */
function keep(name: string, environment: Record<string, string>) {
  let child: ChildProcess;
  let stopped = false;
  const run = async () => {
    while (!stopped) {
      child = spawn(ENTRANCE, [name], {
        env: environment as NodeJS.ProcessEnv,
        stdio: ["ignore", "ignore", "inherit"],
      });
      await once(child, "exit");
      if (!stopped) await sleep(200);
    }
  };
  const running = run();
  return {
    name,
    kill: () => child.kill("SIGKILL"),
    end() {
      stopped = true;
      child.kill("SIGKILL");
    },
    async drain() {
      stopped = true;
      const began = performance.now();
      child.kill("SIGTERM");
      await running;
      return { part: name, code: child.exitCode ?? -1, seconds: (performance.now() - began) / 1000 };
    },
  };
}
