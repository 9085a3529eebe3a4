import { startWeb, type TestWeb } from "../web.ts";
import { type Description, type Operation, operationsOf } from "./operations.ts";

/** Starts the web on a test database. Returns every call that its own description names. */
export async function startDescribedWeb(): Promise<{ web: TestWeb; operations: Operation[] }> {
  const web = await startWeb(
    async () => {
      const { paths } = await import("@/app/api/v1/openapi.json/paths.ts");
      return { paths: { ...paths, [DESCRIPTION]: await import("@/app/api/v1/openapi.json/route.ts") } };
    },
    // The tests' server addresses must be allowed, so that calls to them can fail.
    { INTRAY_ALLOW_HOSTS: "127.0.0.1" },
  );
  const { body } = await web.call("GET", DESCRIPTION);
  return { web, operations: operationsOf(body as Description) };
}

const DESCRIPTION = "/api/v1/openapi.json";
