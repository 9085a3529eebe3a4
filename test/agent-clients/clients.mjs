/**
 * Agents' MCP clients behind one small face, each used as its own documentation says. `open(url, token)` gives
 * `{ list(): Promise<string[]>, call(name, args): Promise<{ text, structured, isError }>, close() }`. A client that
 * hides what a tool returned beside its text gives `structured: null`.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const bearer = (token) => ({ authorization: `Bearer ${token}` });

/** The shape of a CallToolResult, as a face gives it. */
function toResult(result) {
  const text = (result.content ?? [])
    .flatMap((block) => (block.type === "text" ? [block.text] : []))
    .join("\n");
  return { text, structured: result.structuredContent ?? null, isError: result.isError === true };
}

const official = (client) => ({
  list: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => toResult(await client.callTool({ name, arguments: args })),
  close: () => client.close(),
});

export const CLIENTS = {
  "@modelcontextprotocol/client": async (url, token) => {
    const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
    const client = new Client({ name: "plain", version: "2" }, { versionNegotiation: { mode: "auto" } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(token) } }),
    );
    return official(client);
  },

  "@modelcontextprotocol/sdk": async (url, token) => {
    const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
    const { StreamableHTTPClientTransport } = await import(
      "@modelcontextprotocol/sdk/client/streamableHttp.js"
    );
    const client = new Client({ name: "plain", version: "1" });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: bearer(token) } }),
    );
    return official(client);
  },

  "@ai-sdk/mcp": async (url, token) => {
    const { createMCPClient } = await import("@ai-sdk/mcp");
    const client = await createMCPClient({ transport: { type: "http", url, headers: bearer(token) } });
    return {
      list: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, args) => {
        const tools = await client.tools();
        return toResult(await tools[name].execute(args, { toolCallId: "1", messages: [] }));
      },
      close: () => client.close(),
    };
  },

  "@langchain/mcp-adapters": async (url, token) => {
    const { MultiServerMCPClient } = await import("@langchain/mcp-adapters");
    const client = new MultiServerMCPClient({
      prefixToolNameWithServerName: false,
      mcpServers: { intray: { transport: "http", url, headers: bearer(token) } },
    });
    return {
      list: async () => (await client.getTools()).map(({ name }) => name),
      call: async (name, args) => {
        const tool = (await client.getTools()).find((one) => one.name === name);
        const message = await tool.invoke({ type: "tool_call", id: "1", name, args });
        const { content } = message;
        const text =
          typeof content === "string" ? content : content.map((block) => block.text ?? "").join("\n");
        return {
          text,
          structured: message.artifact?.structuredContent ?? null,
          isError: message.status === "error",
        };
      },
      close: () => client.close(),
    };
  },

  "@openai/agents": async (url, token) => {
    const { MCPServerStreamableHttp } = await import("@openai/agents");
    const server = new MCPServerStreamableHttp({
      url,
      name: "intray",
      requestInit: { headers: bearer(token) },
      clientSessionTimeoutSeconds: 300,
    });
    await server.connect();
    return {
      list: async () => (await server.listTools()).map(({ name }) => name),
      call: async (name, args) => toResult(await server.callToolResult(name, args)),
      close: () => server.close(),
    };
  },

  "@mastra/mcp": async (url, token) => {
    const { MCPClient } = await import("@mastra/mcp");
    const client = new MCPClient({
      servers: { intray: { url: new URL(url), requestInit: { headers: bearer(token) } } },
      timeout: 300_000,
    });
    // Mastra names tools `<server>_<tool>`.
    const plain = (name) => name.replace(/^intray_/, "");
    return {
      list: async () => Object.keys(await client.listTools()).map(plain),
      call: async (name, args) => {
        const result = await (await client.listTools())[`intray_${name}`].execute(args, {});
        return "content" in result
          ? toResult(result)
          : { text: JSON.stringify(result), structured: result, isError: false };
      },
      close: () => client.disconnect(),
    };
  },

  "@modelcontextprotocol/inspector --cli": async (url, token) => {
    const bin = new URL(
      "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
      import.meta.url,
    );
    const run = async (...args) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [
          bin.pathname,
          "--cli",
          url,
          "--transport",
          "http",
          "--header",
          `Authorization: Bearer ${token}`,
          ...args,
        ],
        { maxBuffer: 16 << 20 },
      );
      return JSON.parse(stdout);
    };
    return {
      list: async () => (await run("--method", "tools/list")).tools.map(({ name }) => name),
      call: async (name, args) => {
        const given = Object.entries(args).flatMap(([key, value]) => [
          "--tool-arg",
          `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`,
        ]);
        return toResult(await run("--method", "tools/call", "--tool-name", name, ...given));
      },
      close: async () => {},
    };
  },
};
