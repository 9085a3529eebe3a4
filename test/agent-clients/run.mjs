/**
 * `node run.mjs <client> <url> <token> list` or `… call <tool> <JSON arguments>`: does it by that client and prints the
 * outcome as one line of JSON. A process of its own, so that a test can kill it in the middle of a call.
 */
import { CLIENTS } from "./clients.mjs";

const [name, url, token, action, tool, args] = process.argv.slice(2);
const client = await CLIENTS[name](url, token);
const outcome = action === "list" ? await client.list() : await client.call(tool, JSON.parse(args));
process.stdout.write(`${JSON.stringify(outcome)}\n`);
await client.close();
process.exit(0);
