/**
 * What this process's operator lets organizations reach beside public addresses: INTRAY_ALLOW_HOSTS, and the addresses
 * that they allowed by a press, in a file of the data folder (docs/decisions/085).
 */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { env } from "../env.ts";
import { log } from "../log.ts";
import { staysOnThisMachine } from "./address.ts";
import type { NameFailure } from "./guarded-lookup.ts";
import { createNetwork, type Network } from "./network.ts";

const HOST_AND_PORT = /^(\[[\da-f:.]+\]|[\w.-]+):\d{1,5}$/i;

/** The way to addresses that organizations chose. */
export function createTenantNetwork(): Network {
  const file = allowedHostsFile();
  return createNetwork({
    allowHosts: env().allowHosts,
    denyPorts: env().denyPorts,
    onNameFailed: logNameFailure,
    ...(file !== null && { allowedLater: () => readAllowedHosts(file) }),
  });
}

/** Returns the file's path, or null unless `npm start` runs this process for this machine alone. */
export function allowedHostsFile(): string | null {
  const { allowHostsFile } = env();
  return allowHostsFile !== undefined && staysOnThisMachine(env()) ? allowHostsFile : null;
}

/** Returns the file's `host:port` lines. Any other line allows nothing. */
export function readAllowedHosts(file: string): string[] {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => HOST_AND_PORT.test(line));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

/** Replaces the file's lines. Without an await, so that two calls of this process do not undo each other. */
export function changeAllowedHosts(file: string, change: (hosts: string[]) => string[]): void {
  const lines = change(readAllowedHosts(file)).map((host) => `${host}\n`);
  writeFileSync(`${file}.new`, lines.join(""), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}

/** Between two lines on the same name, which may be asked for many times a second. */
const AGAIN_AFTER_MS = 60_000;
const MOST_NAMES = 1_000;
const told = new Map<string, number>();

/** Tells the operator, and nobody else, why a name was not connected to. */
function logNameFailure({ host, port, why }: NameFailure): void {
  const key = `${why} ${host}:${port}`;
  const now = performance.now();
  if (now - (told.get(key) ?? Number.NEGATIVE_INFINITY) < AGAIN_AFTER_MS) return;
  if (told.size >= MOST_NAMES) told.clear();
  told.set(key, now);
  log.info({ host, port, why }, "a name was not connected to");
}
