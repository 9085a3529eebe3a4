/**
 * The official conformance suite's scenarios for servers, against `/mcp` of a real Intray. The suite names the tools that it calls:
 * a server has them, Intray grants them to an agent, and a front translates their names. Each scenario stands in the table.
 */
import { execFile } from "node:child_process";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, type TestContext, test } from "vitest";
import { z } from "zod";
import { createSharedAgentFixture } from "../../../test/fixtures/agents/agent-fixture.ts";
import { rawAgent } from "../../../test/fixtures/agents/raw-agent.ts";
import { type AgentFront, startAgentFront } from "../../../test/servers/agents/agent-front.ts";
import {
  type ConformanceTools,
  startConformanceTools,
} from "../../../test/servers/agents/conformance-tools.ts";
import { createNetwork } from "../../base/network/network.ts";
import { checkServer } from "../../servers/check.ts";

const SUITE = fileURLToPath(
  new URL("../../../node_modules/@modelcontextprotocol/conformance/dist/index.js", import.meta.url),
);

const OLD = "2025-11-25";
const NEW = "2026-07-28";

/** What Intray offers to agents is tools and tasks, and in 2026-07-28 one skill. It offers nothing else that a server may have. */
const NO_COMPLETIONS = "Intray offers no completions";
const NO_LOGGING = "Intray offers no logging: what a tool logs is not sent on";
const NO_SUBSCRIPTIONS = "Intray announces no changes, and refuses to be listened to";
const NO_PROMPTS = "Intray offers no prompts";
const NO_RESOURCES = "Intray offers no resources but its skill, which is a text";
/** Whoever calls is not asked, in no way that the protocol has. */
const ASKS_PEOPLE = "Intray asks people, and never the client that calls";
const SERVES_ALL = "Intray needs no capability of a client, and holds the call of one that takes no tasks";
const GREETS_NOBODY = "the one kind of tool that is never a task is Intray's own, which says no hello";

/** Checks that pass, or the reason why the scenario does not apply. `without`: checks of it that do not, each with the reason. */
type Verdict = string | { passes: number; without?: Record<string, string> };

