/** Digests over a real mail server: when, to whom, once, and what they say. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import { insertRequest, insertServer, insertTask } from "../../../test/fixtures/rows.ts";
import { type MailServer, startMailServer } from "../../../test/servers/mail-server.ts";
import type { Principal } from "../../access/principal.ts";
import { Prisma } from "../../base/db/db.ts";
import { claimRequest } from "../../requests/claims/claim-writes.ts";
import { createMailer, type Mailer } from "../mail/smtp.ts";
import { readNoticeSettings, setNoticeSettings } from "../notices/settings.ts";
import type { DigestChoice } from "./digest-schema.ts";
import { readDigest, turnOffDigest } from "./digest-writes.ts";
import { sendDueDigest } from "./send-digest.ts";
import { readUnsubscribeToken } from "./unsubscribe.ts";

const APP = "https://intray.test.example";
const SECRET = "secret-of-the-question";
type Member = Principal & { userId: string };
let fixture: NotificationsFixture;
let server: MailServer;
let mailer: Mailer;
let finance: { id: string; connectionId: string };
let ben: Member;
let ana: Member;
let made = 0;

beforeAll(async () => {
  server = await startMailServer();
  fixture = await createNotificationsFixture();
  mailer = createMailer(server.url, APP);
  finance = await insertServer(fixture.database, fixture.organizationId, {
    name: "Finance\r\nBcc: x@y.example",
  });
});
afterAll(async () => {
  await fixture?.close();
  await server?.close();
});
beforeEach(async () => {
  server.mails.length = 0;
  server.mood = "ok";
  await fixture.sql("DELETE FROM daily_digest");
  await fixture.sql("DELETE FROM working_calendar");
  await fixture.sql("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE state = 'open'");
  ben = await fixture.member("approver", `Ben${++made}`);
  ana = await fixture.member("admin", `Ana${made}`);
});

const DAILY: DigestChoice = { days: "all", hour: 8, zone: "Europe/Vienna" };
const choose = (member: Member, choice: DigestChoice = DAILY) =>
  fixture.within((tx) => setNoticeSettings(tx, member, { digest: choice }));
/** As if it were due so many minutes ago. Returns the day that it is for. */
const dueSince = async (minutes: number, { userId }: Member = ben): Promise<string> => {
  const [due] = await fixture.sql(
    `UPDATE daily_digest SET due_at = now() - $1 * interval '1 minute' WHERE user_id = $2
      RETURNING (due_at AT TIME ZONE zone)::date::text AS day`,
    [minutes, userId],
  );
  return String(due?.day);
};
const asked = async (more: Parameters<typeof insertRequest>[3] = {}) =>
  insertRequest(
    fixture.database,
    fixture.organizationId,
    await insertTask(fixture.database, fixture.organizationId, finance),
    {
      message: `Pay ${SECRET}?`,
      ...more,
    },
  );
const withdraw = (id: string) =>
  fixture.sql("UPDATE input_request SET state = 'withdrawn', ended_at = now() WHERE id = $1", [id]);
const send = (by = mailer) => sendDueDigest(fixture.context, fixture.organizationId, by, APP);
/** Not by now() alone: the column keeps milliseconds, and may round it up to a moment that is still to come. */
const retryNow = () => fixture.sql("UPDATE daily_digest SET not_before = date_trunc('milliseconds', now())");
const row = async ({ userId }: Member = ben) =>
  (
    await fixture.sql(
      "SELECT *, last_day::text AS day, due_at > now() AS later FROM daily_digest WHERE user_id = $1",
      [userId],
    )
  )[0];

