import { expect, test } from "vitest";
import { nextFreePort } from "./ports.ts";

test("no port is given that browsers and fetch refuse to call", async () => {
  for (const port of [6_000, 6_665, 10_080]) {
    await expect(fetch(`http://127.0.0.1:${port}`)).rejects.toMatchObject({ cause: { message: "bad port" } });
    const given = await nextFreePort(port);
    expect(given).toBeGreaterThan(port);
    await expect(fetch(`http://127.0.0.1:${given}`)).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
  }
});
