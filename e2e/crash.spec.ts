/**
 * Twenty invoices in both eras while the engine, the web app, the sample server and Postgres are killed with -9, in
 * random order, again and again. At the end the sample server's ledger must show each task made once, each answer
 * told once and each line paid once.
 */
import { type LedgerLine, readLedger } from "../test/fixtures/sample-ledger.ts";
import { type PartName, startIntray } from "./fixtures/intray.ts";
import { killPart, waitUntilReady } from "./fixtures/shared-intray.ts";
import {
  askAbout,
  backTo,
  deliverySteps,
  expect,
  ledgerOf,
  openPageAs,
  readRequest,
  requestPane,
  SOON,
  test,
} from "./fixtures/test.ts";

const INVOICES = 20;
const KILLS = 16;
const PARTS: PartName[] = ["engine", "web", "invoice", "postgres"];

test.setTimeout(10 * 60_000);

test("an answer that is given while the engine is down arrives once, also if the web app is killed then", async ({
  browser,
  ola,
}) => {
  // A page's scripts may be on their way when the web app is killed: it logs that they did not come.
  const ben = await openPageAs(browser, "Ben");
  const { id, requestId } = await askAbout(ola, ben);
  await killPart("engine");
  await requestPane(ben).getByRole("button", { name: "Approve" }).click();
  await expect.poll(async () => (await readRequest(ola, requestId)).state, SOON).not.toBe("open");
  await killPart("web");
  await expect.poll(async () => (await ledgerOf(id)).told.length, { timeout: 60_000 }).toBe(1);
  await waitUntilReady();
  await backTo(ben, requestId);
  await expect(deliverySteps(ben).nth(3)).toContainText("done", SOON);
  expect((await ledgerOf(id)).told).toMatchObject([{ accepted: true, content: { value: "approve" } }]);
  await ben.context().close();
});

