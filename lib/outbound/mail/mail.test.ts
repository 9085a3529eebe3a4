/** Notices by mail, over a real mail server: content, recipients, frequency, and secrecy. */
import { beforeAll, beforeEach, expect, test } from "vitest";
import { createNotificationsFixture } from "../../../test/fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { forFile } from "../../../test/for-file.ts";
import { startMailServer } from "../../../test/servers/mail-server.ts";
import type { Job } from "../../engine/jobs/job-runner.ts";
import { takeEvents } from "../../history/events/follow.ts";
import { subjectsOf } from "../notices/follow.ts";
import { markOwnRead, syncNotices } from "../notices/notice-writes.ts";
import { sendDueMail } from "./send.ts";
import { createMailer, type Mailer } from "./smtp.ts";

const APP = "https://intray.test.example";
const SECRET = "secret-of-the-arguments";
const server = forFile(startMailServer);
const fixture = forFile(createNotificationsFixture);
let mailer: Mailer;
let finance: { id: string; connectionId: string };

beforeAll(async () => {
  mailer = createMailer(server.url, APP);
  finance = await insertServer(fixture.database, fixture.organizationId, {
    name: "Finance\r\nBcc: x@y.example",
  });
});
beforeEach(async () => {
  server.mails.length = 0;
  server.mood = "ok";
  await fixture.sql("DELETE FROM notice");
  await fixture.sql("DELETE FROM mail");
});

/** Runs the job `notices` with a mail server. */
const withMail: Job = {
  name: "notices",
  everyMs: 1,
  isTold: true,
  due: () => null,
  run: ({ database }, organizationId) =>
    database.withOrganization(organizationId, async (tx) => {
      const events = await takeEvents(tx, { follower: "notices", begins: "now" }, 200);
      const { own, groups: _, roles: __, ...subjects } = subjectsOf(events);
      await syncNotices(tx, subjects, true);
      await markOwnRead(tx, own);
      return events.length === 200;
    }),
};

/** Creates requests assigned to Ben, whose notices are to be mailed. */
async function assigned(count: number): Promise<string[]> {
  const taskId = await insertTask(fixture.database, fixture.organizationId, finance, {
    arguments: { invoice_id: SECRET },
  });
  const ids: string[] = [];
  for (let at = 0; at < count; at++) {
    const more = { assignee: fixture.approver.userId!, message: `Pay ${SECRET} ${at}?` };
    const { id } = await insertRequest(fixture.database, fixture.organizationId, taskId, more);
    ids.push(id);
    await fixture.happened({ type: "request.opened", taskId, inputRequestId: id });
  }
  await fixture.run(withMail);
  return ids;
}
const minutesLater = async (minutes = 1) => {
  await fixture.sql("UPDATE notice SET mail_after = mail_after - $1 * interval '1 minute'", [minutes]);
  await fixture.sql(
    "UPDATE mail SET not_before = not_before - $1 * interval '1 minute', created_at = created_at - $1 * interval '1 minute'",
    [minutes],
  );
};
const send = (by = mailer) => sendDueMail(fixture.engine, fixture.organizationId, by, APP);
const decide = async (ids: string[]) => {
  await fixture.sql("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE id = ANY($1)", [
    ids,
  ]);
};
const states = async () =>
  (await fixture.sql("SELECT state, attempts FROM mail ORDER BY created_at")).map(Object.values);

test("a mail names tool and server and links to the item; nothing else of it, and no header but ours", async () => {
  const [id] = await assigned(1);
  expect(await send()).toBe(false); // a moment for more
  await minutesLater();
  expect(await send()).toBe(true);
  const [mail] = server.mails;
  expect(mail?.to).toEqual([`${fixture.approver.userId}@test.example`]);
  expect(mail?.subject).toBe("A request was assigned to you: process_invoice on Finance Bcc: x @ y .example");
  expect(mail?.source).toContain(`${APP}/inbox/${id}`);
  for (const never of [SECRET, "INV-100", "Pay", "\nBcc:"]) expect(mail?.source).not.toContain(never);
  expect(await states()).toEqual([["sent", 1]]);
  expect(await send()).toBe(false);
});

