/**
 * What the operator asked for by a press: a sandbox organization with the sample servers. The web app writes the file of
 * the data folder, `npm start` makes the organization and runs the servers.
 */
import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { z } from "zod";
import { env } from "../../base/env.ts";
import { staysOnThisMachine } from "../../base/network/address.ts";

const sandboxSchema = z.strictObject({
  organizationId: z.uuid(),
  /** Its owner. */
  userId: z.uuid(),
  isMade: z.boolean(),
});
export type Sandbox = z.infer<typeof sandboxSchema>;

/** Returns the file's path, or null unless `npm start` runs this process for this machine alone. */
export function sandboxFile(): string | null {
  const { sandboxFile: file } = env();
  return file !== undefined && staysOnThisMachine(env()) ? file : null;
}

/** Returns null if nobody asked for one. */
export function readSandbox(file: string): Sandbox | null {
  try {
    return sandboxSchema.parse(JSON.parse(readFileSync(file, "utf8")));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
}

/** Null: there is none any more. */
export function writeSandbox(file: string, sandbox: Sandbox | null): void {
  if (sandbox === null) {
    rmSync(file, { force: true });
    return;
  }
  writeFileSync(`${file}.new`, JSON.stringify(sandbox), { mode: 0o600 });
  renameSync(`${file}.new`, file);
}
