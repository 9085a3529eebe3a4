/** From the demonstration to an installation of one's own, and never back: by nobody but who has its token. */
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import type { Browser, Page } from "@playwright/test";
import { checkAppearance } from "./fixtures/appearance.ts";
import { type Intray, ownPort, startIntray } from "./fixtures/intray.ts";
import { type QuestionServer, startQuestionServer } from "./fixtures/question-server.ts";
import { expect, SOON, tabTo, test } from "./fixtures/test.ts";

const OWNER = { name: "Dana", email: "dana@example.com", password: "correct horse battery" };

test.describe.configure({ mode: "serial" });

let intray: Intray;
let questions: QuestionServer;
/** Allowed, and nothing listens there. */
let deadUrl: string;
/** As `npm start` has printed it: with the token behind a #. */
let printed: URL;
let token: string;

test.beforeAll(async () => {
  questions = await startQuestionServer();
  const dead = `127.0.0.1:${await ownPort()}`;
  deadUrl = `http://${dead}/mcp`;
  intray = await startIntray({ INTRAY_ALLOW_HOSTS: `${questions.hostAndPort},${dead}` });
  const address = () => /http:\S+\/setup#token=\S+/.exec(intray.errors().join("\n"))?.[0];
  // It is ready a moment before it says so.
  await expect.poll(address).toBeTruthy();
  printed = new URL(address() ?? "");
  token = new URLSearchParams(printed.hash.slice(1)).get("token") ?? "";
});
test.afterAll(async () => {
  await intray.stop();
  await questions.close();
});

const open = async (browser: Browser) => (await browser.newContext({ baseURL: intray.url })).newPage();