test("many at once are one mail, one person gets one a minute, and two engines send it once", async () => {
  await assigned(12);
  await minutesLater();
  await Promise.all([send(), send(), send()]);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.source).toContain("12 requests were assigned to you");
  await assigned(1);
  await fixture.sql("UPDATE notice SET mail_after = now() - interval '1 second' WHERE mail_id IS NULL");
  await send();
  expect(server.mails).toHaveLength(1);
  await minutesLater();
  await send();
  expect(server.mails).toHaveLength(2);
});

test("who is given a request reads by whom, and the note as plain text on one line", async () => {
  const [id] = await assigned(1);
  const note = "See <b>https://wiki.example</b>\r\nBcc: all@test.example & \u202emore www.evil.example";
  await fixture.sql(
    `UPDATE input_request SET assigned_by = jsonb_build_object('kind', 'member', 'id', NULL, 'name', 'Ben', 'to', assignee_user_id),
      assigned_at = now(),
      assignment_note = $1 WHERE id = $2`,
    [note, id],
  );
  await minutesLater();
  await send();
  const source = String(server.mails[0]?.source).replaceAll("=\r\n", "");
  expect(source).toContain("Ben handed a request over to you");
  expect(source).toContain(
    "See <b>https: //wiki .example</b> Bcc: all @ test .example & more www .evil .example",
  );
  expect(source).toContain(
    "See &lt;b&gt;https: //wiki .example&lt;/b&gt; Bcc: all @ test .example &amp; more www .evil .example",
  );
});

test("what was decided, read or is no longer one's own before the mail leaves is not in it", async () => {
  const [decided, read, moved, held] = await assigned(4);
  await minutesLater();
  await decide([decided!]);
  await fixture.sql("UPDATE notice SET read_at = now() WHERE subject = $1", [read]);
  await fixture.sql("UPDATE input_request SET assignee_user_id = $1 WHERE id = $2", [
    fixture.operator.userId,
    moved,
  ]);
  await send();
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.source).toContain(`/inbox/${held}`);
  for (const gone of [decided, read, moved]) expect(server.mails[0]?.source).not.toContain(gone);
  await decide(await assigned(1));
  await minutesLater(2);
  await send();
  expect(server.mails).toHaveLength(1);
  expect((await states()).at(-1)).toEqual(["dropped", 1]);
});

test("a mail server that is away, busy, silent, or breaks off is tried again, under the same Message-ID", async () => {
  await assigned(1);
  await minutesLater();
  await send(createMailer("smtp://127.0.0.1:9", APP, 1_000));
  expect(await states()).toEqual([["waiting", 1]]);
  expect(await send()).toBe(false);
  for (const [mood, attempt] of [
    ["busy", 2],
    ["silent", 3],
    ["lose", 4],
  ] as const) {
    server.mood = mood;
    await minutesLater(10);
    await send(mood === "silent" ? createMailer(server.url, APP, 1_000) : mailer);
    expect(await states()).toEqual([["waiting", attempt]]);
  }
  server.mood = "ok";
  await minutesLater(10);
  await send();
  expect(await states()).toEqual([["sent", 5]]);
  expect(server.mails).toHaveLength(2);
  expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(1);
});

test("a letter that is refused for good is not tried again, one that waits a day is given up", async () => {
  await assigned(1);
  await minutesLater();
  server.mood = "refuse";
  await send();
  expect(await states()).toEqual([["failed", 1]]);
  await fixture.sql("DELETE FROM notice");
  await fixture.sql("DELETE FROM mail");
  await assigned(1);
  await minutesLater();
  server.mood = "busy";
  await send();
  await minutesLater(24 * 60 + 1);
  await send();
  expect(await states()).toEqual([["failed", 2]]);
});

test("who was removed is written to no more", async () => {
  const cleo = await fixture.member("approver", "Cleo");
  const taskId = await insertTask(fixture.database, fixture.organizationId, finance);
  const { id } = await insertRequest(fixture.database, fixture.organizationId, taskId, {
    assignee: cleo.userId,
  });
  await fixture.happened({ type: "request.opened", taskId, inputRequestId: id });
  await fixture.run(withMail);
  await minutesLater();
  await fixture.sql("DELETE FROM membership WHERE user_id = $1", [cleo.userId]);
  expect(await send()).toBe(false);
  expect(server.mails).toEqual([]);
});
