/** What a browser is told to refuse on our behalf, and that it does. */
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page, Route } from "@playwright/test";
import { apiOf, askAbout, expect, openPageAs, requestPane, test } from "./fixtures/test.ts";

const url = () => process.env.E2E_URL ?? "";

interface Violation {
  directive: string;
  blocked: string;
  page: string;
}

/** Gathers what the policy refused on every page that is opened from now on. */
async function collectViolations(page: Page): Promise<Violation[]> {
  const found: Violation[] = [];
  await page.exposeFunction("reportViolation", (violation: Violation) => found.push(violation));
  await page.addInitScript(() =>
    addEventListener("securitypolicyviolation", (event) =>
      (window as unknown as { reportViolation(violation: object): void }).reportViolation({
        directive: event.effectiveDirective,
        blocked: event.blockedURI,
        page: location.pathname,
      }),
    ),
  );
  return found;
}

test("every page works within its policy", async ({ ola, ana }) => {
  const { requestId, taskId } = await askAbout(ola, ana);
  const violations = await collectViolations(ana);
  const waiting = ["/", `/inbox/${requestId}`, `/tasks/${taskId}`, "/tasks/new", "/sign-in", "/nothing-here"];
  const seen = new Set<string>();
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    // One page of a kind is enough.
    const kind = path.replace(/[?#].*/, "").replaceAll(/[0-9a-f-]{36}/g, ":id");
    if (seen.has(kind)) continue;
    seen.add(kind);
    await ana.goto(path);
    await expect(ana.locator("h1, h2").first()).toBeVisible();
    const links = await ana
      .locator("a[href^='/']")
      .evaluateAll((all) => all.map((a) => a.getAttribute("href") ?? ""));
    waiting.push(...links.filter((link) => !link.startsWith("/api/")));
  }
  expect([...seen]).toEqual(expect.arrayContaining(["/inbox", "/tasks", "/servers", "/settings/appearance"]));

  // Packages add styles to a page for dialogs that lock scrolling, menus and toasts.
  await ana.goto(`/inbox/${requestId}`);
  const pane = requestPane(ana);
  await expect(pane.getByRole("heading", { level: 2 }).first()).toBeVisible();
  await ana.keyboard.press("ControlOrMeta+k");
  await expect(ana.getByRole("combobox", { name: "Search and commands" })).toBeFocused();
  await ana.keyboard.press("Escape");
  await ana.keyboard.press("c");
  await expect(pane.getByText(/claimed|yours/i).first()).toBeVisible();
  await ana.goto("/tasks/new");
  await expect(ana.locator("h1, h2").first()).toBeVisible();
  expect(violations).toEqual([]);
});

test("what is put into a page does not run, load, or look like a part of it", async ({ browser }) => {
  const ola = await openPageAs(browser, "Ola");
  const violations = await collectViolations(ola);
  const put = async (route: Route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(
      "</body>",
      `<script>window.ran = "script"</script><img src="x" onerror="window.ran = 'handler'">
       <script src="https://evil.example/x.js"></script><img src="https://evil.example/x.png">
       <style>body { display: none }</style><iframe src="https://evil.example/"></iframe>
       <a id="run" href="javascript:window.ran = 'link'">run</a></body>`,
    );
    await route.fulfill({ response, body });
  };
  await ola.route(/\/\/[^/]+\/tasks$/, put, { times: 1 });
  await ola.goto("/tasks");
  await expect(ola.locator("body")).toBeVisible();
  await ola.evaluate(() => document.getElementById("run")?.click());
  await expect
    .poll(() => new Set(violations.map(({ directive }) => directive)))
    .toEqual(new Set(["script-src-elem", "script-src-attr", "img-src", "style-src-elem", "frame-src"]));
  expect(await ola.evaluate(() => (window as { ran?: string }).ran)).toBeUndefined();
  await ola.context().close();
});

test("another site can neither frame a page nor write with the cookie that comes along", async ({
  ola,
  browser,
}) => {
  // The same host on another port: the same site to a browser, so that it sends the cookie.
  const elsewhere = createServer((_, response) => {
    response.setHeader("content-type", "text/html").end(`<iframe src="${url()}/tasks"></iframe>`);
  });
  await new Promise<void>((resolve) => elsewhere.listen(0, "localhost", resolve));
  try {
    const context = await browser.newContext({ storageState: await ola.context().storageState() });
    const page = await context.newPage();
    const refused = page.waitForEvent("console", (message) => message.text().includes("frame-ancestors"));
    await page.goto(`http://localhost:${(elsewhere.address() as AddressInfo).port}/`);
    await refused;
    // What stands in the frame is the browser's own page, which may have a heading of its own.
    await expect.poll(() => page.frames()[1]?.url()).toBe("chrome-error://chromewebdata/");

    const names = async () => (await apiOf(ola).get<{ items: unknown[] }>("/views")).items.length;
    const before = await names();
    const answer = page.waitForResponse(`${url()}/api/v1/views`);
    await page.evaluate((action) => {
      const form = document.createElement("form");
      Object.assign(form, { method: "POST", action, enctype: "text/plain" });
      const field = Object.assign(document.createElement("input"), {
        name: '{"page":"inbox","query":{},"name":"',
        value: '"}',
      });
      form.append(field);
      document.body.append(form);
      form.submit();
    }, `${url()}/api/v1/views`);
    const response = await answer;
    expect(await response.json()).toMatchObject({ status: 403, code: "cross_site" });
    expect((await response.request().allHeaders()).cookie, "the cookie came along").toContain(
      "session-token",
    );
    expect(await names()).toBe(before);
    await context.close();
  } finally {
    elsewhere.close();
  }
});

test("pages, calls and files say what a browser may do with them", { tag: "@journey" }, async ({ ola }) => {
  await ola.goto("/tasks");
  const script = await ola.locator("script[src^='/_next/']").first().getAttribute("src");
  const common = { "x-content-type-options": "nosniff", "cross-origin-resource-policy": "same-origin" };
  const policies: [string, string[], object?][] = [
    [
      "/tasks",
      ["script-src 'self' 'nonce-", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'"],
    ],
    ["/sign-in", ["default-src 'none'", "frame-ancestors 'none'"]],
    ["/nothing-here", ["default-src 'none'", "frame-ancestors 'none'"]],
    ["/api/v1/me", ["default-src 'none'; frame-ancestors 'none'"], { "cache-control": "no-store" }],
    ["/api/v1/nothing", ["default-src 'none'; frame-ancestors 'none'"], { "cache-control": "no-store" }],
    ["/api/auth/csrf", ["default-src 'none'; frame-ancestors 'none'"]],
    ["/healthz", ["default-src 'none'; frame-ancestors 'none'"]],
    [script ?? "", []],
    ["/samples/invoice-acme.json", []],
    ...[
      "/inbox/x.html",
      "/x.html",
      "/tasks/none.png",
      "/_next/none.html",
      "/samples/none.html",
      "/icon-none.png",
      "/iconic/x",
      "/oauth/none.html",
    ].map((path): [string, string[], object] => [
      path,
      ["default-src 'none'", "frame-ancestors 'none'"],
      { "x-frame-options": "DENY" },
    ]),
  ];
  for (const [path, parts, more] of policies) {
    const headers = (await ola.request.get(path)).headers();
    expect(headers, path).toMatchObject({ ...common, ...more });
    for (const part of parts) expect(headers["content-security-policy"], path).toContain(part);
    expect(headers["content-security-policy"] ?? "", path).not.toMatch(/script-src[^;]*unsafe/);
    // HSTS over http would lock people out.
    expect(headers["strict-transport-security"], path).toBeUndefined();
    expect(headers["x-powered-by"], path).toBeUndefined();
    // No other site reads an answer.
    expect(headers["access-control-allow-origin"], path).toBeUndefined();
  }
  const nonces = await Promise.all([ola.request.get("/tasks"), ola.request.get("/tasks")]);
  const [one, other] = nonces.map((response) => response.headers()["content-security-policy"]);
  expect(one).not.toBe(other);
});

test("texts say their encoding, and nothing that someone is shown is kept", async ({ playwright }) => {
  const ola = await playwright.request.newContext({ baseURL: url() });
  const { csrfToken } = await (await ola.get("/api/auth/csrf")).json();
  await ola.post("/api/auth/callback/demo", { form: { email: "ola@acme.example", csrfToken, json: "true" } });
  expect((await (await ola.get("/api/v1/me")).json()).user.name).toBe("Ola");

  const page = await (await ola.get("/tasks")).text();
  const files = [/"(\/_next\/[^"]+\.js)"/, /"(\/_next\/[^"]+\.css)"/].map(
    (file) => file.exec(page)?.[1] ?? "",
  );
  const pages = ["/tasks", "/inbox", "/settings/security", "/sign-in", "/nothing-here"];
  for (const path of [...pages, ...files, "/robots.txt"])
    expect((await ola.get(path)).headers()["content-type"], path).toMatch(/; ?charset=utf-8$/i);
  const calls = ["/api/v1/me", "/api/v1/tasks", "/api/v1/nothing", "/api/auth/csrf", "/healthz"];
  for (const path of calls)
    expect((await ola.get(path)).headers()["content-type"], path).toMatch(/^application\/(problem\+)?json/);
  for (const path of [...pages, ...calls])
    expect((await ola.get(path)).headers()["cache-control"], path).toContain("no-store");
  await ola.dispose();
});

test("nothing of the folder that it runs in is served", async () => {
  for (const path of [
    "/.git/config",
    "/.git/HEAD",
    "/.env",
    "/.data/secrets.json",
    "/package.json",
    "/next.config.js",
    "/lib/base/env.ts",
    "/samples/",
    "/samples",
    "/_next/",
    "/_next/static/",
    "/_next/../package.json",
    "/samples/..%2f..%2fpackage.json",
    "/_next/static/..%2f..%2f..%2fpackage.json",
  ]) {
    const { status, body } = await ask(path, {});
    expect(status, path).not.toBe(200);
    expect(body, path).not.toMatch(/dependencies|\[core\]|refs\/heads|invoice-acme|setupToken|process\.env/);
  }
});

test("TRACE is answered with nothing that was sent", async () => {
  const paths = ["/", "/sign-in", "/api/v1/me", "/api/auth/csrf", "/healthz", "/samples/invoice-acme.json"];
  for (const path of paths) {
    const { status, body } = await ask(path, { "x-told": "tr4ced" }, "TRACE");
    expect(`${path} ${status}`).toBe(`${path} 405`);
    expect(body, path).not.toContain("tr4ced");
  }
});

test("a body that nobody reads is refused before it comes", async () => {
  const refusals: [string, number][] = [
    ...["/", "/sign-in", "/inbox", "/_next/static/a.js"].map((path): [string, number] => [path, 405]),
    ["/api/auth/callback/password", 413],
    ["/api/auth/signin/email", 413],
  ];
  for (const [path, refused] of refusals) {
    const { status } = await ask(path, { "content-length": "9000000" }, "POST");
    expect(`${path} ${status}`).toBe(`${path} ${refused}`);
  }
});

test("a Host that is another's leads nobody there", async () => {
  for (const path of [
    "/",
    "/inbox",
    "/sign-in",
    "/api/auth/signin",
    "/api/auth/providers",
    "/api/v1/openapi.json",
  ])
    for (const headers of FORGED) {
      const { location, body } = await ask(path, headers);
      expect(`${location}\n${body}`, `${path} ${JSON.stringify(headers)}`).not.toContain("evil.example");
    }
});

const FORGED: Record<string, string>[] = [
  { host: "evil.example" },
  { "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" },
];

interface Reply {
  status: number;
  location: string;
  body: string;
}

/**
 * A request whose Host, path and method the browser would not let us choose. On a connection of its own: a body that is announced
 * and never sent would swallow the next request.
 */
function ask(path: string, headers: Record<string, string>, method = "GET"): Promise<Reply> {
  const { hostname, port } = new URL(url());
  return new Promise((resolve, reject) => {
    const sent = httpRequest({ hostname, port, path, headers, method, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => (body += text));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? "", body }),
      );
    });
    sent.on("error", reject).end();
  });
}
