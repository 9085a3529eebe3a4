import { expect, test } from "vitest";
import { startFickleServer } from "./fickle-server.ts";
import { startGuardedServer } from "./guarded-server.ts";

test("what the guard lets through arrives, also where the server closes the connections that it keeps", async () => {
  const inner = await startFickleServer((request, response) => request.pipe(response));
  const everybody = { issuer: "http://127.0.0.1", check: async () => ({ scope: "", audience: guard.url }) };
  const guard = await startGuardedServer(inner.url, everybody);
  try {
    for (const id of [1, 2, 3]) {
      const body = JSON.stringify({ id, method: "tools/call" });
      const headers = { authorization: "Bearer x" };
      const reply = await fetch(guard.url, { method: "POST", headers, body });
      expect(await reply.text()).toBe(body);
    }
  } finally {
    await guard.close();
    await inner.close();
  }
});
