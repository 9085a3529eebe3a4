/**
 * `node frameworks.mjs <framework>`: runs an agent by a recipe of docs/frameworks.md, which stands beside this file. Its
 * model makes one call. Prints the calls that ran, and what the model then read.
 */
const CALL = { payment_id: "payment_123", amount: 4900 };
const ran = [];
let read = [];

function refund(args) {
  ran.push(args);
  return "refunded";
}

const FRAMEWORKS = {
  async "openai-agents"() {
    const { Agent, setTracingDisabled, tool, Usage } = await import("@openai/agents");
    const { z } = await import("zod");
    const { runWithPeople } = await import("./openai-agents.ts");
    setTracingDisabled(true);
    const model = {
      async getResponse({ input }) {
        read = input.filter(({ type }) => type === "function_call_result").map(textOf);
        const call = {
          type: "function_call",
          callId: "call_1",
          name: "refund",
          arguments: JSON.stringify(CALL),
        };
        const done = {
          type: "message",
          role: "assistant",
          content: [{ type: "output_text", text: "Done." }],
        };
        return {
          usage: new Usage(),
          output: [{ status: "completed", ...(read.length === 0 ? call : done) }],
        };
      },
    };
    const parameters = z.object({ payment_id: z.string(), amount: z.number() });
    const tools = [
      tool({
        name: "refund",
        description: "Refunds a payment",
        parameters,
        needsApproval: true,
        execute: refund,
      }),
    ];
    await runWithPeople(new Agent({ name: "Support", model, tools }), "Refund it", "run-1");
  },

  async "ai-sdk"() {
    const { stepCountIs, tool } = await import("ai");
    const { MockLanguageModelV4 } = await import("ai/test");
    const { z } = await import("zod");
    const { generateWithPeople } = await import("./ai-sdk.ts");
    const model = new MockLanguageModelV4({
      async doGenerate({ prompt }) {
        read = prompt.filter(({ role }) => role === "tool").flatMap(({ content }) => content.map(textOf));
        const call = {
          type: "tool-call",
          toolCallId: "call_1",
          toolName: "refund",
          input: JSON.stringify(CALL),
        };
        const first = read.length === 0;
        return {
          content: [first ? call : { type: "text", text: "Done." }],
          finishReason: { unified: first ? "tool-calls" : "stop", raw: undefined },
          usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
          warnings: [],
        };
      },
    });
    const inputSchema = z.object({ payment_id: z.string(), amount: z.number() });
    const tools = { refund: tool({ inputSchema, execute: refund }) };
    const toolApproval = { refund: "user-approval" };
    await generateWithPeople({ model, tools, toolApproval, stopWhen: stepCountIs(5) }, "Refund it", "run-1");
  },

  async langchain() {
    const { BaseChatModel } = await import("@langchain/core/language_models/chat_models");
    const { AIMessage } = await import("@langchain/core/messages");
    const { tool } = await import("@langchain/core/tools");
    const { MemorySaver } = await import("@langchain/langgraph");
    const { createAgent, humanInTheLoopMiddleware } = await import("langchain");
    const { z } = await import("zod");
    const { invokeWithPeople } = await import("./langchain.ts");
    class Scripted extends BaseChatModel {
      _llmType() {
        return "scripted";
      }
      bindTools() {
        return this;
      }
      async _generate(messages) {
        read = messages.filter((message) => message.getType() === "tool").map(({ text }) => text);
        const tool_calls = [{ name: "refund", args: CALL, id: "call_1" }];
        const message = new AIMessage(read.length === 0 ? { content: "", tool_calls } : "Done.");
        return { generations: [{ text: "", message }] };
      }
    }
    const schema = z.object({ payment_id: z.string(), amount: z.number() });
    const interruptOn = { refund: { allowedDecisions: ["approve", "reject"] } };
    const agent = createAgent({
      model: new Scripted({}),
      tools: [tool(refund, { name: "refund", description: "Refunds a payment", schema })],
      checkpointer: new MemorySaver(),
      middleware: [humanInTheLoopMiddleware({ interruptOn })],
    });
    await invokeWithPeople(agent, "Refund it", "thread-1");
  },
};

const textOf = (item) => JSON.stringify(item);

await FRAMEWORKS[process.argv[2]]();
process.stdout.write(JSON.stringify({ ran, read }));
process.exit(0);
