/** Starts servers of versions before tasks, on the official SDKs of their time, each in its own process (test/old-servers). */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { installOwnPackage } from "../setup/own-package.ts";

export const OLD_VERSIONS = ["2024-11-05", "2025-03-26", "2025-06-18"] as const;
export type OldVersion = (typeof OLD_VERSIONS)[number];

const place = () => installOwnPackage("old-servers", ["serve.mjs"]);

/** The oldest version of the reference server, a command of 2024-11-05. */
export const oldEverything = () =>
  join(place(), "node_modules/@modelcontextprotocol/server-everything/dist/index.js");

/** Resolves once the server listens, at this port if it is named. */
export async function startOldServer(version: OldVersion, port = 0) {
  const child: ChildProcess = spawn(process.execPath, [join(place(), "serve.mjs"), version, String(port)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = once(child, "exit");
  const started = once(child.stdout!, "data").then(([said]) => String(said).trim());
  const url = await Promise.race([
    started,
    exited.then(() => Promise.reject(new Error(`the server of ${version} did not start`))),
  ]);
  return {
    url,
    port: Number(new URL(url).port),
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}
