/**
 * How programs are told of `/mcp`, to be copied. Secrets stand in the texts only while they are shown this once; else a
 * placeholder does.
 */

export interface SetUp {
  /** Of the program. */
  label: string;
  /** What is done with the text. */
  where: string;
  text: string;
  /** What to do besides. */
  note?: string;
}

export const PLACEHOLDER = "ita_…";
/** The environment variable that the texts read the secret from. */
const VARIABLE = "INTRAY_AGENT_SECRET";

/** `url`: that of `/mcp`. `secret`: the agent's, or null once it is not known any more. */
export function setUps(url: string, secret: string | null): SetUp[] {
  const bearer = `Bearer ${secret ?? PLACEHOLDER}`;
  const variable = `export ${VARIABLE}=${secret ?? PLACEHOLDER}\n`;
  return [
    {
      label: "Claude Code",
      where: "Run in a terminal",
      text: `claude mcp add --transport http intray ${url} \\\n  --header "Authorization: ${bearer}"`,
      note: "Then /mcp in Claude Code lists the tools. Without --header, /mcp has you sign in instead.",
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
      note: "VS Code asks for the secret when it starts the server, and keeps it. Without inputs and headers it has you sign in instead.",
    },
    {
      label: "Cursor",
      where: "Add to ~/.cursor/mcp.json",
      text: json({ mcpServers: { intray: { url, headers: { Authorization: bearer } } } }),
      note: "Without headers, Cursor has you sign in instead.",
    },
    {
      label: "Codex",
      where: "Add to ~/.codex/config.toml, and set the variable where Codex starts",
      text: `[mcp_servers.intray]\nurl = "${url}"\nbearer_token_env_var = "${VARIABLE}"\n\n# in the shell:\n# ${variable}`.trimEnd(),
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
      note: "Close the client once your program is done with the tools.",
    },
    {
      label: "MCP Inspector",
      where: "Run in a terminal: lists the tools, then asks people a question",
      text: `${variable}npx -y @modelcontextprotocol/inspector --cli ${url} --transport http \\
  --header "Authorization: Bearer $${VARIABLE}" --method tools/list
npx -y @modelcontextprotocol/inspector --cli ${url} --transport http \\
  --header "Authorization: Bearer $${VARIABLE}" --method tools/call \\
  --tool-name ask_person --tool-arg "message=Does this reach you?"`,
      note: "The question stands in the inbox. The second command ends with the answer, or with what it still waits for.",
    },
    {
      label: "curl",
      where: "Run in a terminal: lists the tools",
      text: `${variable}curl ${url} \\
  -H "Authorization: Bearer $${VARIABLE}" \\
  -H "Content-Type: application/json" \\
  -H "Accept: application/json, text/event-stream" \\
  -H "MCP-Protocol-Version: 2026-07-28" -H "Mcp-Method: tools/list" \\
  -d '${JSON.stringify(LIST_TOOLS)}'`,
    },
  ];
}

const LIST_TOOLS = {
  jsonrpc: "2.0",
  id: 1,
  method: "tools/list",
  params: {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientInfo": { name: "curl", version: "1" },
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  },
};

const json = (value: unknown) => JSON.stringify(value, null, 2);
const comment = (text: string, mark = "#") => `${mark} in the shell: ${text}`;
