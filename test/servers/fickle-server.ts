/** A server that closes a kept connection just as it is used again, as any may after a while of silence. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo, Socket } from "node:net";

/** Answers the first request of each connection by `answer`. The caller closes it. */
export async function startFickleServer(answer: RequestListener) {
  const used = new Set<Socket>();
  const http = createServer((request, response) => {
    if (used.has(request.socket)) return void request.socket.destroy();
    used.add(request.socket);
    answer(request, response);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async close() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
}
