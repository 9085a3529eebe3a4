/** `/mcp` and the hooks alone, as scripts/web.ts serves it in front of Next: a process to be killed. */
import { createServer } from "node:http";
import { env } from "../../../lib/base/env.ts";
import { onDrain } from "../../../lib/base/process/lifecycle.ts";
import { markDirect } from "../../../lib/web/auth/direct.ts";
import { serveHook } from "../../../lib/web/hooks/endpoint.ts";
import { markCaller } from "../../../lib/web/http/client-address.ts";
import { receive } from "../../../lib/web/http/front-limits.ts";
import { serveAgent } from "../../../lib/web/mcp/endpoint.ts";

const { port, trustedProxies } = env();
const server = createServer((request, response) => {
  markDirect(request);
  if (!receive(request, response)) return;
  markCaller(request, trustedProxies);
  if (!serveAgent(request, response) && !serveHook(request, response)) response.writeHead(404).end();
});
onDrain(async () => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeIdleConnections();
  await closed;
});
server.listen(port, "127.0.0.1", () => {
  process.stdout.write("Listening\n");
});
