import { createServer } from "node:net";

/**
 * Below the ports that systems give to outgoing connections (Linux from 32768), which could take one while
 * nobody listens.
 */
const LOWEST = 15_000;
const HIGHEST = 32_000;

/** Returns a port of loopback that is free now. */
export async function freePort(): Promise<number> {
  return nextFreePort(LOWEST + Math.floor(Math.random() * (HIGHEST - LOWEST)));
}

/** Whether we could listen there. Other failures (a host that is not ours, a port below 1024) are thrown. */
export async function portIsFree(port: number, host: string): Promise<boolean> {
  try {
    await listenOnce(port, host);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EADDRINUSE") return false;
    throw error;
  }
}

/** Above 1024, the ports that browsers and fetch refuse to call (Fetch standard, 2.9 "bad port"). */
const REFUSED = new Set([
  ...[1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566],
  ...[6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080],
]);

/** Returns the first port of loopback from `port` up that is free and that browsers call. */
export async function nextFreePort(port: number): Promise<number> {
  let candidate = port;
  while (REFUSED.has(candidate) || !(await portIsFree(candidate, "127.0.0.1"))) candidate += 1;
  return candidate;
}

function listenOnce(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}