test.describe("nobody comes into the demonstration through a proxy", () => {
  const ANA = "ana@acme.example";
  test("but from this machine they do", async () => {
    expect((await ask("/sign-in")).body).toContain(ANA);
    expect(await demoSignIn({})).toBe("in");
    expect(await raw("GET /sign-in HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")).toContain(ANA);
  });

  const OF_PROXIES: Record<string, string>[] = [
    { "X-Forwarded-For": "203.0.113.7" },
    { "X-Forwarded-For": "127.0.0.1" },
    { "X-Forwarded-For": "" },
    { "X-Forwarded-Host": "localhost" },
    { "X-Forwarded-Proto": "https" },
    { Forwarded: "for=203.0.113.7;host=intray.example" },
    { Via: "1.1 proxy" },
    { "X-Real-IP": "127.0.0.1" },
    { "CF-Connecting-IP": "203.0.113.7" },
    { "True-Client-IP": "203.0.113.7" },
    { "Fly-Client-IP": "203.0.113.7" },
    { "X-Amzn-Trace-Id": "Root=1" },
    { "Tailscale-User-Login": "mallory@example.com" },
    { "X-Intray-Direct": "1" },
    { Origin: "https://intray.example" },
    { Host: "intray.example" },
    { Host: "localhost.intray.example" },
  ];
  for (const headers of OF_PROXIES)
    test(JSON.stringify(headers), async () => {
      const page = await ask("/sign-in", { headers });
      expect(page.body).not.toContain(ANA);
      expect(await demoSignIn(headers)).toBe("refused");
    });

  for (const [what, line, host] of [
    ["HTTP/1.0", "GET /sign-in HTTP/1.0", "localhost"],
    ["an absolute target", "GET http://localhost/sign-in HTTP/1.1", "localhost"],
    ["a second Host", "GET /sign-in HTTP/1.1", "localhost\r\nHost: intray.example"],
    ["an underscore", "GET /sign-in HTTP/1.1", "localhost\r\nX_Forwarded_For: 203.0.113.7"],
  ] as const)
    test(what, async () => {
      const answer = await raw(`${line}\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1\.1 \d/);
      expect(answer).not.toContain(ANA);
    });
});

test("a stranger does not set Intray up", async ({ browser }) => {
  const body = { organizationName: "Initech", ...OWNER };
  for (const guess of ["", "x".repeat(29), token.slice(0, -1), `${token}x`, token.toUpperCase()]) {
    const headers = { "content-type": "application/json" };
    const answer = await ask("/api/setup", {
      method: "POST",
      headers,
      body: JSON.stringify({ ...body, token: guess }),
    });
    expect([answer.status, JSON.parse(answer.body).errors[0].field]).toEqual([guess ? 403 : 422, "token"]);
    expect(answer.body).not.toContain(token);
  }
  for (const path of ["/setup", "/sign-in", "/api/v1/openapi.json", "/api/auth/providers", "/readyz"])
    expect((await ask(path)).body).not.toContain(token);
  // Behind a proxy there is no demonstration, and the form asks for the token all the same.
  const behind = await ask("/setup", { headers: { "X-Forwarded-For": "203.0.113.7" } });
  expect(behind.body).toContain("Setup token");

  const page = await open(browser);
  await page.goto("/sign-in");
  await page.getByRole("link", { name: "Set Intray up" }).click();
  await fillIn(page, { token: "a stranger's guess" });
  await expect(page.getByLabel("Setup token")).toHaveAccessibleDescription(/not the setup token/);
  await expect(page.getByLabel("Setup token")).toBeFocused();
  await checkAppearance(page, "setup, wrong token");
  await page.goto("/sign-in");
  await expect(page.getByRole("button", { name: /^Ola\b/ })).toBeVisible();
  await page.context().close();
});

test("setting up makes the first owner, ends the demonstration, and leads to the first steps", {
  tag: ["@journey", "@first"],
}, async ({ browser }) => {
  const demo = await open(browser);
  await demo.goto("/sign-in");
  await demo.getByRole("button", { name: /^Ola\b/ }).click();
  await expect(demo).toHaveURL(/\/tasks$/);
  const key = await intray.command("key", "create", "--org", "acme", "--role", "viewer");
  const withKey = async () =>
    (await fetch(`${intray.url}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } })).status;
  expect(await withKey()).toBe(200);

  const page = await open(browser);
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url(), request.headers().referer ?? ""));
  await page.goto(printed.href);
  await expect(page.getByLabel("Setup token")).toHaveValue(token);
  await expect(page).toHaveURL(`${intray.url}/setup`);
  await checkAppearance(page, "setup, token of the address");
  await fillIn(page, { password: "short" });
  await expect(page.getByLabel("Password")).toHaveAttribute("aria-invalid", "true");
  await tabTo(page, page.getByLabel("Password"));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.type(OWNER.password);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(`${intray.url}/get-started`, SOON);
  await expect(page.getByRole("heading", { level: 1, name: "Get started" })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Main" })).toContainText("Initech");
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();
  // Browsers send no fragment to servers; the first check proves that requests were recorded.
  expect(asked).toContain(`${intray.url}/api/setup`);
  expect(asked.filter((address) => address.includes(token))).toEqual([]);

  const late = { method: "POST", headers: { "content-type": "application/json" } };
  const again = await ask("/api/setup", {
    ...late,
    body: JSON.stringify({ token, organizationName: "Mallory", ...OWNER, email: "mallory@example.com" }),
  });
  expect([again.status, JSON.parse(again.body).code]).toEqual([409, "already_set_up"]);

  expect(await withKey()).toBe(401);
  expect((await demo.request.get("/api/v1/me")).status()).toBe(401);
  await demo.goto("/tasks");
  await expect(demo).toHaveURL(/\/sign-in/);
  await expectNoDemo(demo);
  await demo.goto("/setup");
  await expect(demo).toHaveURL(/\/sign-in/);

  await page.getByRole("button", { name: "Dana: account and appearance" }).click();
  const cookies = await page.context().cookies();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  // The session is over on the server too, not only forgotten by this browser.
  await page.context().addCookies(cookies);
  expect((await page.request.get("/api/v1/me")).status()).toBe(401);
  await page.context().clearCookies();

  await signIn(page, OWNER.email, "wrong horse battery");
  await expect(page.getByRole("alert").filter({ hasText: /password/i })).toBeVisible();
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, OWNER.email, OWNER.password);
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();
  for (const each of [demo, page]) await each.context().close();
});

