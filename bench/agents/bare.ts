/** A server of Node's alone that holds every call open, in its own process: what an open call takes where nothing is done with it. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

export interface Bare {
  url: string;
}

export interface Memory {
  rss: number;
  heapUsed: number;
}

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;
const open: ServerResponse[] = [];

const http = createServer((request, response) => {
  request.resume().once("end", () => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(": held\n\n");
    open.push(response);
    process.send?.({ open: open.length });
  });
});
process.on("message", () => {
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  process.send?.({ rss, heapUsed } satisfies Memory);
});
process.on("disconnect", () => process.exit());
await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
process.send?.({ url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` } satisfies Bare);
