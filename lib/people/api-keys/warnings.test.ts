/** People are told of the end of API keys: 14, 3 and 0 days before, once each. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createNotificationsFixture,
  type NotificationsFixture,
} from "../../../test/fixtures/notifications-fixture.ts";
import type { Principal } from "../../access/principal.ts";
import { createSeal } from "../../base/seal.ts";
import { KEY_WARNINGS, NOTICES } from "../../engine/jobs/notice-jobs.ts";
import { listNotices } from "../../outbound/notices/notice-reads.ts";
import { markAllRead } from "../../outbound/notices/notice-writes.ts";
import { createKey, revokeKey } from "./api-key-writes.ts";
import { rotateKey } from "./rotation.ts";

type Person = Principal & { userId: string };
let fixture: NotificationsFixture;
let ana: Person;
let max: Person;
let vic: Person;

beforeAll(async () => {
  process.env.SMTP_URL = "smtp://mail.test.example:2525";
  fixture = await createNotificationsFixture();
  ana = await fixture.member("admin", "Ana");
  max = await fixture.member("admin", "Max");
  vic = await fixture.member("viewer", "Vic");
});
afterAll(() => fixture?.close());

const told = async (person: Person) => {
  const { items } = await fixture.within((tx) => listNotices(tx, person, { limit: 50, unread: "true" }));
  return items.map(({ cause, apiKey }) => [cause, apiKey?.name]);
};
const everyone = () => Promise.all([ana, max, vic].map(told));
const make = (expires?: 7) =>
  fixture.within((tx) =>
    createKey(tx, max, {
      name: "Billing",
      role: "viewer",
      ...(expires && { expires }),
    }),
  );
const later = async (id: string, days: number) => {
  await fixture.sql(
    `UPDATE api_key SET expires_at = expires_at - $2 * interval '1 day', created_at = created_at - $2 * interval '1 day',
      rotated_at = rotated_at - $2 * interval '1 day' WHERE id = $1`,
    [id, days],
  );
  await turn();
};
const turn = async () => {
  const [due] = await fixture.sql("SELECT count(*)::int AS due FROM gate.organizations_with_ending_keys()");
  if (Number(due?.due) > 0) await fixture.run(KEY_WARNINGS);
  await fixture.run(NOTICES);
};
const readAll = async () => {
  for (const person of [ana, max, vic]) await fixture.within((tx) => markAllRead(tx, person));
};

test("the maker and the admins are told 14, 3 and 0 days before a key ends, once each", async () => {
  const { id } = await make();
  await later(id, 75);
  expect(await everyone()).toEqual([[], [], []]);
  for (const [days, cause] of [
    [1.5, "key.ends_in_14_days"],
    [11, "key.ends_in_3_days"],
    [3, "key.ended"],
  ] as const) {
    await later(id, days);
    const notice = [[cause, "Billing"]];
    expect(await everyone()).toEqual([notice, notice, []]);
    const mails = await fixture.sql(
      "SELECT user_id FROM notice WHERE cause = $1 AND subject = $2 AND mail_after IS NOT NULL",
      [cause, id],
    );
    expect(mails).toHaveLength(2);
    await readAll();
    await turn();
    expect(await everyone()).toEqual([[], [], []]);
  }
});

test("a maker who is no admin any more is told of the own key, and the other members are not", async () => {
  const { id } = await make();
  await fixture.sql("UPDATE membership SET role = 'viewer' WHERE user_id = $1", [max.userId]);
  await later(id, 80);
  const notice = [["key.ends_in_14_days", "Billing"]];
  expect(await Promise.all([ana, { ...max, role: "viewer" as const }, vic].map(told))).toEqual([
    notice,
    notice,
    [],
  ]);
  await fixture.sql("UPDATE membership SET role = 'admin' WHERE user_id = $1", [max.userId]);
  await readAll();
});

test("a key of a week is told of 3 days before; a revoked or rotated one is told of no more", async () => {
  const seal = createSeal([{ kid: "k1", key: Buffer.alloc(32, 1) }]);
  const revoked = await make(7);
  const rotated = await make(7);
  await turn();
  expect(await everyone()).toEqual([[], [], []]);
  await later(revoked.id, 5);
  await later(rotated.id, 5);
  expect((await told(ana)).map(([cause]) => cause)).toEqual(["key.ends_in_3_days", "key.ends_in_3_days"]);
  await fixture.within((tx) => revokeKey(tx, ana, revoked.id));
  await fixture.within((tx) => rotateKey(tx, max, seal, rotated.id, { expires: 7 }, null));
  await turn();
  expect(await everyone()).toEqual([[], [], []]);
  await later(rotated.id, 5);
  expect(await told(ana)).toEqual([["key.ends_in_3_days", "Billing"]]);
});
