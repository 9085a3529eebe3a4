"""Agents that ask Intray before each call, by the published shims. Their models say what is written down here.

`scripted_agents.py KIND BASE_URL TOKEN [MORE]`. Prints lines of JSON: which calls ran, and what the model was told of each.
"""

import asyncio
import json
import sys

KIND, BASE_URL, TOKEN, *MORE = sys.argv[1:]
CALL = {"payment_id": "payment_123", "amount": 4900}
REASONING = "The customer was charged twice."
ran = []


def refund(payment_id: str, amount: int) -> str:
    """Refunds a payment."""
    ran.append({"payment_id": payment_id, "amount": amount})
    return "refunded"


# What frameworks print is no line of ours.
lines, sys.stdout = sys.stdout, sys.stderr


def tell(**said):
    print(json.dumps(said), file=lines, flush=True)


def gate():
    """The package's own client and gate. MORE: how long people have, and JSON of other arguments."""
    from agentapprovalprotocol import Call, Client, Gate

    arguments = json.loads(MORE[1]) if len(MORE) > 1 else CALL
    call = Call(key="run:1", tool="refund", arguments=arguments, server="payments", reasoning=REASONING)
    with Gate(Client(BASE_URL, TOKEN), timeout=MORE[0]).guard(call) as verdict:
        if verdict:
            ran.append(arguments)
    tell(ran=ran, verdict=type(verdict).__name__, status=getattr(verdict, "status", None), told=[getattr(verdict, "reason", None)])


def graph(middleware, checkpointer=None):
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
    from langchain_core.messages import AIMessage
    from langchain_core.tools import tool

    class Scripted(GenericFakeChatModel):
        def bind_tools(self, tools, **options):
            return self

    call = {"name": "refund", "args": CALL, "id": "call_1"}
    said = [AIMessage(content=REASONING, tool_calls=[call]), AIMessage(content="Done.")]
    return create_agent(Scripted(messages=iter(said)), tools=[tool(refund)], middleware=[middleware], checkpointer=checkpointer)


ASKED = {"messages": [{"role": "user", "content": "Refund it"}]}


def told(messages):
    return [message.content for message in messages if message.type == "tool"]


def langgraph():
    from agentapprovalprotocol.langgraph import ApprovalMiddleware

    result = graph(ApprovalMiddleware(BASE_URL, TOKEN)).invoke(ASKED)
    tell(ran=ran, told=told(result["messages"]))


def pydantic_ai():
    from agentapprovalprotocol.pydantic_ai import ApprovalCapability
    from pydantic_ai import Agent
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
    from pydantic_ai.models.function import FunctionModel

    turns = iter([[TextPart(REASONING), ToolCallPart("refund", CALL, tool_call_id="call_1")], [TextPart("Done.")]])
    model = FunctionModel(lambda messages, info: ModelResponse(parts=next(turns)))
    agent = Agent(model, tools=[refund], capabilities=[ApprovalCapability(BASE_URL, TOKEN)])
    result = asyncio.run(agent.run("Refund it"))
    parts = [part for message in result.all_messages() for part in message.parts]
    tell(ran=ran, told=[str(part.content) for part in parts if part.part_kind in ("tool-return", "retry-prompt")])


def openai_agents():
    from agentapprovalprotocol.openai_agents import Approvals
    from agents import Agent, Model, ModelResponse, Runner, Usage, function_tool, set_tracing_disabled
    from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

    def text(said, n):
        content = [ResponseOutputText(text=said, type="output_text", annotations=[])]
        return ResponseOutputMessage(id=f"msg_{n}", content=content, role="assistant", status="completed", type="message")

    call = ResponseFunctionToolCall(arguments=json.dumps(CALL), call_id="call_1", name="refund", type="function_call")
    turns = iter([[text(REASONING, 1), call], [text("Done.", 2)]])

    class Scripted(Model):
        async def get_response(self, *args, **options):
            return ModelResponse(output=next(turns), usage=Usage(), response_id=None)

        def stream_response(self, *args, **options):
            raise NotImplementedError

    set_tracing_disabled(True)
    agent = Approvals(BASE_URL, TOKEN).protect(Agent(name="Support", model=Scripted(), tools=[function_tool(refund)]))
    result = asyncio.run(Runner.run(agent, "Refund it"))
    tell(ran=ran, told=[item.output for item in result.new_items if item.type == "tool_call_output_item"])


async def serve(receiver, port):
    """The receiver at an address: enough of HTTP for it."""

    async def answer(reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        length = next((int(value) for name, value in headers.items() if name.lower() == "content-length"), 0)
        status, body = await receiver.handle(headers, await reader.readexactly(length))
        writer.write(f"HTTP/1.1 {status} -\r\ncontent-length: {len(body)}\r\nconnection: close\r\n\r\n".encode() + body)
        await writer.drain()
        writer.close()

    return await asyncio.start_server(answer, "127.0.0.1", port)


async def paused():
    """A run of LangGraph that pauses, and is woken by its receiver. TOKEN: the provisioner's. MORE: the receiver's port."""
    from agentapprovalprotocol import Receiver
    from agentapprovalprotocol.langgraph import ApprovalMiddleware, resumer
    from langgraph.checkpoint.memory import InMemorySaver

    port = int(MORE[0])
    receiver = Receiver(resumers={})
    await serve(receiver, port)
    url = f"http://127.0.0.1:{port}/aap/events"
    provisioned = await receiver.provision(provider_url=BASE_URL, provisioner_token=TOKEN, url=url, instance_name="Support")
    agent = graph(ApprovalMiddleware(BASE_URL, provisioned.token, mode="async"), InMemorySaver())
    receiver.resumers["langgraph"] = resumer(agent)
    thread = {"configurable": {"thread_id": "thread-1"}}
    result = await agent.ainvoke(ASKED, thread)
    tell(ran=ran, waits=[item.value["aap_request_id"] for item in result["__interrupt__"]], instance=provisioned.instance_id)
    while (await agent.aget_state(thread)).next:
        await asyncio.sleep(0.05)
    tell(ran=ran, told=told((await agent.aget_state(thread)).values["messages"]))


KINDS = {each.__name__: each for each in (gate, langgraph, pydantic_ai, openai_agents)}
if KIND == "paused":
    asyncio.run(paused())
else:
    KINDS[KIND]()