const SCENARIOS: Record<string, Partial<Record<string, Verdict>>> = {
  "server-initialize": { [OLD]: { passes: 3 } },
  "server-session-lifecycle": {
    [OLD]: {
      passes: 1,
      without: {
        "server-session-delete-accepted": "a session is not stored, so that none is ended: 405",
        "server-session-terminated-returns-404": "the same",
      },
    },
  },
  "server-stateless": {
    [NEW]: {
      passes: 21,
      without: {
        "sep-2575-server-rejects-undeclared-capability": SERVES_ALL,
        "sep-2575-missing-capability-http-400": SERVES_ALL,
        "sep-2575-http-server-no-independent-requests-on-stream": ASKS_PEOPLE,
        "sep-2575-server-no-log-without-loglevel": NO_LOGGING,
        "sep-2575-server-sends-prompts-list-changed-on-subscription": NO_PROMPTS,
        "sep-2575-server-sends-tools-list-changed-on-subscription": NO_SUBSCRIPTIONS,
        "sep-2575-server-sends-subscription-ack": NO_SUBSCRIPTIONS,
        "sep-2575-server-tags-subscription-id": NO_SUBSCRIPTIONS,
        "sep-2575-server-honors-notification-filter": NO_SUBSCRIPTIONS,
      },
    },
  },
  "logging-set-level": { [OLD]: NO_LOGGING },
  ping: { [OLD]: { passes: 2 } },
  "completion-complete": { [OLD]: NO_COMPLETIONS, [NEW]: NO_COMPLETIONS },
  "tools-list": { [OLD]: { passes: 3 }, [NEW]: { passes: 4 } },
  "tools-call-simple-text": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-image": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-audio": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-embedded-resource": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-mixed-content": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-with-logging": { [OLD]: NO_LOGGING },
  "tools-call-error": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-with-progress": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  "tools-call-sampling": { [OLD]: ASKS_PEOPLE },
  "tools-call-elicitation": { [OLD]: ASKS_PEOPLE },
  "json-schema-2020-12": { [OLD]: { passes: 8 }, [NEW]: { passes: 8 } },
  "elicitation-sep1034-defaults": { [OLD]: ASKS_PEOPLE },
  "elicitation-sep1330-enums": { [OLD]: ASKS_PEOPLE },
  "server-sse-polling": { [OLD]: { passes: 2 } },
  "server-sse-multiple-streams": { [OLD]: { passes: 1 }, [NEW]: { passes: 1 } },
  "resources-list": { [OLD]: NO_RESOURCES, [NEW]: { passes: 2 } },
  "resources-read-text": { [OLD]: NO_RESOURCES, [NEW]: NO_RESOURCES },
  "resources-read-binary": { [OLD]: NO_RESOURCES, [NEW]: NO_RESOURCES },
  "resources-templates-read": { [OLD]: NO_RESOURCES, [NEW]: NO_RESOURCES },
  "resources-subscribe": { [OLD]: NO_RESOURCES },
  "resources-unsubscribe": { [OLD]: NO_RESOURCES },
  "sep-2164-resource-not-found": { [NEW]: { passes: 1 } },
  "sep-2640-skills-directory": { extension: "the skill is one file, so that no directory of it is read" },
  "sep-2640-skills-enumeration": { extension: { passes: 1 } },
  "sep-2640-skills-manifest": { extension: { passes: 1 } },
  "prompts-list": { [OLD]: NO_PROMPTS, [NEW]: NO_PROMPTS },
  "prompts-get-simple": { [OLD]: NO_PROMPTS, [NEW]: NO_PROMPTS },
  "prompts-get-with-args": { [OLD]: NO_PROMPTS, [NEW]: NO_PROMPTS },
  "prompts-get-embedded-resource": { [OLD]: NO_PROMPTS, [NEW]: NO_PROMPTS },
  "prompts-get-with-image": { [OLD]: NO_PROMPTS, [NEW]: NO_PROMPTS },
  "dns-rebinding-protection": { [OLD]: { passes: 2 }, [NEW]: { passes: 2 } },
  caching: {
    [NEW]: {
      passes: 4,
      without: { "sep-2549-prompts-list-caching-hints": NO_PROMPTS },
    },
  },
  "http-header-validation": { [NEW]: { passes: 14 } },
  "http-custom-header-server-validation": {
    [NEW]: "Intray offers tools without x-mcp-header: such headers are between it and the tool's server",
  },
  "tasks-lifecycle": { extension: { passes: 9 } },
  "tasks-capability-negotiation": { extension: { passes: 5 } },
  "tasks-wire-fields": { extension: { passes: 4 } },
  "tasks-request-state-removal": { extension: { passes: 3 } },
  "tasks-mrtr-input": { extension: ASKS_PEOPLE },
  "tasks-request-headers": {
    extension: { passes: 4, without: { "tasks-headers-tolerate-mcp-method-on-tools-call": GREETS_NOBODY } },
  },
  "tasks-dispatch-and-envelope": {
    extension: { passes: 8, without: { "tasks-result-type-complete-on-non-task-responses": ASKS_PEOPLE } },
  },
  "tasks-status-notifications": { extension: "the suite skips it for every server" },
  "tasks-required-task-error": { extension: SERVES_ALL },
  "tasks-mrtr-composition": { extension: ASKS_PEOPLE },
  "input-required-result-basic-elicitation": { [NEW]: ASKS_PEOPLE },
  "input-required-result-basic-sampling": { [NEW]: ASKS_PEOPLE },
  "input-required-result-basic-list-roots": { [NEW]: ASKS_PEOPLE },
  "input-required-result-request-state": { [NEW]: ASKS_PEOPLE },
  "input-required-result-multiple-input-requests": { [NEW]: ASKS_PEOPLE },
  "input-required-result-multi-round": { [NEW]: ASKS_PEOPLE },
  "input-required-result-missing-input-response": { [NEW]: ASKS_PEOPLE },
  "input-required-result-non-tool-request": { [NEW]: ASKS_PEOPLE },
  "input-required-result-result-type": { [NEW]: ASKS_PEOPLE },
  "input-required-result-unsupported-methods": { [NEW]: { passes: 2 } },
  "input-required-result-tampered-state": { [NEW]: ASKS_PEOPLE },
  "input-required-result-capability-check": { [NEW]: ASKS_PEOPLE },
  "input-required-result-ignore-extra-params": { [NEW]: ASKS_PEOPLE },
  "input-required-result-validate-input": { [NEW]: ASKS_PEOPLE },
};

const PREFIX = "suite__";
/** Of Intray's own: the one kind of tool that is never a task, as the suite's `greet` has to be. */
const NEVER_A_TASK = "list_tasks";

let tools: ConformanceTools;
let front: AgentFront;
let fixture: Awaited<ReturnType<typeof createSharedAgentFixture>>;
let serverId: string;

beforeAll(async () => {
  tools = await startConformanceTools();
  front = await startAgentFront();
  fixture = await createSharedAgentFixture({
    settings: { INTRAY_URL: front.origin },
    allowHosts: [tools.hostAndPort],
  });
  const { database, seal, operator, within, addServer } = fixture.organization;
  ({ serverId } = await addServer(tools.url, NEW));
  await within((tx) => tx.server.updateMany({ where: { id: serverId }, data: { name: "Suite" } }));
  const network = createNetwork({ allowHosts: [tools.hostAndPort], denyPorts: [] });
  await checkServer({ db: database, network, seal }, { ...operator, role: "admin" }, serverId);
});
afterAll(async () => {
  await fixture?.close();
  await front?.close();
  await tools?.close();
});

