/** Servers as they are: what they were seen to do, tasks that only they know, calls that are lost, results of all kinds. */
import { startElsewhere } from "../test/fixtures/third-party-client.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import {
  apiOf,
  askAbout,
  backTo,
  ERAS,
  expect,
  invoiceServer,
  ledgerOf,
  newInvoiceId,
  requestPane,
  SOON,
  taskHeader,
  test,
} from "./fixtures/test.ts";
import { openTestRows, type TestRows } from "./fixtures/test-rows.ts";

let testRows: TestRows;
test.beforeAll(async () => {
  testRows = await openTestRows();
});
test.afterAll(() => testRows.close());

test("a server's page says what it is like, and what that means", async ({ ana }) => {
  const server = await testRows.serverNamed(ERAS[1]!);
  await testRows.learn(server.id, {
    questionLifetimeMs: 60_000,
    reissues: true,
    listsTasks: true,
    namesTask: false,
    sessionLimit: 4,
  });
  await testRows.within((tx) =>
    tx.connection.updateMany({
      where: { id: server.connectionId },
      data: {
        logTail: Array.from({ length: 40 }, (_, n) => `line ${n}: reading the ledger`).join("\n"),
        logTailAt: new Date(),
      },
    }),
  );
  await ana.goto(`/servers/${server.id}`);
  await expect(ana.getByText("Gives up on questions after about a minute")).toBeVisible();
  await expect(ana.getByText(/Not known yet: .*whether it reports changes by itself/)).toBeVisible();
  const log = ana.getByRole("region", { name: "The server’s log" });
  await log.focus();
  await expect(log).toBeFocused();
  await checkAppearance(ana, "a server that is known");
});

test("an operator's server says so, has no address to show, and can't be changed", async ({ ana }) => {
  const id = await testRows.insertCommandServer("Ledger");
  await ana.goto("/servers");
  await expect(ana.getByText("Command on Intray’s machine")).toBeVisible();
  await checkAppearance(ana, "servers of both origins");
  await ana.goto(`/servers/${id}`);
  await expect(ana.getByText("Defined by the operator")).toBeVisible();
  await expect(ana.getByRole("button", { name: "Test Ledger" })).toBeVisible();
  await expect(ana.getByRole("button", { name: "Edit…" })).toHaveCount(0);
  await expect(ana.getByText("command:")).toHaveCount(0);
  await checkAppearance(ana, "an operator's server");
  await testRows.within((tx) => tx.server.updateMany({ where: { id }, data: { removedAt: new Date() } }));
});