test("the first steps are done by doing them", { tag: "@journey" }, async ({ browser }) => {
  const page = await open(browser);
  await signIn(page, OWNER.email, OWNER.password);
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();
  const inNavigation = page
    .getByRole("navigation", { name: "Main" })
    .getByRole("link", { name: "Get started" });
  await inNavigation.click();
  const step = (name: string) => page.getByRole("main").getByRole("region", { name });
  const server = step("Connect a server");
  await expect(server).toBeVisible();
  await checkAppearance(page, "get started, nothing done");

  const paste = async (what: string) => {
    await server.getByLabel("Address or mcpServers JSON").fill(what);
    await tabTo(page, server.getByRole("button", { name: "Continue" }));
    await page.keyboard.press("Enter");
  };
  await paste("the finance server");
  await expect(server.getByLabel("Address or mcpServers JSON")).toHaveAccessibleDescription(
    /neither an address/,
  );
  await expect(server.getByLabel("Address or mcpServers JSON")).toBeFocused();
  await paste("http://127.0.0.1:1/mcp");
  await expect(server.getByRole("alert")).toContainText("private network");
  await paste(deadUrl);
  await expect(server.getByText("Unreachable")).toBeVisible(SOON);
  await expect(server.getByRole("alert")).toContainText("INTRAY_ALLOW_HOSTS=");
  await checkAppearance(page, "get started, a server that does not answer");
  expect(await steps(page)).toEqual({
    agent: "open",
    server: "open",
    task: "open",
    invitation: "open",
  });
  await server.getByRole("button", { name: "Remove it and start over" }).click();
  await expect(server.getByText("Unreachable")).toBeHidden();

  await paste(
    JSON.stringify({
      mcpServers: {
        Questions: { type: "http", url: questions.url, headers: { Authorization: "Bearer sesame-sesame" } },
        files: { command: "npx", args: ["-y", "files"] },
        keyed: { url: "https://keyed.example/mcp", headers: { "X-Api-Key": "sesame-sesame" } },
      },
    }),
  );
  await expect(server.getByText("files is a command")).toBeVisible();
  // A pasted configuration may contain tokens.
  await expect(server.getByLabel("Address or mcpServers JSON")).toHaveValue("");
  await expect(server.getByText("INTRAY_SERVERS_FILE")).toBeVisible();
  await expect(server.getByText("keyed cannot be connected from here")).toBeVisible();
  await checkAppearance(page, "get started, a block");
  await server.getByRole("button", { name: "Connect Questions" }).click();
  await expect(server.getByRole("heading", { name: /Approve a payment/ })).toBeVisible(SOON);
  await expect(server.getByText("Done", { exact: true })).toBeVisible();
  await checkAppearance(page, "get started, one done");

  await step("Start a task").getByRole("link", { name: "New task" }).click();
  await page.goto("/tasks/new?tool=delete_file");
  await page.getByRole("tab", { name: "JSON" }).click();
  await page.getByRole("textbox", { name: "Arguments" }).fill(JSON.stringify({ filename: "old.csv" }));
  await page.getByRole("button", { name: "Start task" }).click();
  await expect(page).toHaveURL(/\/tasks\/[0-9a-f-]{36}$/, SOON);
  await inNavigation.click();
  await expect(step("Start a task").getByText("Done", { exact: true })).toBeVisible();

  // The first step is an agent. A skipped step is not done, and can be resumed.
  await expect(page.getByRole("main").getByRole("region").first()).toHaveAccessibleName(/^Connect an agent/);
  await step("Connect an agent").getByRole("button", { name: "Skip: Connect an agent" }).click();
  const invite = step("Invite somebody");
  await invite.getByRole("button", { name: "Skip: Invite somebody" }).click();
  await expect(page.getByText("Initech is ready")).toBeVisible();
  await expect(inNavigation).toBeHidden();
  await page.reload();
  await expect(invite.getByText("Skipped", { exact: true })).toBeVisible();
  await checkAppearance(page, "get started, one skipped");
  await invite.getByRole("button", { name: "Undo skip: Invite somebody" }).click();
  await expect(page.getByText("Initech is ready")).toBeHidden();
  await expect(inNavigation).toBeVisible();

  await invite.getByRole("button", { name: "Invite…" }).click();
  await page.getByLabel("E-mail").fill("vera@example.com");
  await page.getByRole("dialog").getByLabel("Role").selectOption("viewer");
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const link = await page.getByRole("textbox", { name: "Link for vera@example.com" }).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  await expect(page.getByText("Initech is ready")).toBeVisible();
  expect(await steps(page)).toEqual({
    agent: "skipped",
    server: "done",
    task: "done",
    invitation: "done",
  });
  await checkAppearance(page, "get started, all done");
  await page.getByRole("link", { name: "Go to the inbox" }).click();
  await expect(page).toHaveURL(/\/inbox/);
  await expect(inNavigation).toBeHidden();

  // Viewers get no first steps.
  const vera = await open(browser);
  await vera.goto(link);
  await vera.getByLabel("Your name").fill("Vera");
  await vera.getByLabel("Password").fill(OWNER.password);
  await vera.getByRole("button", { name: /^(Join|Make)/ }).click();
  await expect(vera.getByRole("button", { name: "Vera: account and appearance" })).toBeVisible(SOON);
  await vera.goto("/get-started");
  await expect(vera.getByText("Only admins can set up an organization.")).toBeVisible();
  expect((await vera.request.get("/api/v1/onboarding")).status()).toBe(403);
  for (const each of [page, vera]) await each.context().close();
});

