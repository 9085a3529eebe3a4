/** compose.yaml itself, on the image `intray`, as a project of its own. Needs docker with its compose plugin. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "../../scripts/ports.ts";
import type { Arrangement } from "./arranged.ts";

const PROJECT = "intray-check";

export async function arrangeByCompose(serverPort: number): Promise<Arrangement> {
  const folder = mkdtempSync(join(tmpdir(), "intray-arrangement-"));
  const port = await freePort();
  const gateway = { address: "", relay: await relayTo(serverPort) };
  const run = (program: string, args: string[]) =>
    execFileSync(program, args, {
      env: {
        ...process.env,
        INTRAY_PORT: String(port),
        INTRAY_URL: `http://localhost:${port}`,
        INTRAY_SECRETS: join(folder, "secrets"),
        // Of the private networks that docker makes for containers.
        INTRAY_ALLOW_HOSTS: `172.16.0.0/12,192.168.0.0/16`,
      },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }).trim();
  const compose = (...args: string[]) => run("docker", ["compose", "-p", PROJECT, ...args]);

  run("sh", ["ops/container/make-secrets.sh", join(folder, "secrets")]);
  compose("up", "-d", "--no-build");
  const [network] = JSON.parse(run("docker", ["network", "inspect", `${PROJECT}_outside`]));
  gateway.address = network.IPAM.Config[0].Gateway;
  return {
    url: `http://127.0.0.1:${port}`,
    reach: async () => `http://${gateway.address}:${(gateway.relay.address() as AddressInfo).port}/mcp`,
    command: async (...args) => compose("run", "--rm", "-T", "migrate", ...args),
    async kill(part) {
      // The child of tini. What dies by itself is started again; what `docker kill` ends is not.
      compose("exec", "-T", part, "sh", "-c", "kill -9 $(cat /proc/1/task/1/children)");
    },
    async drain() {
      const began = performance.now();
      compose("stop", "web", "engine");
      const seconds = (performance.now() - began) / 1000;
      const ids = compose("ps", "-aq", "web", "engine").split("\n");
      return ids.map((id) => {
        const [container] = JSON.parse(run("docker", ["inspect", id]));
        return { part: container.Name.slice(1), code: container.State.ExitCode, seconds };
      });
    },
    async close() {
      compose("down", "-v");
      gateway.relay.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Lets containers in, who can't reach what listens on loopback. */
async function relayTo(port: number) {
  const relay = createServer((socket) => {
    const onward = connect(port, "127.0.0.1");
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on("error", () => [socket, onward].map((one) => one.destroy()));
  });
  await new Promise<void>((resolve) => relay.listen(0, "0.0.0.0", resolve));
  return relay;
}
