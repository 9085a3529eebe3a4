/** A request of every kind, before it is decided. */
import type { Page } from "@playwright/test";
import { ENTRYPOINT_HEADER } from "../../lib/web/hooks/claude-code.ts";
import { beforeTool, rawHook } from "../../test/fixtures/agents/raw-hook.ts";
import type { Kind } from "../fixtures/question-kinds.ts";
import { apiOf, expect, requestPane } from "../fixtures/test.ts";
import type { GalleryFixture } from "./fixture.ts";
import { DARK, LIGHT, ON_PHONE, ON_PHONE_DARK, type Shot } from "./shot.ts";

const ALL_APPEARANCES = [LIGHT, DARK, ON_PHONE, ON_PHONE_DARK];

export async function openInbox(page: Page, requestId: string, query = ""): Promise<void> {
  await page.goto(`/inbox/${requestId}${query}`);
  await expect(requestPane(page).getByRole("heading", { level: 2 }).first()).toBeVisible();
  // On a phone the request fills the screen.
  const wide = (page.viewportSize()?.width ?? 0) >= 768;
  if (wide)
    await expect(page.getByRole("region", { name: "Requests" }).getByRole("link").first()).toBeVisible();
}

const ofTool = (name: string, tool: Kind, more: Partial<Shot> = {}): Shot => ({
  name,
  person: "Ben",
  async open(page, fixture) {
    await openInbox(page, (await fixture.ask(tool)).requestId);
  },
  ...more,
});

/** The question is asked, and something is done before it is looked at. */
const after = (
  name: string,
  tool: Kind,
  work: (fixture: GalleryFixture, asked: { taskId: string; requestId: string }, page: Page) => Promise<void>,
): Shot => ({
  name,
  person: "Ben",
  async open(page, fixture) {
    const asked = await fixture.ask(tool);
    await work(fixture, asked, page);
    await openInbox(page, asked.requestId);
  },
});

/** Claude Code asks before a call, and waits no longer. `goOn`: from the request on. */
const ofHook = (
  name: string,
  tool: string,
  input: Record<string, unknown>,
  goOn = async (_page: Page) => {},
): Shot => ({
  name,
  person: "Ben",
  appearances: ALL_APPEARANCES,
  async open(page, fixture) {
    const { write } = apiOf(fixture.as("Ana"));
    const { secret } = await (await write("POST", "/agent-credentials", { name: "Ana’s laptop" })).json();
    // As `claude -p`, whose requests stay open.
    const how = { timeout: 1, headers: { [ENTRYPOINT_HEADER]: "sdk-cli" } };
    await rawHook(fixture.intray.url, "/hooks/claude-code", secret)(beforeTool(tool, input), how);
    const query = "/input-requests?state=open&q=Claude&limit=200";
    const { items } = await apiOf(fixture.as("Ben")).get<{ items: { id: string; createdAt: string }[] }>(
      query,
    );
    const newest = items.toSorted((a, b) => b.createdAt.localeCompare(a.createdAt))[0];
    await openInbox(page, newest?.id ?? "");
    await goOn(page);
  },
});