test("a server of this machine is allowed by one press, without a restart, and no longer once it is removed", async ({
  browser,
}) => {
  const mine = await startQuestionServer();
  const host = mine.hostAndPort.replace("127.0.0.1", "localhost");
  const page = await open(browser);
  await signIn(page, OWNER.email, OWNER.password);
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();
  await page.goto("/servers");
  await page.getByRole("button", { name: "Connect server" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Address").fill(`http://${host}/mcp`);
  await dialog.getByRole("button", { name: "Continue" }).click();
  const allow = dialog.getByRole("button", { name: `Allow ${host}` });
  await expect(allow).toBeVisible(SOON);
  await checkAppearance(page, "an address that can be allowed");
  await allow.click();
  await expect(dialog.getByText("The server answers.")).toBeVisible(SOON);
  await dialog.getByRole("button", { name: "Connect", exact: true }).click();
  await expect(page).toHaveURL(/\/servers\/[0-9a-f-]{36}$/, SOON);
  // The engine calls it too.
  const started = await page.request.post("/api/v1/tasks", {
    data: { serverId: page.url().split("/").at(-1), tool: "delete_file", arguments: { filename: "old.csv" } },
    headers: { origin: intray.url },
  });
  expect(started.status()).toBe(201);
  const { id } = await started.json();
  const state = async () => (await (await page.request.get(`/api/v1/tasks/${id}`)).json()).state;
  await expect.poll(state, { timeout: 60_000 }).toBe("input_required");

  await page.goto("/settings/organization");
  await page.getByRole("button", { name: `Remove ${host}` }).click();
  await expect(page.getByRole("region", { name: "Private addresses" })).toContainText("None.");
  await page.goto("/activity");
  await expect(page.getByText(`Dana allowed Intray to call ${host}`)).toBeVisible();
  await expect(page.getByText(`Dana stopped allowing Intray to call ${host}`)).toBeVisible();
  await page.context().close();
  await mine.close();
});

test("a password link works once, and a second start shows no demonstration and no token", async ({
  browser,
}) => {
  const [page, late] = [await open(browser), await open(browser)];
  const link = await intray.command(
    "user",
    "create",
    "otto@example.com",
    "--org",
    "initech",
    "--role",
    "viewer",
  );
  for (const each of [page, late]) {
    await each.goto(link);
    await expect(each.getByLabel("New password")).toBeVisible();
  }
  await page.getByLabel("New password").fill(OWNER.password);
  await page.getByRole("button", { name: "Save password" }).click();
  await expect(page).toHaveURL(/\/sign-in/);
  await signIn(page, "otto@example.com", OWNER.password);
  await expect(page.getByRole("button", { name: "Otto: account and appearance" })).toBeVisible();
  await late.getByLabel("New password").fill("another horse battery");
  await late.getByRole("button", { name: "Save password" }).click();
  await expect(late.getByText("This link was used or has expired")).toBeVisible();
  await late.goto(link);
  await expect(late.getByRole("heading", { name: "This link no longer works" })).toBeVisible();

  const before = intray.errors().length;
  await intray.restart();
  await expect.poll(() => intray.errors().slice(before).join("\n")).toContain("Intray is ready");
  expect(intray.errors().slice(before).join("\n")).not.toContain(token);
  await late.goto("/sign-in");
  await expectNoDemo(late);
  await page.goto("/servers");
  await expect(page.getByRole("link", { name: "Questions" })).toBeVisible();
  for (const each of [page, late]) await each.context().close();
});

test("a sandbox organization has the sample servers, now and after a restart, and the real one has nothing of it", async ({
  browser,
}) => {
  const page = await open(browser);
  await signIn(page, OWNER.email, OWNER.password);
  await expect(page.getByRole("button", { name: "Dana: account and appearance" })).toBeVisible();
  const servers = async () => {
    const { items } = await (await page.request.get("/api/v1/servers")).json();
    return items.map(({ name }: { name: string }) => name);
  };
  const before = await servers();
  await page.goto("/get-started");
  const sandbox = page.getByRole("main").getByRole("region", { name: "Sandbox" });
  await checkAppearance(page, "get started, without a sandbox");
  await sandbox.getByRole("button", { name: "Try it in a sandbox organization" }).click();
  const go = sandbox.getByRole("button", { name: "Go to the sandbox" });
  await expect(go).toBeVisible();
  await checkAppearance(page, "get started, with a sandbox");
  await go.click();
  const switchAway = page.getByRole("button", { name: "Sandbox: switch organization" });
  await expect(switchAway).toBeVisible();
  expect((await servers()).sort()).toEqual(["Accounts payable", "Finance ERP"]);

  await page.goto("/tasks/new?tool=process_invoice");
  await page.getByLabel("Server").selectOption({ label: "Finance ERP" });
  await page.getByRole("button", { name: "Fill in the sample invoice" }).click();
  await expect(page.getByLabel("Customer")).toHaveValue("ACME Corp");
  await page.getByRole("button", { name: "Start task" }).click();
  await expect(page).toHaveURL(/\/tasks\/[0-9a-f-]{36}$/);
  const id = page.url().split("/").at(-1);
  const state = async () => (await (await page.request.get(`/api/v1/tasks/${id}`)).json()).state;
  await expect.poll(state).toBe("input_required");

  await intray.restart();
  await page.goto("/inbox?tab=all");
  await page.getByRole("region", { name: "Requests" }).getByRole("link").first().click();
  await page
    .getByRole("button", { name: /^Approve/ })
    .last()
    .click();
  await expect.poll(state).not.toBe("input_required");

  await switchAway.click();
  await page.getByRole("menuitemradio", { name: "Initech" }).click();
  await expect(page.getByRole("button", { name: "Initech: switch organization" })).toBeVisible();
  expect(await servers()).toEqual(before);
  expect((await page.request.get(`/api/v1/tasks/${id}`)).status()).toBe(404);
  await page.context().close();
});

/** The form, by the keyboard alone; a field that is not named keeps what it has, or gets the owner's. */
async function fillIn(page: Page, given: { token?: string; password?: string }): Promise<void> {
  // Keys count once the page's scripts run.
  await expect(page.getByRole("button", { name: "Set up" })).toBeEnabled();
  for (const [label, value] of [
    ["Setup token", given.token],
    ["Organization", "Initech"],
    ["Your name", OWNER.name],
    ["E-mail", OWNER.email],
    ["Password", given.password ?? OWNER.password],
  ] as const) {
    if (value === undefined) continue;
    await tabTo(page, page.getByLabel(label));
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.type(value);
  }
  await tabTo(page, page.getByRole("button", { name: "Set up" }));
  await page.keyboard.press("Enter");
}

async function steps(page: Page): Promise<unknown> {
  return (await page.request.get("/api/v1/onboarding")).json();
}

async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.goto("/sign-in");
  await page.getByLabel("E-mail").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function expectNoDemo(page: Page): Promise<void> {
  await expect(page.getByLabel("Password")).toBeVisible();
  await expect(page.getByRole("button", { name: /^Ola\b/ })).toHaveCount(0);
}

/** A request as any program sends it: with these headers, Host too, and no cookie of its own. */
async function ask(
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; headers: IncomingHttpHeaders; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${intray.url}${path}`, { method, headers, agent: false }, (response) => {
      text(response).then(
        (body) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }),
        reject,
      );
    });
    sent.on("error", reject).end(body);
  });
}

/** Signs in as Ana the way the page does, every step with these headers; `Host` and `Origin` on the last one. */
async function demoSignIn(headers: Record<string, string>): Promise<"in" | "refused"> {
  const csrf = await ask("/api/auth/csrf");
  const { csrfToken } = JSON.parse(csrf.body);
  const cookie = (csrf.headers["set-cookie"] ?? []).map((line) => line.split(";")[0]).join("; ");
  const answer = await ask("/api/auth/callback/demo", {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", cookie, ...headers },
    body: new URLSearchParams({ csrfToken, email: "ana@acme.example", json: "true" }).toString(),
  });
  const session = (answer.headers["set-cookie"] ?? []).some((line) => /session-token=./.test(line));
  if (session) return "in";
  expect(answer.status).toBe(401);
  return "refused";
}

/** Bytes, and what was answered to them. */
async function raw(bytes: string): Promise<string> {
  const { hostname, port } = new URL(intray.url);
  const socket = connect(Number(port), hostname);
  socket.write(bytes);
  return text(socket);
}