const checksSchema = z.array(
  z.looseObject({ id: z.string(), status: z.string(), errorMessage: z.string().optional() }),
);
type Checks = z.output<typeof checksSchema>;

function suite(args: string[]): Promise<string> {
  return new Promise((resolve) =>
    // It exits with 1 on a failed check; its report names the check.
    execFile(process.execPath, [SUITE, ...args], (_, stdout, stderr) => resolve(stdout + stderr)),
  );
}

/** An address for one scenario: its calls are joined to none of another's. */
async function address(): Promise<string> {
  const { secret } = await fixture.agent({ grants: [{ serverId }] });
  return front.lead({
    endpoint: fixture.endpoint.url,
    secret,
    toIntray: (name) => (name === "greet" ? NEVER_A_TASK : `${PREFIX}${name}`),
    fromIntray: (name) => (name === NEVER_A_TASK ? "greet" : name.replace(PREFIX, "")),
  });
}

async function run(scenario: string, version: string): Promise<Checks> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-"));
  try {
    const output = await suite([
      ...["server", "--url", await address(), "--scenario", scenario, "-o", folder, "--timeout", "120000"],
      ...(version === "extension" ? [] : ["--spec-version", version]),
    ]);
    const files = await readdir(folder, { recursive: true });
    const report = files.find((file) => file.endsWith("checks.json"));
    if (!report) throw new Error(`the suite reported nothing: ${output}`);
    return checksSchema.parse(JSON.parse(await readFile(join(folder, report), "utf8")));
  } finally {
    await rm(folder, { recursive: true });
  }
}

test("each scenario that the suite has for servers of either era stands in the table", async () => {
  const list = await suite(["list", "--server"]);
  const offered = [...list.matchAll(/^ {2}- (\S+) \[(.*)\]$/gm)].flatMap(([, name, versions = ""]) =>
    versions
      .split(",")
      .filter((version) => [OLD, NEW, "extension"].includes(version))
      .map((version) => `${name} ${version}`),
  );
  const listed = Object.entries(SCENARIOS).flatMap(([name, verdicts]) =>
    Object.keys(verdicts).map((version) => `${name} ${version}`),
  );
  expect(offered.length).toBeGreaterThan(50);
  expect(listed.toSorted()).toEqual(offered.toSorted());
});

test("nothing is declared beside tools, tasks and the skill: on that the reasons in the table rest", async () => {
  const { secret } = await fixture.agent({ grants: [{ serverId }] });
  const agent = rawAgent(fixture.endpoint.url, secret);
  const initialize = {
    protocolVersion: OLD,
    capabilities: {},
    clientInfo: { name: "conformance", version: "1" },
  };
  const [old, modern] = [
    (await agent.legacy("initialize", initialize)).answer.result.capabilities,
    (await agent.modern("server/discover", {}, false)).answer.result.capabilities,
  ];
  expect(Object.keys(old).toSorted()).toEqual(["tasks", "tools"]);
  expect(modern).toEqual({
    tools: { listChanged: false },
    resources: {},
    extensions: { "io.modelcontextprotocol/tasks": {}, "io.modelcontextprotocol/skills": {} },
  });
  const { tools: offered } = (await agent.legacy("tools/list")).answer.result;
  expect(offered.map(({ name }: { name: string }) => name)).toContain("suite__test_custom_headers");
  expect(JSON.stringify(offered)).not.toContain("x-mcp-header");
});

const passing = Object.entries(SCENARIOS).flatMap(([scenario, verdicts]) =>
  Object.entries(verdicts).flatMap(([version, verdict]) =>
    typeof verdict === "object" ? [{ scenario, version, ...verdict }] : [],
  ),
);

/** The suite itself ends this one after ten seconds, in which it wants three words of progress: it runs alone, and again if it has to. */
const TIMED = "tools-call-with-progress";

async function passes(
  { scenario, version, passes, without = {} }: (typeof passing)[number],
  { expect }: Pick<TestContext, "expect">,
): Promise<void> {
  const found = await run(scenario, version);
  const failed = found.filter(({ status }) => !["SUCCESS", "INFO"].includes(status));
  const unexpected = failed.filter(({ id }) => without[id] === undefined);
  expect(unexpected).toEqual([]);
  expect(Object.keys(without).filter((id) => !failed.some((check) => check.id === id))).toEqual([]);
  // The counts keep a scenario from passing because it stopped half-way.
  expect(found.filter(({ status }) => status === "SUCCESS").length).toBeGreaterThanOrEqual(passes);
}

describe("the official suite", () => {
  test.concurrent.for(passing.filter(({ scenario }) => scenario !== TIMED))(
    "$scenario of $version passes",
    { timeout: 150_000 },
    passes,
  );
  test.for(passing.filter(({ scenario }) => scenario === TIMED))(
    "$scenario of $version passes",
    { timeout: 150_000, retry: 5 },
    passes,
  );
});
