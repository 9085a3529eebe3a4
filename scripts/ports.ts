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

/** Returns the first free port of loopback from `port` up. */
export async function nextFreePort(port: number): Promise<number> {
  let candidate = port;
  while (!(await portIsFree(candidate, "127.0.0.1"))) candidate += 1;
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
