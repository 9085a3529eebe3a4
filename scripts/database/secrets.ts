import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { ConfigurationError } from "../../lib/base/env.ts";

/**
 * The secrets that an installation makes for itself, once. Losing the file loses the embedded database and
 * all sealed values.
 */
export type Secrets = {
  superuserPassword: string;
  ownerPassword: string;
  appPassword: string;
  enginePassword: string;
  invoicePassword: string;
  intrayKeys: string;
  authSecret: string;
  /** The token of /setup; missing in folders made before setup required one. */
  setupToken?: string;
};

/** Makes the data folder. 0711: Postgres may pass through as another user; secret files in it are 0600. */
export function prepareDataFolder(folder: string): void {
  try {
    if (!existsSync(folder)) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o711);
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw new ConfigurationError(
      `The data folder ${folder} cannot be written (${code}): change its owner, or set INTRAY_DATA_DIR to another folder.`,
    );
  }
}

export function readSecrets(folder: string): Secrets | undefined {
  const path = join(folder, "secrets.json");
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch (error) {
    throw new ConfigurationError(`${path} cannot be read: ${(error as Error).message}.`);
  }
}

export function readOrCreateSecrets(folder: string): Secrets {
  const existing = readSecrets(folder);
  if (existing) return existing;
  const secrets: Secrets = {
    superuserPassword: password(),
    ownerPassword: password(),
    appPassword: password(),
    enginePassword: password(),
    invoicePassword: password(),
    intrayKeys: `k1:${randomBytes(32).toString("base64")}`,
    authSecret: randomBytes(32).toString("base64url"),
    setupToken: newSetupToken(),
  };
  const path = join(folder, "secrets.json");
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 });
  try {
    // A link never replaces a file: of two simultaneous processes, both go on with the same secrets.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    rmSync(draft);
  }
  return readSecrets(folder) as Secrets;
}

/**
 * Returns the folder's setup token, made at the first call. Only for the holder of the folder's lock, since
 * the file is rewritten.
 */
export function readOrCreateSetupToken(folder: string): string {
  const secrets = readOrCreateSecrets(folder);
  if (secrets.setupToken) return secrets.setupToken;
  const setupToken = newSetupToken();
  writePrivately(join(folder, "secrets.json"), JSON.stringify({ ...secrets, setupToken }, null, 2));
  return setupToken;
}

/** Writes the file whole or not at all, and never readable by others. */
export function writePrivately(path: string, text: string): void {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${text}\n`, { mode: 0o600 });
  renameSync(draft, path);
}

/** 120 bits that a person can type: no letter that looks like a digit, in groups of four. */
function newSetupToken(): string {
  const letters = "abcdefghjkmnpqrstuvwxyz023456789";
  const token = [...randomBytes(24)].map((byte) => letters[byte % letters.length]).join("");
  return token.replace(/.{4}(?=.)/g, "$&-");
}

function password(): string {
  return randomBytes(24).toString("base64url");
}
