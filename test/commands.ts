/** Wires to commands, for tests of the wire over stdin and stdout. */
import { fileURLToPath } from "node:url";
import { createNetwork } from "../lib/base/network/network.ts";
import { createPeer, openWire } from "../lib/mcp/connect.ts";
import type {
  CallOptions,
  Peer,
  Question,
  RpcId,
  Session,
  StreamListener,
  TaskResult,
} from "../lib/mcp/peer.ts";
import type { Wire } from "../lib/mcp/wire/wire.ts";

/** The script of stdio-server.ts, which describes its modes. */
export const SCRIPT = fileURLToPath(new URL("./servers/stdio-server.ts", import.meta.url));
export const EVERYTHING = fileURLToPath(
  new URL("../node_modules/@modelcontextprotocol/server-everything/dist/index.js", import.meta.url),
);
export const options: CallOptions = { deadlineMs: 15_000 };

const network = createNetwork({ allowHosts: [], denyPorts: [] });
const wires: Wire[] = [];

/** Opens a wire to a command of `node`. Returns it with both peers, and the command's stderr. */
export function open(args: string[] = [], env: Record<string, string> = {}, command = process.execPath) {
  const log: string[] = [];
  const wire = openWire({ command, args, env }, network, { onLog: (line) => log.push(line) });
  wires.push(wire);
  return { wire, log, v1: createPeer("2025-11-25", wire), v2: createPeer("2026-07-28", wire) };
}

/** Ends all opened wires: for `afterEach`. */
export async function endAll(): Promise<void> {
  await Promise.all(wires.splice(0).map((wire) => wire.end()));
}

/** A listener that records everything that arrives. */
export function notes() {
  const questions: { question: Question; relatedTaskId: string | null }[] = [];
  const closed: string[] = [];
  const retracted: RpcId[] = [];
  const results: TaskResult[] = [];
  const listener: StreamListener & { onResult(result: TaskResult): void } = {
    onQuestion: (question, relatedTaskId) => questions.push({ question, relatedTaskId }),
    onRetracted: (id) => retracted.push(id),
    onStatus() {},
    onProgress() {},
    onEventId() {},
    onClosed: (reason) => closed.push(reason),
    onResult: (result) => results.push(result),
  };
  return { questions, closed, retracted, results, listener };
}

/** Calls a tool without a task and parses the text of its result as JSON. */
export async function call(
  peer: Peer,
  session: Session | null,
  tool: string,
  args = {},
  more: Partial<CallOptions> = {},
) {
  const outcome = await peer.start(
    session,
    { tool, arguments: args, taskSupport: "forbidden", ttlMs: null, idempotencyKey: "k" },
    notes().listener,
    { ...options, ...more },
  );
  if (outcome.kind !== "result") throw new Error(`no result but ${outcome.kind}`);
  return JSON.parse((outcome.result as { content: [{ text: string }] }).content[0].text) as unknown;
}
