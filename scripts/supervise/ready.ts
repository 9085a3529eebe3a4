import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until web, database and an engine work together. The parts' own output tells what prevents that. */
export async function untilReady(host: string, port: number, stopped: () => boolean): Promise<void> {
  const any = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host];
  const name = any ?? (host.includes(":") ? `[${host}]` : host);
  while (!stopped()) {
    if (await isReady(`http://${name}:${port}/readyz`)) return;
    await sleep(100);
  }
}

/** Avoids `fetch`, which NODE_USE_ENV_PROXY may redirect to a proxy. */
function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(url, { agent: new Agent({}), timeout: 5_000 }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false)); // it does not listen yet
  });
}
