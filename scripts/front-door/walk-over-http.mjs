/** The product's job as a program does it over HTTP. Imports nothing that has to be installed. */
import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";

/** Longer than a slow and busy machine needs to move a task on. */
const PATIENCE_MS = 180_000;

/** Ola starts an invoice, Ben approves it, and it is paid. `url`: of an Intray in demo mode. */
export async function walkOverHttp(url) {
  assert.equal((await fetch(`${url}/healthz`)).status, 200);
  assert.equal((await fetch(`${url}/api/v1/me`)).status, 401);
  const front = await fetch(url, { redirect: "manual" });
  assert.match(front.headers.get("location") ?? "", /\/sign-in/);
  assert.match(await (await fetch(`${url}/sign-in`)).text(), /\bBen\b/);

  const ola = await signIn(url, "ola@acme.example");
  const ben = await signIn(url, "ben@acme.example");
  const { items: servers } = await ola.get("/servers");
  const server = servers.find(({ name }) => name === "Finance ERP");
  assert.ok(server, "there is no server of the demonstration");
  const invoice = {
    invoice_id: `INV-${Date.now().toString(36).toUpperCase()}`,
    customer: "ACME Corp",
    lines: [{ description: "Widget A", amount: 100, due_date: "2024-06-30T00:00:00Z" }],
  };
  const task = await ola.post("/tasks", {
    serverId: server.id,
    tool: "process_invoice",
    arguments: { invoice },
  });
  const request = await until("it asks", async () => {
    const { items } = await ben.get(`/input-requests?state=open&taskId=${task.id}`);
    return items[0];
  });
  const { questionHash } = await ben.get(`/input-requests/${request.id}`);
  const answer = { action: "accept", content: { value: "approve" }, questionHash };
  await ben.post(`/input-requests/${request.id}/answer`, answer);
  const end = await until("it ends", async () => {
    const { state, outcome } = await ola.get(`/tasks/${task.id}`);
    return state === "completed" && { outcome };
  });
  assert.match(JSON.stringify(end.outcome), /PAID/);
}

/** Signs in by the demonstration's one click; returns a function that makes calls with the session. */
async function signIn(url, email) {
  const cookies = new Map();
  const call = async (path, options = {}) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const headers = { ...options.headers, cookie, origin: url };
    const response = await fetch(`${url}${path}`, { redirect: "manual", ...options, headers });
    for (const line of response.headers.getSetCookie()) {
      const [pair] = line.split(";");
      cookies.set(pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1));
    }
    return response;
  };
  const { csrfToken } = await (await call("/api/auth/csrf")).json();
  await call("/api/auth/callback/demo", {
    method: "POST",
    body: new URLSearchParams({ csrfToken, email, json: "true" }),
  });
  const api = async (path, options) => {
    const response = await call(`/api/v1${path}`, options);
    const text = await response.text();
    assert.ok(response.ok, `${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  };
  assert.equal((await api("/me")).user.email, email);
  return {
    get: (path) => api(path),
    post: (path, body) =>
      api(path, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      }),
  };
}

async function until(what, look) {
  for (const deadline = Date.now() + PATIENCE_MS; ; ) {
    const found = await look();
    if (found) return found;
    assert.ok(Date.now() < deadline, `never happened: ${what}`);
    await sleep(200);
  }
}
