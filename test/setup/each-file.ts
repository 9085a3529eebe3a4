/**
 * Runs before each test file of a worker that runs many: gives the file the environment that the worker began with,
 * and lets everything that a process has one of be made anew, by the file's own settings.
 */
import { afterAll } from "vitest";
import { forgetAll } from "../../lib/base/process/process-wide.ts";

const key = Symbol.for("intray.tests.environment");
const worker = globalThis as { [key]?: NodeJS.ProcessEnv };
worker[key] ??= { ...process.env };
const begun = worker[key];

function begin(): void {
  for (const name of Object.keys(process.env)) if (!(name in begun)) delete process.env[name];
  Object.assign(process.env, begun);
  forgetAll();
}

begin();
afterAll(begin);