describe("a digest", () => {
  test("lists what waits, with links that open cards, and never what is asked; once a day", async () => {
    await choose(ben);
    const { id } = await asked();
    await asked({ assignee: ana.userId });
    expect(await send()).toBe(false); // not yet its hour
    const day = await dueSince(1);
    const due = Prisma.sql`SELECT id FROM gate.organizations_with_digests()`;
    expect(await fixture.engine.gate(due)).toEqual([{ id: fixture.organizationId }]);
    expect(await send()).toBe(true);
    const [mail] = server.mails;
    expect(server.mails).toHaveLength(1);
    expect(mail?.subject).toBe("1 request waits for you");
    expect(mail?.source).toContain(`${APP}/inbox/${id}`);
    expect(mail?.source).toContain("process_invoice on Finance Bcc: x @ y .example");
    for (const never of [SECRET, "\nBcc:"]) expect(mail?.source).not.toContain(never);
    expect(await row()).toMatchObject({ day, later: true, attempts: 0 });
    expect(await send()).toBe(false);
  });

  test("has a link that unsubscribes its member at one POST, and a page for people", async () => {
    await choose(ben);
    await asked();
    await dueSince(1);
    await send();
    const source = String(server.mails[0]?.source);
    const [, token = ""] =
      /^List-Unsubscribe: <https:\/\/intray\.test\.example\/api\/unsubscribe\/([\w-]+)>/m.exec(
        source.replaceAll(/\r?\n[ \t]+/g, " "),
      ) ?? [];
    expect(source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r?$/m);
    expect(source).toContain(`${APP}/unsubscribe#token=${token}`);
    expect(readUnsubscribeToken(fixture.seal, token)).toEqual({
      organizationId: fixture.organizationId,
      userId: ben.userId,
    });
    for (let at = 0; at < token.length; at += 7) {
      const forged = token.slice(0, at) + (token[at] === "A" ? "B" : "A") + token.slice(at + 1);
      expect(readUnsubscribeToken(fixture.seal, forged)).toBeNull();
    }
    for (const wrong of ["", "x", token.slice(0, -2), `${token}AA`])
      expect(readUnsubscribeToken(fixture.seal, wrong)).toBeNull();
  });

  test("is sent once by two engines at its hour, to each member", async () => {
    await choose(ben);
    await choose(ana);
    await asked();
    await dueSince(1);
    await dueSince(1, ana);
    const all = await Promise.all(Array.from({ length: 6 }, () => send()));
    expect(all.filter(Boolean)).toHaveLength(2);
    expect(server.mails.map(({ to }) => to[0]).sort()).toEqual([
      `ana${made}@test.example`,
      `ben${made}@test.example`,
    ]);
  });

  test("is not sent where nothing waits, and not to others than who may decide", async () => {
    const vera = await fixture.member("viewer", `Vera${made}`);
    for (const member of [ben, vera]) await choose(member);
    await dueSince(1);
    await dueSince(1, vera);
    expect([await send(), await send(), await send()]).toEqual([true, true, false]);
    await asked();
    await dueSince(1, vera);
    await send();
    expect(server.mails).toEqual([]);
    // A day without a mail can still have one, if the member chooses a later hour.
    expect(await row()).toMatchObject({ day: null, later: true });
  });

  test("is not sent to who was removed, nor of another organization", async () => {
    await choose(ben);
    await asked();
    await dueSince(1);
    await fixture.sql("DELETE FROM membership WHERE user_id = $1", [ben.userId]);
    expect(await send()).toBe(false);
    expect(await row()).toBeUndefined();
    const other = await createNotificationsFixture();
    await expect(sendDueDigest(fixture.context, other.organizationId, mailer, APP)).resolves.toBe(false);
    await other.close();
    expect(server.mails).toEqual([]);
  });

  test("leaves out what the member has put off, and what another is at work on", async () => {
    await choose(ben);
    const [{ id: snoozed }, { id: claimed }, { id: left }] = [await asked(), await asked(), await asked()];
    await fixture.sql(
      "INSERT INTO request_snooze (organization_id, user_id, input_request_id, ends_at) VALUES ($1, $2, $3, now() + interval '1 day')",
      [fixture.organizationId, ben.userId, snoozed],
    );
    await fixture.within((tx) => claimRequest(tx, ana, claimed));
    await dueSince(1);
    await send();
    expect(server.mails[0]?.subject).toBe("1 request waits for you");
    expect(server.mails[0]?.source).toContain(left);
  });

  test("counts those that it does not list", async () => {
    await choose(ben);
    for (let at = 0; at < 23; at++) await asked();
    await dueSince(1);
    await send();
    expect(server.mails[0]?.subject).toBe("23 requests wait for you");
    expect(server.mails[0]?.source).toContain("And 3 more");
    expect(new Set(server.mails[0]?.source.match(/\/inbox\/[0-9a-f-]{36}/g)).size).toBe(20);
  });
});

describe("a mail server", () => {
  test("that is busy, or breaks off, gets it again under the same Message-ID, of what is open then", async () => {
    await choose(ben);
    const [{ id: decided }, { id: open }] = [await asked(), await asked()];
    const day = await dueSince(1);
    server.mood = "lose";
    await send();
    expect(await send()).toBe(false); // claimed, and paused
    server.mood = "busy";
    await retryNow();
    await send();
    expect(await fixture.within((tx) => readNoticeSettings(tx, ben, true))).toMatchObject({
      digest: { failure: { error: "The mail server answered 451." } },
    });
    await withdraw(decided);
    server.mood = "ok";
    await retryNow();
    await send();
    expect(server.mails).toHaveLength(2);
    const [lost, again] = server.mails;
    expect(again?.messageId).toBe(lost?.messageId);
    expect(again?.source).toContain(open);
    expect(again?.source).not.toContain(decided);
    expect(await row()).toMatchObject({ error: null, failing_since: null, day });
  });

  test("that took it without saying so gets none if nothing is open any more, and none on that day", async () => {
    await choose(ben);
    const { id } = await asked();
    const day = await dueSince(1);
    server.mood = "lose";
    await send();
    await withdraw(id);
    server.mood = "ok";
    await retryNow();
    await send();
    expect(server.mails).toHaveLength(1);
    expect(await row()).toMatchObject({ day, later: true });
  });

  test("that refuses it is asked again the next day; one that is away for half a day too", async () => {
    await choose(ben);
    await asked();
    await dueSince(1);
    server.mood = "refuse";
    await send();
    expect(await row()).toMatchObject({ error: "The mail server answered 550.", later: true });
    await dueSince(12 * 60 + 1);
    server.mood = "ok";
    await send();
    expect(server.mails).toEqual([]);
    expect(await row()).toMatchObject({ later: true });
  });

  test("that comes back after a day gets today's digest, whose hour is over, and not yesterday's", async () => {
    await choose(ben, { days: "all", hour: 0, zone: "UTC" });
    await asked();
    const [today] = await fixture.sql(
      `UPDATE daily_digest SET hour = extract(hour FROM now() AT TIME ZONE 'UTC'),
        due_at = date_trunc('hour', now()) - interval '24 hours'
      RETURNING ((due_at + interval '24 hours') AT TIME ZONE 'UTC')::date::text AS day`,
    );
    expect([await send(), server.mails.length]).toEqual([true, 0]);
    expect([await send(), server.mails.length]).toEqual([true, 1]);
    expect(await row()).toMatchObject({ day: today?.day, later: true });
    expect(await send()).toBe(false);
  });

  test("gets it from another engine if the first one dies between sending and storing", async () => {
    await choose(ben);
    await asked();
    const day = await dueSince(1);
    const dying: Mailer = {
      ...mailer,
      async send(letter) {
        await mailer.send(letter);
        throw new Error("killed");
      },
    };
    await expect(send(dying)).rejects.toThrow("killed");
    expect(await send()).toBe(false); // its claim holds
    await retryNow();
    await send();
    expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(1);
    expect(await row()).toMatchObject({ day, later: true });
  });
});

