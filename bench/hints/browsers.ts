/**
 * Many browsers in one process, as far as the web can tell: each one holds a stream of hints and reads it.
 */
import { Agent, request } from "node:http";
import { clock } from "../child.ts";

interface Order {
  url: string;
  cookies: string[];
  /** Streams per cookie. */
  each: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
/** When each stream read a hint, by the hint's id. */
const seen = new Map<string, number[]>();
let open = 0;

process.on("message", async (message: Order | { report: string }) => {
  if ("report" in message) {
    process.send?.({ id: message.report, times: seen.get(message.report) ?? [] });
    return;
  }
  for (const cookie of message.cookies)
    await Promise.all(Array.from({ length: message.each }, () => listen(message.url, cookie)));
  process.send?.({ open });
});
process.on("disconnect", () => process.exit());

function listen(url: string, cookie: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const call = request(`${url}/api/v1/stream`, { agent, headers: { cookie } }, (response) => {
      if (response.statusCode !== 200)
        return reject(new Error(`a stream was refused: ${response.statusCode}`));
      open++;
      resolve();
      response.setEncoding("utf8");
      response.on("data", (text: string) => {
        const at = clock();
        for (const [, id] of text.matchAll(/"id":"([^"]+)"/g)) {
          const times = seen.get(id!);
          if (times) times.push(at);
          else seen.set(id!, [at]);
        }
      });
    });
    call.on("error", reject);
    call.end();
  });
}
