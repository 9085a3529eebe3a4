import { startWeb, type TestWeb } from "../web.ts";
import { type Description, type Operation, operationsOf } from "./operations.ts";

/** Starts the web on a test database. Returns every call that its own description names. */
export async function startDescribedWeb(): Promise<{ web: TestWeb; operations: Operation[] }> {
  // The tests' server addresses must be allowed, so that calls to them can fail.
  const web = await startWeb({ INTRAY_ALLOW_HOSTS: "127.0.0.1" });
  const { body } = await web.call("GET", DESCRIPTION);
  return { web, operations: operationsOf(body as Description) };
}

const DESCRIPTION = "/api/v1/openapi.json";