describe("a member", () => {
  test("who changes the hour on a day that had its digest gets the next one on the next day", async () => {
    await choose(ben);
    await asked();
    const day = await dueSince(1);
    await send();
    await choose(ben, { ...DAILY, hour: 23 });
    const [next] = await fixture.sql(
      "SELECT (due_at AT TIME ZONE zone)::date::text AS day FROM daily_digest",
    );
    expect(String(next?.day) > day).toBe(true);
  });

  test("gets each day's digest under an id of its own, also after an engine died over one", async () => {
    // These two zones never have the same day.
    await choose(ben, { ...DAILY, zone: "Pacific/Kiritimati" });
    await asked();
    await dueSince(1);
    const dying: Mailer = {
      ...mailer,
      send: (letter) => mailer.send(letter).then(() => Promise.reject(new Error("killed"))),
    };
    await expect(send(dying)).rejects.toThrow("killed");
    await choose(ben, { ...DAILY, days: "off" });
    await choose(ben, { ...DAILY, zone: "Pacific/Pago_Pago" });
    await dueSince(1);
    await retryNow();
    await send();
    expect(new Set(server.mails.map(({ messageId }) => messageId)).size).toBe(2);
  });

  test("who turns it off while it is on its way stays without", async () => {
    await choose(ben);
    await asked();
    const day = await dueSince(1);
    const slow: Mailer = {
      ...mailer,
      async send(letter) {
        await fixture.within((tx) => turnOffDigest(tx, ben.userId));
        await mailer.send(letter);
      },
    };
    await send(slow);
    expect(await row()).toMatchObject({ days: "off", due_at: null, day });
    expect(await fixture.within((tx) => readDigest(tx, ben.userId))).toMatchObject({ days: "off", hour: 8 });
    expect(await send()).toBe(false);
  });

  test("who turns it off after one that failed is told of no failure", async () => {
    await choose(ben);
    await asked();
    await dueSince(1);
    server.mood = "refuse";
    await send();
    const failure = async () => (await fixture.within((tx) => readDigest(tx, ben.userId)))?.failure?.error;
    expect(await failure()).toBe("The mail server answered 550.");
    await fixture.within((tx) => turnOffDigest(tx, ben.userId));
    expect(await failure()).toBeUndefined();
  });

  test("who wants it on working days gets none on others", async () => {
    const names = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
    const spans = [{ from: "09:00", to: "17:00" }];
    const openOn = (isOpen: (day: number) => boolean) =>
      JSON.stringify({
        zone: "UTC",
        days: Object.fromEntries(names.map((name, day) => [name, isOpen(day) ? spans : []])),
        holidays: [],
      });
    await choose(ben, { days: "working", hour: 8, zone: "UTC" });
    await asked();
    const setCalendar = (calendar: string) =>
      fixture.sql(
        `INSERT INTO working_calendar (organization_id, version, calendar, changed_at, changed_by)
          VALUES ($1, 1, $2, now(), '{"kind": "system", "id": null, "name": "Test"}')
          ON CONFLICT (organization_id) DO UPDATE SET calendar = excluded.calendar`,
        [fixture.organizationId, calendar],
      );
    const due = async () =>
      (
        await fixture.sql(`UPDATE daily_digest SET due_at = now() - interval '1 minute'
          RETURNING extract(dow FROM due_at AT TIME ZONE zone)::integer AS weekday`)
      )[0]?.weekday;
    const weekday = await due();
    await setCalendar(openOn((day) => day !== weekday));
    await send();
    expect(server.mails).toEqual([]);
    await setCalendar(openOn(() => true));
    await due();
    await send();
    expect(server.mails).toHaveLength(1);
  });
});
