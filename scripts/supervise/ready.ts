import { setTimeout as sleep } from "node:timers/promises";

/** Waits until web, database and an engine work together. The parts' own output says what keeps them from that. */
export async function untilReady(host: string, port: number, stopped: () => boolean): Promise<void> {
  const any = { "0.0.0.0": "127.0.0.1", "::": "[::1]" }[host];
  const name = any ?? (host.includes(":") ? `[${host}]` : host);
  while (!stopped()) {
    try {
      const response = await fetch(`http://${name}:${port}/readyz`, { signal: AbortSignal.timeout(5_000) });
      await response.body?.cancel();
      if (response.ok) return;
    } catch {
      // Not yet.
    }
    await sleep(100);
  }
}
