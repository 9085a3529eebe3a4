import { vi } from "vitest";
import { startWeb, type TestWeb } from "../web.ts";
import { type Description, type Operation, operationsOf } from "./operations.ts";

/** Of a test that makes hundreds of calls, on a machine that is busy with others. */
const WALK_MS = 900_000;

/**
 * Starts the web on a test database. Returns every call that its own description names. The file's tests get the
 * time to make all of them.
 */
export async function startDescribedWeb(
  settings: Record<string, string> = {},
): Promise<{ web: TestWeb; operations: Operation[] }> {
  vi.setConfig({ testTimeout: WALK_MS, hookTimeout: WALK_MS });
  // The tests' server addresses must be allowed, so that calls to them can fail.
  const web = await startWeb({ INTRAY_ALLOW_HOSTS: "127.0.0.1", ...settings });
  const { body } = await web.call("GET", DESCRIPTION);
  return { web, operations: operationsOf(body as Description) };
}

const DESCRIPTION = "/api/v1/openapi.json";
