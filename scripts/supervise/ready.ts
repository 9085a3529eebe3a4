import { Agent, get } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until web, database and an engine work together. The parts' own output tells what prevents that. */
export async function untilReady(host: string, port: number, stopped: () => boolean): Promise<void> {
  while (!stopped()) {
    if (await isAnswered(host, port, "/readyz", 5_000)) return;
    await sleep(100);
  }
}

/**
 * Whether the web on this machine answers with 200, and soon. Avoids `fetch`, which NODE_USE_ENV_PROXY may redirect to a
 * proxy.
 */
export function isAnswered(host: string, port: number, path: string, timeout = 1_000): Promise<boolean> {
  const any = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host];
  const name = any ?? (host.includes(":") ? `[${host}]` : host);
  return new Promise((resolve) => {
    const request = get(`http://${name}:${port}${path}`, { agent: new Agent({}), timeout }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false)); // it does not listen yet
  });
}
