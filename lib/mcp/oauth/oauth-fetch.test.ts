import { expect, test } from "vitest";
import { startFickleServer } from "../../../test/servers/fickle-server.ts";
import { createNetwork } from "../../base/network/network.ts";
import { oauthFetch } from "./oauth-fetch.ts";

test("a code or a refresh token never goes out on a kept connection, which may die under it", async () => {
  const server = await startFickleServer((request, response) => request.pipe(response));
  const network = createNetwork({ allowHosts: ["127.0.0.1"], denyPorts: [] });
  try {
    for (const body of ["code=1", "refresh_token=1", "refresh_token=2"]) {
      const reply = await oauthFetch(network)(`${server.url}/token`, { method: "POST", body });
      expect(await reply.text()).toBe(body);
    }
  } finally {
    await network.close();
    await server.close();
  }
});
