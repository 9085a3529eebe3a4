/** The skill for agents, as the official client reads it: it checks the digest, the size and the frontmatter. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { expect, onTestFinished, test } from "vitest";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { forFile } from "../../../test/for-file.ts";

const fixture = forFile(() => createSharedAgentFixture());

async function connect(): Promise<Client> {
  const { secret } = await fixture.agent();
  const client = new Client({ name: "skilled", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: { authorization: `Bearer ${secret}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(fixture.endpoint.url), { requestInit }));
  onTestFinished(() => client.close());
  return client;
}

test("the skill is listed, got, and read as its digest says", async () => {
  const client = await connect();
  const skills = new SkillsClient(client);
  expect(skills.supported).toBe(true);
  const { skills: listed } = await skills.list();
  expect(listed.map(({ uri }) => uri)).toEqual(["skill://ask-a-person/SKILL.md"]);
  const { skill } = await skills.get(listed[0]!.uri);
  expect(skill).toEqual(listed[0]);
  const file = await skills.read(skill);
  expect(file).toMatchObject({ verified: true, frontmatter: { name: "ask-a-person" } });
  // Each tool that it names is on the list of every agent.
  const tools = (await client.listTools()).tools.map(({ name }) => name);
  const named = [...file.body!.matchAll(/`([a-z]+_[a-z_]+)`/g)].map(([, name]) => name);
  expect(new Set(named)).toEqual(new Set(["request_approval", "ask_person", "wait_for_task", "list_tasks"]));
  expect(tools).toEqual(expect.arrayContaining(named));
  expect((await client.listResources()).resources).toMatchObject([
    { uri: skill.uri, mimeType: "text/markdown" },
  ]);
});

test("another skill is refused, and 2025-11-25 has none", async () => {
  const client = await connect();
  await expect(new SkillsClient(client).get("skill://other/SKILL.md")).rejects.toMatchObject({
    code: -32602,
  });
  await expect(client.readResource({ uri: "skill://other/SKILL.md" })).rejects.toMatchObject({
    code: -32602,
  });
  const { secret } = await fixture.agent();
  const agent = rawAgent(fixture.endpoint.url, secret);
  const { answer } = await agent.legacy("resources/list", {});
  expect(answer).toMatchObject({ error: { code: -32601 } });
});
