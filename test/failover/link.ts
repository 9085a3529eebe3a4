/** A TCP connection between two parts of a run, which can be slow in one direction, or cut. */
import { connect, createServer, type Socket } from "node:net";

export interface Link {
  port: number;
  /** Nothing passes any more and nothing ends, as when a network is parted. */
  cut(): void;
  /** What waited passes now. */
  mend(): void;
  close(): Promise<void>;
}

/** `lagMs`: how much later the target's bytes arrive. */
export async function startLink(port: number, target: number, lagMs = 0): Promise<Link> {
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
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1");
    keep(near, far);
    keep(far, near);
    near.on("data", (chunk) => far.write(chunk)).on("end", () => far.end());
    far
      .on("data", (chunk) => later(() => near.writable && near.write(chunk)))
      .on("end", () => later(() => near.end()));
  });
  await new Promise<void>((resolve, reject) => {
    server.on("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  return {
    port,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.pause();
    },
    mend() {
      isCut = false;
      for (const socket of sockets) socket.resume();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}
