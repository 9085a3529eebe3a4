/**
 * The sealing keys of this process: from INTRAY_KEYS, or from a file or a command of the operator's secret store,
 * which are read again while the process runs, so that keys change without a restart (docs/keys.md).
 */

import { exec, execSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { ConfigurationError, type Environment, env, parseKeys, programEnvironment } from "./env.ts";
import { log } from "./log.ts";
import { onePerProcess } from "./process/process-wide.ts";
import type { SealingKey } from "./seal.ts";

/** How often a file or a command is read again. A new key must be known to all processes before it seals. */
const AGAIN_MS = { file: 15_000, command: 300_000 };
/** Longest time for the command, which may ask a store over the network. */
const COMMAND_MS = 30_000;
const COMMAND = { encoding: "utf8", timeout: COMMAND_MS, env: programEnvironment() } as const;

type Source = Pick<Environment, "keys" | "keysFile" | "keysCommand">;

/**
 * Reads the keys once. Returns undefined if no setting says where they are. Throws ConfigurationError, which
 * names the setting, never a key.
 */
export function readKeys({ keys, keysFile, keysCommand }: Source): SealingKey[] | undefined {
  if ([keys, keysFile, keysCommand].filter((source) => source !== undefined).length > 1)
    throw new ConfigurationError(
      "Only one of INTRAY_KEYS, INTRAY_KEYS_FILE and INTRAY_KEYS_COMMAND may be set.",
    );
  if (keysFile !== undefined) return parsed("INTRAY_KEYS_FILE", () => readFileSync(keysFile, "utf8"));
  if (keysCommand === undefined) return keys;
  // Its stderr is the operator's to see; its stdout is secret.
  const run = () => execSync(keysCommand, { ...COMMAND, stdio: ["ignore", "pipe", "inherit"] });
  return parsed("INTRAY_KEYS_COMMAND", run);
}

/** Throws ConfigurationError for whatever `read` throws, and for text that is no list of keys. */
function parsed(setting: string, read: () => string): SealingKey[] {
  let text: string;
  try {
    text = read();
  } catch (error) {
    throw unreadable(setting, error);
  }
  return parseKeys(setting, text.trim());
}

function unreadable(setting: string, error: unknown): ConfigurationError {
  const { code, status, signal } = error as { code?: string; status?: number; signal?: string };
  return new ConfigurationError(`${setting} cannot be read (${code ?? signal ?? `exit code ${status}`}).`);
}

/** Keys that may change. A key keeps its identity as long as it stays in the ring. */
export interface KeyRing {
  keys(): readonly SealingKey[];
  /** Reads the source again. Rejects with ConfigurationError, and keeps the last keys. */
  readAgain(): Promise<void>;
}

export function openKeyRing(source: Source): KeyRing {
  const first = readKeys(source);
  if (!first) throw new ConfigurationError("INTRAY_KEYS is not set, and this process needs it.");
  let current: readonly SealingKey[] = first;
  const { keysFile, keysCommand } = source;
  const setting = keysFile === undefined ? "INTRAY_KEYS_COMMAND" : "INTRAY_KEYS_FILE";
  const text = async () => {
    if (keysFile !== undefined) return readFile(keysFile, "utf8");
    const { stdout } = await promisify(exec)(keysCommand as string, COMMAND);
    return stdout;
  };
  return {
    keys: () => current,
    async readAgain() {
      if (keysFile === undefined && keysCommand === undefined) return;
      const said = await text().catch((error) => {
        throw unreadable(setting, error);
      });
      const next = parseKeys(setting, said.trim()).map(
        (key) => current.find((known) => known.kid === key.kid && known.key.equals(key.key)) ?? key,
      );
      const isSame = next.length === current.length && next.every((key, at) => key === current[at]);
      if (isSame) return;
      current = next;
      log.info({ kids: next.map(({ kid }) => kid) }, "the sealing keys have changed");
    },
  };
}

/**
 * The ring of this process, by its settings; read again for as long as the process lives. Throws
 * ConfigurationError at the first call.
 */
export const keyRing: () => KeyRing = onePerProcess("key ring", () => {
  const source = env();
  const opened = openKeyRing(source);
  if (source.keys === undefined) {
    const again = () =>
      opened
        .readAgain()
        .catch((err) => log.error({ err }, "the sealing keys could not be read again; the last ones stay"))
        .then(() => void setTimeout(again, everyMs).unref());
    const everyMs = source.keysFile === undefined ? AGAIN_MS.command : AGAIN_MS.file;
    setTimeout(again, everyMs).unref();
  }
  return opened;
});