test("a task that somebody else started is found on the server and adopted", async ({ ana, ben }) => {
  const server = await testRows.serverNamed(ERAS[1]!);
  const id = newInvoiceId();
  await startElsewhere(invoiceServer(), id);
  await ana.goto(`/servers/${server.id}`);
  const refresh = ana.getByRole("button", { name: "Refresh" });
  const refreshed = ana.waitForResponse(/\/found-tasks\/refresh$/);
  await refresh.click();
  await refreshed;
  await expect(refresh).toBeEnabled();
  // The newest is first: the server has tasks that other tests left behind, too.
  const found = ana.getByRole("region", { name: "Untracked tasks" });
  await expect(found.getByRole("listitem").first()).toBeVisible();
  await checkAppearance(ana, "tasks of others");
  await ben.goto(`/servers/${server.id}`);
  await expect(ben.getByRole("heading", { name: "Tools" })).toBeVisible();
  await expect(ben.getByRole("button", { name: "Refresh" })).toHaveCount(0);

  await found.getByRole("button", { name: "Adopt…" }).first().click();
  const dialog = ana.getByRole("dialog", { name: "Adopt this task?" });
  await dialog.getByLabel("Name").fill(id);
  await checkAppearance(ana, "adopting");
  await dialog.getByRole("button", { name: "Adopt", exact: true }).click();
  await expect(ana).toHaveURL(/\/tasks\//);
  await expect(ana.getByText("Adopted from the server; its call isn’t known.")).toBeVisible();
  await expect(taskHeader(ana)).toContainText(`Adopted task · ${id}`);
  await expect(ana.getByRole("button", { name: "Start again…" })).toHaveCount(0);
  await checkAppearance(ana, "an adopted task");
  await ana.getByRole("link", { name: "Open the request" }).click(SOON);
  await expect(ana).toHaveURL(/\/inbox\//);
  const requestId = new URL(ana.url()).pathname.split("/").at(-1) ?? "";
  await requestPane(ana).getByRole("button", { name: "Reject" }).click();
  await backTo(ana, requestId);
  await expect(requestPane(ana).getByText("Rejected by Ana").first()).toBeVisible();
  await expect
    .poll(async () => (await ledgerOf(id)).told, SOON)
    .toMatchObject([{ content: { value: "reject" } }]);
});

test("a start of unknown outcome is settled: as what it made, or as nothing", async ({ ola, ben }) => {
  const server = await testRows.serverNamed(ERAS[1]!);
  const lost = await testRows.insertTask(server, { state: "start_unknown", label: "INV-8" });
  await testRows.insertFind(server, "Checking the invoice", lost);
  await testRows.insertFind(server, "Paying line 2 of 3", lost);
  await ben.goto(`/tasks/${lost}`);
  await expect(ben.getByText("An operator then chooses what happened")).toBeVisible();
  await ola.goto(`/tasks/${lost}`);
  await expect(ola.getByText("2 tasks on the server could be it:")).toBeVisible();
  await expect(ola.getByRole("button", { name: "Cancel…" })).toHaveCount(0);
  await checkAppearance(ola, "a start of unknown outcome");
  await ola.getByRole("button", { name: "This is it…" }).first().click();
  await checkAppearance(ola, "saying what it made");
  await ola.getByRole("button", { name: "Close" }).first().click();

  await ola.getByRole("button", { name: "It never started…" }).click();
  await ola.getByRole("dialog").getByRole("button", { name: "It never started" }).click();
  await expect(taskHeader(ola)).toContainText("Failed");
  await expect(ola.getByText("It never started, as Ola found out.").first()).toBeVisible();
});

test("a card says how far the task has come, that time is short and why, and takes an answer when it is up", async ({
  ola,
  ben,
}) => {
  const server = await testRows.serverNamed(ERAS[1]!);
  await testRows.learn(server.id, { questionLifetimeMs: 60_000 });
  const { requestId, taskId } = await askAbout(ola, ben, { era: ERAS[1] });
  const progress = { progress: 3, total: 4, message: "Read three of four lines" };
  await testRows.within((tx) => tx.task.updateMany({ where: { id: taskId }, data: { progress } }));
  const endsIn = (ms: number) =>
    testRows.within((tx) =>
      tx.inputRequest.updateMany({
        where: { id: requestId },
        data: { expiresAt: new Date(Date.now() + ms) },
      }),
    );
  await endsIn(55_000);
  await ben.reload();
  const pane = requestPane(ben);
  await expect(pane.getByText("This server gives up on questions after about a minute.")).toBeVisible();
  await expect(
    pane
      .getByText(/^\d+ s left$/)
      .filter({ visible: true })
      .first(),
  ).toBeVisible();
  await expect(pane.getByRole("progressbar", { name: "Progress of the task" })).toHaveAttribute(
    "aria-valuetext",
    "75 %, Read three of four lines",
  );
  await checkAppearance(ben, "little time");
  await ola.goto(`/tasks/${taskId}`);
  await expect(ola.getByRole("progressbar", { name: "Progress" })).toHaveAttribute("aria-valuenow", "75");
  await checkAppearance(ola, "progress of a task");
  await endsIn(-1_000);
  await ben.reload();
  await expect(pane.getByText("The time is probably up", { exact: true })).toBeVisible();
  await checkAppearance(ben, "time that is probably up");
  await pane.getByRole("button", { name: "Reject" }).click();
  await backTo(ben, requestId);
  await expect(pane.getByText("Rejected by Ben").first()).toBeVisible();
  await testRows.learn(server.id, {});
});

test("an answer that could not be delivered is kept, and the card offers the way on", async ({
  ola,
  ben,
}) => {
  const server = await testRows.serverNamed(ERAS[1]!);
  const { requestId, taskId } = await askAbout(ola, ben, { era: ERAS[1] });
  const failed = await testRows.insertTask(server, {
    state: "failed",
    error: { code: "lost_answer", message: "The session ended." },
  });
  const copy = await testRows.insertUndeliverable(requestId, failed, "not_asked_again");
  await ben.goto(`/inbox/${copy}`);
  const pane = requestPane(ben);
  await expect(
    pane.getByText(
      "The answer could not be delivered: the server lost the question and does not ask it again.",
    ),
  ).toBeVisible();
  await expect(pane.getByText("ask an operator to start it again")).toBeVisible();
  await expect(pane.getByText("Approved by Ben").first()).toBeVisible();
  await ola.goto(`/inbox/${copy}`);
  await expect(requestPane(ola).getByRole("button", { name: "Start again as a new task…" })).toBeVisible();
  await checkAppearance(ola, "an answer that was not delivered");
  await apiOf(ola).write("POST", `/tasks/${taskId}/cancel`);
});

test("a result shows its images, files and links, and follows none of them", async ({ ola }) => {
  const server = await testRows.serverNamed(ERAS[0]!);
  const dot =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
  const task = await testRows.insertTask(server, {
    state: "completed",
    durable: false,
    outcome: "Report 7",
    result: {
      content: [
        { type: "text", text: "Here is what I found." },
        { type: "image", data: dot, mimeType: "image/png" },
        { type: "image", data: dot, mimeType: "image/svg+xml" },
        { type: "audio", data: "AAAA", mimeType: "audio/mpeg" },
        {
          type: "resource_link",
          uri: "https://erp.example/reports/7",
          name: "Report 7",
          mimeType: "application/pdf",
        },
        { type: "resource_link", uri: "javascript:alert(1)", name: "A trap" },
        {
          type: "resource",
          resource: { uri: "file:///notes.txt", text: "Two lines\nof notes", mimeType: "text/plain" },
        },
      ],
    },
  });
  const asked: string[] = [];
  ola.on("request", (request) => asked.push(new URL(request.url()).host));
  await ola.goto(`/tasks/${task}`);
  await ola.getByRole("tab", { name: "Result" }).click();
  const panel = ola.getByRole("tabpanel", { name: "Result" });
  await expect(panel.getByRole("img", { name: /from the tool/i })).toHaveCount(1);
  await expect(panel.getByText("An image of the type image/svg+xml is not shown.")).toBeVisible();
  await expect(panel.getByRole("link")).toHaveCount(1);
  await expect(panel.getByRole("link", { name: "Save audio-4.mp3" })).toHaveAttribute(
    "download",
    "audio-4.mp3",
  );
  await checkAppearance(ola, "a result with everything");
  expect(new Set(asked).size).toBe(1);
});

test("a tool that never runs as a task says so before it is started, and its call is marked", async ({
  ola,
}) => {
  const server = await testRows.serverNamed(ERAS[0]!);
  const was = await testRows.within((tx) => tx.server.findFirstOrThrow({ where: { id: server.id } }));
  const tool = {
    description: null,
    inputSchema: { type: "object" },
    annotations: null,
    honoursIdempotencyKey: false,
  };
  const tools = [{ ...tool, name: "ping", title: "Ping", taskSupport: "forbidden" }];
  await testRows.within((tx) =>
    tx.server.updateMany({ where: { id: server.id }, data: { tools, toolsCheckedAt: new Date() } }),
  );
  await ola.goto("/tasks/new");
  await ola.getByRole("combobox", { name: "Server" }).selectOption({ label: ERAS[0]! });
  await expect(ola.getByText("Not durable: this call ends with its connection.")).toBeVisible();
  await checkAppearance(ola, "starting what is not durable");
  await testRows.within((tx) =>
    tx.server.updateMany({
      where: { id: server.id },
      data: { tools: was.tools as never, toolsCheckedAt: was.toolsCheckedAt },
    }),
  );
});
