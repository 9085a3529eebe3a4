/**
 * How programs are told of `/mcp`, to be copied. Secrets stand in the texts only while they are shown only once; else a
 * placeholder does.
 */

import type { HookProgram } from "./hook-programs.ts";

export interface SetUp {
  /** Of the program. */
  label: string;
  /** What is done with the text. */
  where: string;
  text: string;
  /** How a call is made, and what becomes of one that waits. */
  next: string;
  /** What else the program needs. */
  note?: string;
  /** The set-up is of this program's hook. */
  hook?: HookProgram;
}

export const PLACEHOLDER = "ita_…";
/** The environment variable that the texts read the secret from. */
const VARIABLE = "INTRAY_AGENT_SECRET";
/**
 * The version that the tests run (test/agent-clients). Without one, npm on a Node that is too old for the newest takes one of
 * before its options.
 */
const INSPECTOR = "@modelcontextprotocol/inspector@2.12.0";

/** What becomes of a call that an agent makes once more. Said the same to people, to programs and to their models. */
export const REPEATED =
  "Repeating the call before its result was read makes no second task; afterwards it asks again.";
const WAITS = `If nobody decides within “Wait up to”, the call returns a task id. Your agent then calls wait_for_task with this id to get the result. ${REPEATED}`;
const ASK_IT = "Ask your agent to use a tool, or to ask a person.";
const BY_ITSELF = `${ASK_IT} ${WAITS}`;

const again = (what: string) =>
  `The question appears in the inbox. If nobody answers within “Wait up to”, the call returns a task id. Call wait_for_task with this id to get the answer, or run ${what} again. ${REPEATED}`;

/** The command that connects Claude Code. `url`: that of `/mcp`. */
export function claudeCodeCommand(url: string, secret: string | null): string {
  return `claude mcp add --transport http intray ${url} \\\n  --header "Authorization: Bearer ${secret ?? PLACEHOLDER}"`;
}

