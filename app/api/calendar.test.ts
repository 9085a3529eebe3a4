/** The working calendar: saved as a whole, by an admin, and another organization's stays its own. */
import { beforeAll, expect, test } from "vitest";
import { webForFile } from "@/test/web.ts";

const web = webForFile();
let acme: string;
let admin: string;

beforeAll(async () => {
  acme = await web.organization("acme");
  admin = await web.key(acme, "admin");
});

const read = (key = admin) => web.call("GET", "/api/v1/calendar", { key });
const save = (version: unknown, calendar: unknown, key = admin) =>
  web.call("PUT", "/api/v1/calendar", {
    key,
    body: { calendar } as object,
    ...(version !== null && { headers: { "if-match": String(version) } }),
  });
const office = (more: object = {}) => ({
  zone: "Europe/Berlin",
  days: { mon: [{ from: "09:00", to: "17:00" }], sat: [] },
  holidays: [{ date: "2026-12-25", name: "Christmas Day" }],
  ...more,
});

test("is saved as a whole, by whoever has read its latest version, and told in the history", async () => {
  const none = { version: 0, calendar: null, changedAt: null, changedBy: null };
  expect((await read()).body).toEqual(none);
  const first = await save(0, office());
  expect([first.status, first.headers.get("etag")]).toEqual([200, '"1"']);
  expect(first.body).toMatchObject({
    version: 1,
    calendar: { ...office(), days: { mon: [{ from: "09:00", to: "17:00" }], tue: [], sat: [] } },
    changedBy: { kind: "key" },
  });
  expect((await read()).body).toEqual(first.body);

  const late = await save(0, null);
  expect([late.status, late.body.code, late.body.version]).toEqual([409, "version_changed", 1]);
  expect((await save(null, null)).body.code).toBe("version_required");
  // The same again is no change.
  expect((await save(1, first.body.calendar)).body.version).toBe(1);
  const days = { tue: [{ from: "10:00", to: "12:00" }] };
  expect((await save(1, office({ zone: "UTC", days, holidays: [] }))).body.version).toBe(2);
  expect((await save(2, null)).body).toMatchObject({ version: 3, calendar: null });

  const lines = await web.db.withOrganization(acme, (tx) =>
    tx.event.findMany({
      where: { organizationId: acme, type: "calendar.changed" },
      orderBy: { seq: "asc" },
    }),
  );
  expect(lines.map(({ data }) => data)).toMatchObject([
    { version: 1, from: null, to: { zone: "Europe/Berlin", holidays: 1 } },
    {
      version: 2,
      zone: { from: "Europe/Berlin", to: "UTC" },
      days: [
        { day: "mon", to: [] },
        { day: "tue", from: [] },
      ],
      added: [],
      removed: [{ date: "2026-12-25" }],
    },
    { version: 3, to: null },
  ]);
});

test("is changed once by two who save at the same time, also the first time", async () => {
  const other = await web.organization("fresh");
  const key = await web.key(other, "admin");
  for (const version of [0, 1]) {
    const zones = ["UTC", "Europe/Rome", "Asia/Tokyo"].map((zone) => ({ zone: `${zone}` }));
    const saved = await Promise.all(
      zones.map((zone) => save(version, office({ ...zone, holidays: [] }), key)),
    );
    // Of the second round one may save what is there already, which is no change.
    expect(saved.filter(({ status }) => status === 409).length).toBeGreaterThanOrEqual(version === 0 ? 2 : 1);
    expect((await read(key)).body.version).toBeGreaterThan(version);
  }
});

test("in which nobody ever works is refused, with the place of the problem", async () => {
  const { version } = (await read()).body;
  const refused = await save(version, office({ days: { mon: [] } }));
  expect([refused.status, refused.body.code]).toEqual([422, "invalid_input"]);
  expect(refused.body.errors).toMatchObject([{ field: "calendar.days" }]);
});

test("is an admin's to read and to save, and of one organization", async () => {
  for (const role of ["viewer", "approver", "operator"] as const) {
    const key = await web.key(acme, role);
    expect((await read(key)).status).toBe(403);
    expect((await save(0, null, key)).status).toBe(403);
  }
  const other = await web.organization("other");
  const key = await web.key(other, "admin");
  await save((await read()).body.version, office());
  expect((await read(key)).body).toMatchObject({ version: 0, calendar: null });
  const seen = await web.db.withOrganization(other, (tx) => tx.workingCalendar.count());
  expect(seen).toBe(0);
});
