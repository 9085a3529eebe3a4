/** The real FastMCP 3, in a Python environment below node_modules: many tasks ask at once, and each gets its own answer. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../scripts/ports.ts";
import { startEngineProcess } from "../../../test/engine-process.ts";
import {
  createOrganizationFixture,
  type OrganizationFixture,
  until,
} from "../../../test/fixtures/organization-fixture.ts";
import { createQueries } from "../../../test/fixtures/queries.ts";
import { tool } from "../../../test/fixtures/tool.ts";
import { parseServersFile } from "../../servers/operator-file.ts";
import { giveOperatorServers } from "../../servers/operator-sync.ts";

const PLACE = fileURLToPath(new URL("../../../node_modules/.fastmcp", import.meta.url));
const PYTHON = join(PLACE, "bin/python");
const SERVER = fileURLToPath(new URL("../../../test/servers/fastmcp/server.py", import.meta.url));
/** FastMCP, and what of its own packages decides about the messages on the wire and their order. */
const PACKAGES = ["fastmcp[tasks]==3.4.11", "mcp==1.30.0", "pydocket==0.27.0"];
/** As FastMCP lists it. */
const APPROVE = tool("approve_invoice", { taskSupport: "optional" });
const PATIENCE_MS = 180_000;
const INSTALL_MS = 600_000;

let fixture: OrganizationFixture;
/** Why there is no FastMCP here. */
let missing: string | undefined;
const ends: (() => Promise<unknown>)[] = [];
const queries = createQueries(() => fixture, PATIENCE_MS);

/** Installs what is not installed yet. Returns why that is impossible here, if it is. */
async function install(): Promise<string | undefined> {
  const run = promisify(execFile);
  const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...PACKAGES];
  try {
    await run("python3", ["-m", "venv", PLACE]);
    await run(PYTHON, pip);
    return undefined;
  } catch (error) {
    const { message, stderr } = error as Error & { stderr?: string };
    return (stderr?.trim() || message).split("\n").at(-1);
  }
}

/** Returns the address, once the server listens there. */
async function startHttp(): Promise<string> {
  const port = await freePort();
  const child = spawn(PYTHON, [SERVER, String(port)], { stdio: ["ignore", "ignore", "pipe"] });
  const exited = once(child, "exit");
  ends.push(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = `${said}${chunk}`.slice(-4_000);
  });
  const url = `http://127.0.0.1:${port}/mcp`;
  await until(
    "FastMCP listens",
    async () => {
      if (child.exitCode !== null) throw new Error(`FastMCP has ended: ${said}`);
      return fetch(url).then(
        () => true,
        () => false,
      );
    },
    PATIENCE_MS,
  );
  return url;
}

beforeAll(async () => {
  missing = await install();
  if (missing !== undefined)
    return void console.warn(
      `Not run, and nothing of it counts as passed: FastMCP can't be installed. ${missing}`,
    );
  fixture = await createOrganizationFixture(["127.0.0.1"]);
  ends.push(() => fixture.close());
  const text = JSON.stringify({
    mcpServers: {
      pipe: { command: PYTHON, args: [SERVER], era: "2025-11-25", organizations: ["test"] },
    },
  });
  const folder = await mkdtemp(join(tmpdir(), "intray-servers-"));
  ends.push(() => rm(folder, { recursive: true }));
  const path = join(folder, "servers.json");
  await writeFile(path, text);
  await fixture.within((tx) => giveOperatorServers(tx, "test", parseServersFile(text)));
  const engine = await startEngineProcess({ ...fixture.engineEnvironment, INTRAY_SERVERS_FILE: path });
  ends.push(() => engine.kill());
}, INSTALL_MS);

beforeEach(({ skip }) => skip(missing !== undefined, missing));

afterAll(async () => {
  for (const end of ends.reverse()) await end();
});

/** Waits until polls since its question have said that the task works. They are stored when their pace slows down. */
async function polledSince({ taskId, createdAt }: { taskId: string; createdAt: Date }): Promise<void> {
  const where = { organizationId_taskId: { organizationId: fixture.organizationId, taskId } };
  await until(
    "polls find nothing new",
    async () => {
      const watch = await fixture.within((tx) => tx.taskWatch.findUniqueOrThrow({ where }));
      return watch.lastCheckedAt && watch.lastCheckedAt > createdAt && watch.unchangedPolls > 2;
    },
    PATIENCE_MS,
  );
}

/** Starts the tasks at once, and answers when all of them ask and were polled. Expects each to end with its own answer. */
async function approveAtOnce(server: { serverId: string; connectionId: string }, count: number) {
  const tasks = await Promise.all(
    Array.from({ length: count }, async (_, n) => {
      const name = `INV-${70 + n}`;
      return { name, id: await fixture.startTask(server, { name }, APPROVE) };
    }),
  );
  const open = await Promise.all(
    tasks.map(async ({ name, id }) => {
      const request = await queries.openRequest(id, `Approve ${name}?`);
      await polledSince(request);
      return { name, request };
    }),
  );
  await Promise.all(
    open.map(({ name, request }) =>
      fixture.answer(request.id, { action: "accept", content: { value: `paid by ${name}` } }),
    ),
  );
  for (const { name, id } of tasks) {
    const { result, sealedHandle } = await queries.inState(id, "completed");
    // A task of the server's, not a call that waits.
    expect(sealedHandle).not.toBeNull();
    expect(result).toMatchObject({ content: [{ text: `${name}: paid by ${name}` }] });
    expect(await queries.requestsOf(id)).toMatchObject([{ state: "settled" }]);
    expect(await queries.deliveryOfTask(id)).toMatchObject({ state: "confirmed", attempts: 1 });
  }
  const doubts = await fixture.within((tx) =>
    tx.event.findMany({
      where: {
        organizationId: fixture.organizationId,
        taskId: { in: tasks.map(({ id }) => id) },
        type: { in: ["request.withdrawn", "request.reopened", "request.replaced", "request.undeliverable"] },
      },
    }),
  );
  expect(doubts).toEqual([]);
}

describe("tasks of FastMCP 3 that ask at once: all are in the inbox, none is taken back, each gets its own answer", {
  timeout: 4 * PATIENCE_MS,
}, () => {
  test("ten over HTTP", async () => {
    const url = await startHttp();
    await approveAtOnce(await fixture.addServer(url, "auto"), 10);
  });

  test("four on the pipe of one command", async () => {
    const server = await fixture.within(async (tx) => {
      const { id: serverId } = await tx.server.findFirstOrThrow({ where: { operatorEntry: "pipe" } });
      const { id: connectionId } = await tx.connection.findFirstOrThrow({ where: { serverId } });
      return { serverId, connectionId };
    });
    await approveAtOnce(server, 4);
    const { traits } = await fixture.within((tx) =>
      tx.server.findFirstOrThrow({ where: { id: server.serverId } }),
    );
    expect(traits).toMatchObject({ namesTask: true });
  });
});