/** `url`: that of `/mcp`. `secret`: the agent's, or null once it is not known any more. */
export function setUps(url: string, secret: string | null): SetUp[] {
  const bearer = `Bearer ${secret ?? PLACEHOLDER}`;
  const variable = `export ${VARIABLE}=${secret ?? PLACEHOLDER}\n`;
  return [
    {
      label: "Claude Code",
      where: "Run in a terminal",
      text: claudeCodeCommand(url, secret),
      next: `${ASK_IT} In a terminal, a call that waits for a person goes to the background, and Claude Code gets the result by itself. With claude -p: ${WAITS}`,
      note: "/mcp in Claude Code lists the tools. Without --header, /mcp has you sign in instead.",
    },
    {
      label: "VS Code",
      where: "Save as .vscode/mcp.json",
      text: json({
        inputs: [
          { id: "intray", type: "promptString", description: "Secret of the Intray agent", password: true },
        ],
        servers: {
          // biome-ignore lint/suspicious/noTemplateCurlyInString: VS Code asks for it
          intray: { type: "http", url, headers: { Authorization: "Bearer ${input:intray}" } },
        },
      }),
      next: BY_ITSELF,
      note: "VS Code asks for the secret when it starts the server, and keeps it. Without inputs and headers it has you sign in instead.",
    },
    {
      label: "Cursor",
      where: "Add to ~/.cursor/mcp.json",
      text: json({ mcpServers: { intray: { url, headers: { Authorization: bearer } } } }),
      next: BY_ITSELF,
      note: "Without headers, Cursor has you sign in instead.",
    },
    {
      label: "Codex",
      where: "Add to ~/.codex/config.toml, and set the variable where Codex starts",
      text: `[mcp_servers.intray]\nurl = "${url}"\nbearer_token_env_var = "${VARIABLE}"\n\n# in the shell:\n# ${variable}`.trimEnd(),
      next: BY_ITSELF,
      note: "Codex gives a call up after 60 seconds, unless tool_timeout_sec says another number.",
    },
    {
      label: "LangChain",
      where: "Python, after pip install langchain-mcp-adapters",
      text: `${comment(variable)}import asyncio
import os

from langchain_mcp_adapters.client import MultiServerMCPClient


async def main():
    client = MultiServerMCPClient({
        "intray": {
            "transport": "streamable_http",
            "url": "${url}",
            "headers": {"Authorization": f"Bearer {os.environ['${VARIABLE}']}"},
        }
    })
    tools = await client.get_tools()
    print([tool.name for tool in tools])


asyncio.run(main())`,
      next: `Give the tools to your agent, or call one: await tools[0].ainvoke({…}). ${WAITS}`,
      note: "LangChain gives a call up after five minutes without a word (sse_read_timeout): more than Intray ever waits.",
    },
    {
      label: "OpenAI Agents",
      where: "Python, after pip install openai-agents",
      text: `${comment(variable)}import asyncio
import os

from agents import Agent
from agents.mcp import MCPServerStreamableHttp


async def main():
    async with MCPServerStreamableHttp(
        name="intray",
        params={
            "url": "${url}",
            "headers": {"Authorization": f"Bearer {os.environ['${VARIABLE}']}"},
        },
        client_session_timeout_seconds=240,
    ) as intray:
        agent = Agent(name="Assistant", mcp_servers=[intray])
        print([tool.name for tool in await intray.list_tools()])


asyncio.run(main())`,
      next: `await Runner.run(agent, "…") calls the tools by itself, and await intray.call_tool("…", {…}) calls one. ${WAITS}`,
      note: "client_session_timeout_seconds has to be longer than the agent waits: unless set, each call is given up after 5 seconds.",
    },
    {
      label: "Vercel AI SDK",
      where: "TypeScript, after npm install @ai-sdk/mcp. Save as a module (.mts)",
      text: `${comment(variable, "//")}import { env } from "node:process";
import { createMCPClient } from "@ai-sdk/mcp";

const intray = await createMCPClient({
  transport: {
    type: "http",
    url: "${url}",
    headers: { Authorization: \`Bearer \${env.${VARIABLE}}\` },
  },
});
const tools = await intray.tools();
console.log(Object.keys(tools));
await intray.close();`,
      next: `Give the tools to generateText or to an agent, which call them by themselves. ${WAITS}`,
      note: "Close the client once your program is done with the tools.",
    },
    {
      label: "TypeScript SDK",
      where:
        "Node 20 or newer, after npm install @modelcontextprotocol/client. Save as agent.mjs, and run node agent.mjs",
      text: `${comment(variable, "//")}import { env } from "node:process";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const client = new Client({ name: "my-agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
await client.connect(
  new StreamableHTTPClientTransport(new URL("${url}"), {
    requestInit: { headers: { Authorization: \`Bearer \${env.${VARIABLE}}\` } },
  }),
);
const { tools } = await client.listTools();
console.log(tools.map((tool) => tool.name));

const result = await client.callTool(
  { name: "${CALL.name}", arguments: ${inJavaScript(CALL.arguments)} },
  { timeout: 240_000 },
);
console.log(result.content);
await client.close();`,
      next: again("the program"),
      note: "timeout has to be longer than the agent waits: unless set, each call is given up after a minute.",
    },
    {
      label: "MCP Inspector",
      where: "Run in a terminal: lists the tools, then asks people a question",
      text: `${variable}npx -y ${INSPECTOR} --cli ${url} --transport http \\
  --header "Authorization: Bearer $${VARIABLE}" --method tools/list
npx -y ${INSPECTOR} --cli ${url} --transport http \\
  --header "Authorization: Bearer $${VARIABLE}" --method tools/call \\
  --tool-name ${CALL.name} --tool-arg "message=${CALL.arguments.message}"`,
      next: again("the second command"),
      note: "The Inspector gives a call up after a minute, however long the agent waits. It is made for Node 22.19 or newer (node --version); with Node 20 npm warns of that (EBADENGINE), and these commands work all the same.",
    },
    {
      label: "curl",
      where: "Run in a terminal: lists the tools, then asks people a question",
      text: `${variable}${curl(url, "tools/list", {})}

${curl(url, "tools/call", CALL)}`,
      next: again("the second command"),
      note: "To call another tool, name it in Mcp-Name and in the body alike.",
    },
  ];
}

/** A call that every agent may make. */
const CALL = { name: "ask_person", arguments: { message: "Does this reach you?" } };

/** One message of 2026-07-28, which needs no session. */
function curl(url: string, method: string, params: { name?: string }): string {
  const version = "2026-07-28";
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } });
  const named = params.name === undefined ? "" : ` -H "Mcp-Name: ${params.name}"`;
  return `curl ${url} \\
  -H "Authorization: Bearer $${VARIABLE}" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -H "MCP-Protocol-Version: ${version}" -H "Mcp-Method: ${method}"${named} \\
  -d '${body}'`;
}

const inJavaScript = ({ message }: { message: string }) => `{ message: ${JSON.stringify(message)} }`;
const json = (value: unknown) => JSON.stringify(value, null, 2);
const comment = (text: string, mark = "#") => `${mark} in the shell: ${text}`;
