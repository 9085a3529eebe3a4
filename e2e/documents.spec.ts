/** Documents beside a decision: read when opened, drawn by the browser, and never run. */

import type { Page } from "@playwright/test";
import type { Page as ListPage } from "../lib/base/page.ts";
import type { Server } from "../lib/servers/server-schema.ts";
import type { TaskDetail } from "../lib/tasks/task-schema.ts";
import { checkAppearance } from "./fixtures/appearance.ts";
import { apiOf, ERAS, expect, newInvoiceId, openRequest, requestPane, SOON, test } from "./fixtures/test.ts";

const HOSTILE = "<script>document.title = 'run'</script>\n<img src=x onerror=alert(1)> \u202eevil";

/** An expense report with documents of every kind; opens its question for the approver. */
async function askAboutExpense(starter: Page, approver: Page, era = ERAS[0]): Promise<string> {
  const api = apiOf(starter);
  const report = newInvoiceId().replace("INV", "EXP");
  const servers = (await api.get<ListPage<Server>>("/servers")).items;
  const response = await api.write("POST", "/tasks", {
    serverId: servers.find((server) => server.name === era)?.id,
    tool: "approve_expense",
    arguments: {
      report_id: report,
      employee: "Mara Lindt",
      purpose: "Trade fair in Hamburg",
      items: [
        { description: "Train, both ways", date: "2026-11-12", amount: 182.4 },
        { description: "Hotel, two nights", date: "2026-11-13", amount: 318 },
      ],
      documents: [
        `expense://${report}/report.pdf`,
        `expense://${report}/receipt-2.png`,
        `expense://${report}/receipt-9.png`,
      ],
      // Beyond what the tool takes: it is shown all the same, as the request brings it along.
      memo: { type: "resource", resource: { uri: "note://memo.html", mimeType: "text/html", text: HOSTILE } },
      policy: {
        type: "resource_link",
        uri: "https://user@policies.example:8443/travel.pdf",
        name: "Travel policy",
      },
    },
  });
  expect(response.status()).toBe(201);
  const requestId = await openRequest(starter, ((await response.json()) as TaskDetail).id);
  await approver.goto(`/inbox/${requestId}`);
  await expect(requestPane(approver).getByRole("heading", { name: "Documents" })).toBeVisible();
  return requestId;
}

for (const era of ERAS)
  test(`a picture and a PDF of ${era} are read when they are opened`, async ({ ola, ben }) => {
    const reads: string[] = [];
    ben.on("request", (request) => {
      if (/\/documents\/[\da-f]{32}$/.test(request.url())) reads.push(request.url());
    });
    await askAboutExpense(ola, ben, era);
    const pane = requestPane(ben);
    await expect(pane.getByRole("button", { name: /^View/ })).toHaveCount(5);
    // A document is shown once: in the details, only its name says where it is.
    // The text of an embedded one stands there, too: the call sends it.
    await expect(pane.getByText(/^Document below: memo\.html\s+<script>document\.title/)).toBeVisible();
    await expect(
      pane.getByText("3 documents below: report.pdf, receipt-2.png, receipt-9.png", { exact: true }),
    ).toBeVisible();
    await expect(pane.getByText(/expense:\/\/.*\/report\.pdf/)).toHaveCount(1);
    await expect(pane.getByText("Trade fair in Hamburg", { exact: true })).toBeVisible();
    await expect(pane.getByText("resource_link")).toHaveCount(0);
    expect(reads).toEqual([]);

    await pane.getByRole("button", { name: "View receipt-2.png" }).click();
    const picture = pane.getByRole("img", { name: "Document receipt-2.png" });
    await expect(picture).toBeVisible(SOON);
    await expect
      .poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(100);
    await expect(pane.getByText(/^PNG image, \d+ (B|kB)$/)).toBeVisible();
    await pane.getByRole("button", { name: "Hide receipt-2.png" }).click();
    await expect(picture).toBeHidden();

    await pane.getByRole("button", { name: "View report.pdf" }).click();
    const elsewhere = pane.getByRole("link", { name: "Open in a new tab" });
    await expect(elsewhere).toHaveAttribute("href", /^blob:/, SOON);
    await expect(elsewhere).toHaveAttribute("rel", /noopener/);
    await expect(pane.getByText(/^PDF, \d+ (B|kB)$/)).toBeVisible();
    // The shell that tests run in has no viewer of PDFs; a browser with a window has.
    if (await ben.evaluate(() => navigator.pdfViewerEnabled))
      await expect(pane.locator("iframe")).toHaveAttribute("src", /^blob:/);
    else await expect(pane.getByText("doesn’t show PDFs inside a page")).toBeVisible();

    const saved = ben.waitForEvent("download");
    await pane.getByRole("link", { name: "Download" }).click();
    expect((await saved).suggestedFilename()).toBe("report.pdf");
    expect(reads).toHaveLength(2);
  });

