import type { IncomingMessage, ServerResponse } from "node:http";
import type { Database } from "../database.ts";
import { ENDED, findByPage, type OfficeTask, pressOnPage } from "./store.ts";
import type { Page } from "./tool.ts";

/** Serves the page of a URL question. A GET changes nothing; the first press of a button counts. */
export type PageHandler = (req: IncomingMessage, res: ServerResponse, elicitationId: string) => Promise<void>;

export function createPages(db: Database): PageHandler {
  return async (req, res, elicitationId) => {
    const task = await findByPage(db, elicitationId);
    const question = task?.tool.question;
    if (!task || question?.mode !== "url")
      return send(res, 404, "Not found", "<p>There is no such page, or it was used.</p>");
    const page = question.page(task.arguments);
    if (req.method === "POST") {
      const pressed = PRESSED[await readText(req)];
      if (pressed === undefined)
        return send(res, 400, "Not understood", "<p>Press one of the page's buttons.</p>");
      await pressOnPage(db, elicitationId, pressed);
      // A redirect, so that a reload does not submit again.
      res.writeHead(303, { location: `/confirm/${elicitationId}` }).end();
      return;
    }
    send(res, 200, page.title, task.page || ENDED.includes(task.state) ? afterwards(task) : asked(page));
  };
}

/** The form bodies that a browser sends for each button. */
const PRESSED: Record<string, 0 | 1 | undefined> = { "choice=0": 0, "choice=1": 1 };

function asked({ lead, facts, choices }: Page): string {
  const rows = facts.map(([label, value]) => `<dt>${inHtml(label)}</dt><dd>${inHtml(value)}</dd>`).join("");
  const buttons = choices
    .map(({ label }, at) => `<button name="choice" value="${at}">${inHtml(label)}</button>`)
    .join("");
  return `<p>${inHtml(lead)}</p><dl>${rows}</dl><form method="post">${buttons}</form>`;
}

function afterwards({ page, state }: OfficeTask): string {
  if (!page) return "<p>Nobody waits for this page any more.</p>";
  const next =
    state === "asking"
      ? " Go back to where you were asked, and continue there."
      : " You can close this page.";
  return `<p role="status">${inHtml(page.ending.text)}${next}</p>`;
}

/**
 * Sends a page without scripts or external resources. The URL is the only key to the page, so the referrer
 * stays on this site.
 */
function send(res: ServerResponse, status: number, title: string, body: string): void {
  res
    .writeHead(status, {
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    })
    .end(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${inHtml(title)}</title>
<style>
  :root { color-scheme: light dark; }
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 34rem; margin: 12vh auto; padding: 0 1.25rem; }
  h1 { font-size: 1.4rem; line-height: 1.25; }
  dl { display: grid; grid-template-columns: auto 1fr; gap: .4rem 1.5rem; margin: 1.5rem 0; }
  dt { opacity: .75; } dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
  form { display: flex; flex-wrap: wrap; gap: .75rem; }
  button { font: inherit; padding: .65rem 1.1rem; border-radius: .5rem; border: 1px solid; background: none; color: inherit; cursor: pointer; }
  button:first-child { background: #0b6b6b; border-color: #0b6b6b; color: #fff; }
</style>
<main><h1>${inHtml(title)}</h1>${body}</main>
`);
}

/** Reads a form body. Valid bodies are short, so reading stops after 100 characters. */
async function readText(req: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of req as AsyncIterable<Buffer>) {
    text += chunk.toString();
    if (text.length > 100) break;
  }
  return text;
}

function inHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