export const REQUESTS: Shot[] = [
  ofHook("request command", "Bash", {
    command:
      "export GITHUB_TOKEN=ghp_0123456789Abcdefghijklmnopqrstuvwxyz\ngit tag v2.4.0 && git push origin v2.4.0 \u202e&& make release",
    description: "Tag the release and publish it",
  }),
  ofHook("request file edit", "Edit", {
    file_path: "/home/ana/shop/src/tax.ts",
    old_string: "export function tax(net: number) {\n  return net * 0.19;\n}\n",
    new_string:
      "/** In cents, rounded to even. */\nexport function tax(net: number) {\n  return roundToEven(net * 0.21);\n}\n",
  }),
  ofHook("request file with Windows line ends", "Edit", {
    file_path: "C:\\shop\\Tax.cs",
    old_string: "public static decimal Tax(decimal net)\r\n{\r\n    return net * 0.19m;\r\n}\r\n",
    new_string: "public static decimal Tax(decimal net)\r\n{\r\n    return net * 0.21m;\r\n}\r\n",
  }),
  ofHook(
    "request command approved with changes",
    "Bash",
    { command: "rm -r build", timeout: 1_000 },
    async (page) => {
      await requestPane(page).getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: /^Approve with changes/ }).click();
      await expect(page.getByRole("dialog").getByLabel(/command/i)).toBeVisible();
    },
  ),
  ofHook("request call of a program", "mcp__github__create_issue", {
    repository: "acme/shop",
    title: "Tax is rounded the wrong way",
    labels: ["bug", "finance"],
  }),
  {
    name: "request invoice",
    person: "Ben",
    appearances: ALL_APPEARANCES,
    async open(page, fixture) {
      await openInbox(page, (await fixture.invoice("acme")).requestId);
    },
  },
  {
    name: "request large invoice",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.invoice("large")).requestId);
    },
  },
  ofTool("request one choice", "approve_payment"),
  ofTool("request destructive", "delete_file"),
  ofTool("request confirm only", "deploy"),
  ofTool("request choice and date", "grant_access"),
  ofTool("request three choices", "research"),
  ofTool("request several of", "choose_regions"),
  ofTool("request dates", "schedule"),
  ofTool("request numbers", "import_ledger"),
  ofTool("request long form", "onboard_vendor", { appearances: ALL_APPEARANCES }),
  {
    name: "request form with errors",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("schedule")).requestId);
      const pane = requestPane(page);
      await pane.getByLabel("Contact").fill("not an address");
      await pane.getByRole("button", { name: "Send answer" }).click();
      await expect(pane.getByRole("alert").first()).toBeVisible();
    },
  },
  // Ana connected the server: sites are for her.
  ofTool("request site", "bank_sign_in", { person: "Ana" }),
  ofTool("request site of another", "bank_sign_in"),
  ofTool("request secret", "rotate_key"),
  ofTool("request unsupported", "map_columns"),
  {
    name: "request sums differ",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("approve_payment", { total: 1_100 })).requestId);
    },
  },
  {
    name: "request long message",
    person: "Ben",
    async open(page, fixture) {
      const { taskId, requestId } = await fixture.ask("approve_payment", { invoice_id: "INV-309" });
      const message = Array.from(
        { length: 60 },
        (_, line) =>
          `${line + 1}. Consulting on day ${line + 1}: ${(line + 3) * 41}.50 EUR, as agreed in contract C-${1_000 + line}.`,
      ).join("\n");
      fixture.office.change("approve_payment", {
        message: `Invoice INV-309 has many lines:\n${message}\nShall it be paid?`,
        requestedSchema: { type: "object", properties: {} },
      });
      await fixture.became(requestId, "withdrawn");
      await openInbox(page, await fixture.openIn(taskId));
    },
  },
  after("request claimed by another", "delete_file", async (fixture, { requestId }) => {
    await apiOf(fixture.as("Cleo")).write("POST", `/input-requests/${requestId}/claim`);
  }),
  after("request assigned to me", "deploy", (fixture, { requestId }) => fixture.assign(requestId, "Ben")),
  after("request handed over", "deploy", (fixture, { requestId }) =>
    fixture.assign(requestId, "Ben", "You know this pipeline.\nIs the freeze over?"),
  ),
  {
    name: "hand over",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("deploy")).requestId);
      await requestPane(page).getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Hand over…" }).click();
      await expect(page.getByRole("option").first()).toBeVisible();
    },
  },
  {
    name: "hand over note",
    person: "Ben",
    async open(page, fixture) {
      await openInbox(page, (await fixture.ask("deploy")).requestId);
      await requestPane(page).getByRole("button", { name: "More", exact: true }).click();
      await page.getByRole("menuitem", { name: "Hand over…" }).click();
      await page.getByRole("option", { name: /Cleo/ }).click();
      await expect(page.getByRole("textbox", { name: "Note for Cleo" })).toBeVisible();
    },
  },
  {
    name: "request little time",
    person: "Ben",
    async open(page, fixture) {
      fixture.office.liveFor(25 * 60_000);
      const { requestId } = await fixture.ask("deploy", { build: "4815" });
      fixture.office.liveFor(null);
      await openInbox(page, requestId);
    },
  },
  {
    name: "request changed meanwhile",
    person: "Ben",
    async open(page, fixture) {
      const { requestId } = await fixture.ask("research", { topic: "Solar roofs" });
      await openInbox(page, requestId);
      fixture.office.change("research", {
        message: "Which question about solar roofs is the first?",
        requestedSchema: { type: "object", properties: { question: { type: "string", title: "Question" } } },
      });
      await fixture.became(requestId, "withdrawn");
      await expect(
        requestPane(page)
          .getByText(/changed|another question|something else|no longer/i)
          .first(),
      ).toBeVisible();
    },
  },
  {
    name: "request replaced another",
    person: "Ben",
    async open(page, fixture) {
      const { taskId, requestId } = await fixture.ask("deploy", { build: "4816" });
      fixture.office.change("deploy", {
        message: "Promote build 4817 to production? One of 1,204 tests has failed.",
        requestedSchema: { type: "object", properties: {} },
      });
      await fixture.became(requestId, "withdrawn");
      await openInbox(page, await fixture.openIn(taskId));
    },
  },
  {
    name: "request keeps changing",
    person: "Ben",
    appearances: ALL_APPEARANCES,
    async open(page, fixture) {
      const { taskId, requestId } = await fixture.ask("deploy", { build: "4818" });
      const left = (seconds: number) =>
        fixture.office.change("deploy", {
          message: `Promote build 4818 to production? The window closes in ${seconds} seconds.`,
          requestedSchema: { type: "object", properties: {} },
        });
      left(58);
      await fixture.became(requestId, "withdrawn");
      const restless = await fixture.openIn(taskId);
      left(56);
      const rewordedAt = async () => {
        await fixture.became(restless, "open");
        return (
          await apiOf(fixture.as("Ola")).get<{ rewordedAt: string | null }>(`/input-requests/${restless}`)
        ).rewordedAt;
      };
      await expect.poll(rewordedAt, { timeout: 60_000 }).not.toBeNull();
      await openInbox(page, restless);
      await expect(requestPane(page).getByText("keeps changing this question")).toBeVisible();
    },
  },
];