test("a document is read once, however long it is looked at, and also after the network was away", async ({
  ola,
  ben,
}) => {
  const reads: string[] = [];
  ben.on("request", (request) => {
    if (/\/documents\/[\da-f]{32}$/.test(request.url())) reads.push(request.url());
  });
  await ben.clock.install();
  const requestId = await askAboutExpense(ola, ben);
  const pane = requestPane(ben);
  await pane.getByRole("button", { name: "View receipt-2.png" }).click();
  const picture = pane.getByRole("img", { name: "Document receipt-2.png" });
  await expect(picture).toBeVisible(SOON);

  const readAgain = () => ben.waitForResponse((response) => response.url().endsWith(`/${requestId}`));
  const afterAMinute = readAgain();
  await ben.clock.fastForward("01:05");
  await afterAMinute;
  await ben.context().setOffline(true);
  await expect(
    ben.getByText("You’re offline. Decisions are paused. This page may be out of date."),
  ).toBeVisible();
  const afterTheAbsence = readAgain();
  await ben.context().setOffline(false);
  await afterTheAbsence;
  await expect(picture).toBeVisible();
  expect(reads).toHaveLength(1);
});

test("by keyboard alone, and whatever a document says, it is text", async ({ ola, ben }) => {
  await askAboutExpense(ola, ben);
  const pane = requestPane(ben);
  const view = pane.getByRole("button", { name: /^View memo.html/ });
  await view.focus();
  await ben.keyboard.press("Enter");
  const text = pane.getByRole("region", { name: "Document memo.html" });
  await expect(text).toContainText("<script>document.title = 'run'</script>");
  await expect(text).toContainText("U+202E");
  await ben.keyboard.press("Tab");
  await expect(text).toBeFocused();
  await ben.keyboard.press("Tab");
  await expect(pane.getByRole("link", { name: "Download" })).toBeFocused();
  await checkAppearance(ben, "a document as text");
  await expect(ben).not.toHaveTitle("run");
});

test("a document that the server does not have says so, and a site is opened by consent alone", async ({
  ola,
  ben,
}) => {
  await askAboutExpense(ola, ben);
  const pane = requestPane(ben);
  await pane.getByRole("button", { name: "View receipt-9.png" }).click();
  await expect(pane.getByText("The server does not have this document")).toBeVisible(SOON);
  await expect(pane.getByRole("button", { name: "Try again" })).toBeVisible();
  await pane.getByRole("button", { name: "Hide receipt-9.png" }).click();

  await pane.getByRole("button", { name: "View Travel policy" }).click();
  await expect(pane.getByText("The part before @ is not the site")).toBeVisible();
  await expect(pane.getByRole("button", { name: "Open policies.example:8443" })).toBeDisabled();
  await pane.getByRole("checkbox", { name: /I know policies.example/ }).check();
  const link = pane.getByRole("link", { name: "Open policies.example:8443" });
  await expect(link).toHaveAttribute("rel", "noopener noreferrer");
  await checkAppearance(ben, "a document at a site");
  await pane.getByRole("button", { name: "Ask Finance ERP for it" }).click();
  await expect(pane.getByText("The server does not have this document")).toBeVisible(SOON);
});

test("an open document survives what happens to the request meanwhile", async ({ ola, ben }) => {
  const requestId = await askAboutExpense(ola, ben);
  const pane = requestPane(ben);
  await pane.getByRole("button", { name: "View receipt-2.png" }).click();
  const picture = pane.getByRole("img", { name: "Document receipt-2.png" });
  await expect(picture).toBeVisible(SOON);
  expect((await apiOf(ola).write("POST", `/input-requests/${requestId}/claim`, {})).status()).toBe(200);
  await expect(pane.getByText(/Ola/).first()).toBeVisible(SOON);
  await expect(picture).toBeVisible();
});