test("nothing is lost or done twice when everything is killed again and again", async () => {
  const seed = Number(process.env.CRASH_SEED ?? Date.now() % 100_000);
  const random = randomFrom(seed);
  const intray = await startIntray({ INVOICE_STEP_DELAY_MS: "300", INVOICE_RECONCILE_MS: "1000" });
  const startedAt = Date.now();
  try {
    const api = apiOf(
      intray.url,
      await intray.command("key", "create", "--org", "acme", "--role", "operator"),
    );
    const all = (await api.get<{ items: { id: string; name: string }[] }>("/servers")).items;
    const servers = all.filter(({ name }) => name.startsWith("Finance ERP"));
    expect(servers.map((server) => server.name).sort()).toEqual(["Finance ERP", "Finance ERP (2025-11-25)"]);

    let over = false;
    const killed: PartName[] = [];
    const killing = (async () => {
      while (killed.length < KILLS && !over) {
        await pause(1_000 + random() * 3_000);
        if (over) return;
        const part = PARTS[Math.floor(random() * PARTS.length)]!;
        if (await intray.kill(part)) killed.push(part);
      }
    })();

    const ids = await Promise.all(
      Array.from({ length: INVOICES }, async (_, at) => {
        await pause(random() * 20_000);
        const server = servers[at % servers.length]!;
        const task = await api.untilStatus<{ id: string }>("POST", "/tasks", {
          headers: { "idempotency-key": `crash-${seed}-${at}` },
          body: { serverId: server.id, tool: "process_invoice", arguments: { invoice: invoice(seed, at) } },
        });
        return task.id;
      }),
    );

    const answered = new Map<string, number>();
    const deadline = Date.now() + 6 * 60_000;
    let unfinished = ids.length;
    while (unfinished > 0) {
      if (Date.now() > deadline) throw new Error(`seed ${seed}: ${await stateOf(api, ids)}`);
      await answerAll(api, answered);
      await pause(500);
      const tasks = await Promise.all(
        ids.map((id) => api.untilStatus<{ state: string }>("GET", `/tasks/${id}`)),
      );
      unfinished = tasks.filter((task) => !["completed", "failed", "cancelled"].includes(task.state)).length;
    }
    over = true;
    await killing;

    for (const id of ids) {
      const task = await api.untilStatus<{ state: string; outcome: string }>("GET", `/tasks/${id}`);
      expect([id, task.state, task.outcome], `seed ${seed}`).toEqual([id, "completed", "PAID"]);
    }
    // The sample server may be coming up from the last kill.
    let ledger: LedgerLine[] = [];
    await expect(async () => {
      ledger = await readLedger(intray.invoiceUrl);
    }).toPass(SOON);
    const figures = count(ledger);
    console.log(
      `seed ${seed}: ${INVOICES} invoices, ${killed.length} kills (${killed.join(" ")}), ` +
        `${answered.size} answers, ${JSON.stringify(figures)}, ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );
    const large = Array.from({ length: INVOICES }, (_, at) => at).filter((at) => isLarge(at)).length;
    expect(figures).toEqual({
      created: INVOICES,
      answersTaken: INVOICES + large,
      answersRepeated: 0,
      linesPaid: INVOICES * 2,
      linesPaidTwice: 0,
    });
  } catch (error) {
    console.log(`seed ${seed}\n${intray.errors().join("\n")}`);
    throw error;
  } finally {
    await intray.stop();
  }
});

const isLarge = (at: number) => at % 5 === 0;

function invoice(seed: number, at: number) {
  const amount = isLarge(at) ? 4_000 : 100;
  const line = (description: string) => ({ description, amount, due_date: "2024-06-30T00:00:00Z" });
  return { invoice_id: `CRASH-${seed}-${at}`, customer: "ACME Corp", lines: [line("A"), line("B")] };
}

function count(ledger: LedgerLine[]) {
  const told = ledger.filter((line) => line.kind === "told");
  const paid = ledger
    .filter((line) => line.kind === "paid")
    .map((line) => `${line.taskId} ${line.data.line}`);
  return {
    created: ledger.filter((line) => line.kind === "created").length,
    answersTaken: told.filter((line) => line.data.accepted === true).length,
    answersRepeated: told.filter((line) => line.data.accepted !== true).length,
    linesPaid: paid.length,
    linesPaidTwice: paid.length - new Set(paid).size,
  };
}

interface OpenRequest {
  id: string;
  questionHash: string;
  message: string;
}

/** Approves what is open. A try that fails because something was just killed is made again at the next round. */
async function answerAll(api: Api, answered: Map<string, number>): Promise<void> {
  const open = await api.try<{ items: OpenRequest[] }>("GET", "/input-requests?state=open&limit=200");
  for (const { id } of open?.items ?? []) {
    const request = await api.try<OpenRequest>("GET", `/input-requests/${id}`);
    if (!request) continue;
    const content = request.message.includes("cost center") ? { cost_center: "CC-7" } : { value: "approve" };
    const body = { action: "accept", content, questionHash: request.questionHash };
    if (await api.try("POST", `/input-requests/${id}/answer`, { body }))
      answered.set(id, (answered.get(id) ?? 0) + 1);
  }
}

async function stateOf(api: Api, ids: string[]): Promise<string> {
  const lines = await Promise.all(
    ids.map(async (id) => {
      const task = await api.try<{ state: string; statusMessage: string; inputRequests: unknown }>(
        "GET",
        `/tasks/${id}`,
      );
      return `${id} ${task?.state} ${task?.statusMessage} ${JSON.stringify(task?.inputRequests)}`;
    }),
  );
  return `not finished in time:\n${lines.join("\n")}`;
}

interface Call {
  headers?: Record<string, string>;
  body?: unknown;
}
type Api = ReturnType<typeof apiOf>;

function apiOf(url: string, key: string) {
  const call = async (method: string, path: string, { headers, body }: Call = {}) => {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      signal: AbortSignal.timeout(15_000),
    });
    const text = await response.text();
    if (!response.ok) throw new HttpError(response.status, text);
    return text === "" ? {} : JSON.parse(text);
  };
  /** Null where the app is down, or somebody else was first. Anything else is a bug and thrown. */
  let lastError: unknown;
  const tryCall = async <T>(method: string, path: string, more?: Call): Promise<T | null> => {
    try {
      return await call(method, path, more);
    } catch (error) {
      if (error instanceof HttpError && ![409, 410, 502, 503].includes(error.status)) throw error;
      lastError = error;
      return null;
    }
  };
  return {
    get: <T>(path: string): Promise<T> => call("GET", path),
    try: tryCall,
    async untilStatus<T>(method: string, path: string, more?: Call): Promise<T> {
      for (let tries = 0; tries < 360; tries++) {
        const done = await tryCall<T>(method, path, more);
        if (done) return done;
        await pause(500);
      }
      throw new Error(`${method} ${path} failed for three minutes`, { cause: lastError });
    },
  };
}

class HttpError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(`${status} ${text}`);
    this.status = status;
  }
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** mulberry32: the same kills again for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
