/**
 * TCP connections between parts of a run, which can be slow in one direction, or cut. They run in a process of their own: this
 * one stands still for seconds at times, and Patroni would take that for an outage of etcd.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";
import { fileURLToPath } from "node:url";

export interface Link {
  port: number;
  /** Nothing passes any more and nothing ends, as when a network is parted. */
  cut(): void;
  /** What waited passes now. */
  mend(): void;
}

export interface Links {
  /** `lagMs`: how much later the target's bytes arrive. */
  open(port: number, target: number, lagMs: number): Promise<Link>;
  close(): Promise<void>;
}

interface Order {
  what: "open" | "cut" | "mend";
  port: number;
  target?: number;
  lagMs?: number;
}

export function startLinks(): Links {
  // In a process group of its own, out of reach of the terminal's Ctrl-C. It ends when its channel closes.
  const child: ChildProcess = fork(fileURLToPath(import.meta.url), { detached: true });
  const order = (one: Order) => child.connected && child.send(one);
  return {
    async open(port, target, lagMs) {
      order({ what: "open", port, target, lagMs });
      await once(child, "message");
      return {
        port,
        cut: () => void order({ what: "cut", port }),
        mend: () => void order({ what: "mend", port }),
      };
    },
    async close() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, "exit");
      child.kill("SIGKILL");
      await gone;
    },
  };
}

if (import.meta.main) {
  const links = new Map<number, ReturnType<typeof listen>>();
  process.on("disconnect", () => process.exit(0));
  process.on("message", ({ what, port, target = 0, lagMs = 0 }: Order) => {
    if (what === "open") links.set(port, listen(port, target, lagMs));
    else links.get(port)?.[what]();
  });
}

function listen(port: number, target: number, lagMs: number) {
  const sockets = new Set<Socket>();
  let isCut = false;
  const keep = (socket: Socket, other: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    if (isCut) socket.pause();
    // Either end may break; its other end then ends.
    socket.on("error", () => other.destroy());
    socket.on("close", () => {
      sockets.delete(socket);
      other.destroy();
    });
  };
  const later = (work: () => void) => void (lagMs > 0 ? setTimeout(work, lagMs) : work());
  createServer((near) => {
    const far = connect(target, "127.0.0.1");
    keep(near, far);
    keep(far, near);
    near.on("data", (chunk) => far.write(chunk)).on("end", () => far.end());
    far
      .on("data", (chunk) => later(() => near.writable && near.write(chunk)))
      .on("end", () => later(() => near.end()));
  }).listen(port, "127.0.0.1", () => process.send?.("open"));
  return {
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
  };
}
