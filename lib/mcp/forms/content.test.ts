import { describe, expect, it } from "vitest";
import { validateContent } from "./content.ts";
import { normaliseForm } from "./read-form.ts";

const form = normaliseForm({
  type: "object",
  properties: {
    name: { type: "string", title: "Full name", minLength: 2, maxLength: 5 },
    email: { type: "string", title: "E-mail", format: "email" },
    site: { type: "string", title: "Site", format: "uri" },
    day: { type: "string", title: "Day", format: "date" },
    at: { type: "string", title: "Time", format: "date-time" },
    amount: { type: "number", title: "Amount", minimum: 0, maximum: 100 },
    share: { type: "number", title: "Share", exclusiveMinimum: 0, exclusiveMaximum: 1, multipleOf: 0.1 },
    count: { type: "integer", title: "Count" },
    stars: { type: "integer", title: "Stars", enum: [1, 2, 3] },
    terms: { type: "boolean", title: "Terms", const: true },
    id: { type: "string", title: "Id", format: "uuid" },
    alarm: { type: "string", title: "Alarm", format: "time" },
    wait: { type: "string", title: "Wait", format: "duration" },
    v4: { type: "string", title: "Address", format: "ipv4" },
    v6: { type: "string", title: "Address", format: "ipv6" },
    host: { type: "string", title: "Host", format: "hostname" },
    path: { type: "string", title: "Path", format: "file-path" },
    agree: { type: "boolean", title: "Agree" },
    size: { type: "string", title: "Size", enum: ["s", "m"] },
    tags: {
      type: "array",
      title: "Tags",
      items: { type: "string", enum: ["x", "y", "z"] },
      minItems: 1,
      maxItems: 2,
    },
  },
  required: ["name"],
});
const good = { name: "Ana" };

describe("validateContent", () => {
  it.each([
    good,
    {
      ...good,
      email: "a@b.example",
      site: "https://a.example/x",
      day: "2024-02-29",
      at: "2026-02-28T09:30:00+01:00",
    },
    { ...good, amount: 0.5, count: 9007199254740991, agree: false, size: "m", tags: ["x", "z"] },
    { name: "💶💶" },
    { ...good, share: 0.3, stars: 3, terms: true },
    { ...good, share: 0.7, path: "anything" },
    {
      ...good,
      id: "123E4567-e89b-12d3-a456-426614174000",
      alarm: "23:59:59.5+02:00",
      wait: "P1DT2H30M",
      v4: "192.0.2.1",
      v6: "::ffff:192.0.2.1",
      host: "a-b.example.com",
    },
    { ...good, alarm: "09:30:00Z", wait: "P3W", v6: "2001:db8::1", host: "localhost" },
  ])("takes %j", (content) => expect(validateContent(form, content)).toEqual({ ok: true }));

  it.each([
    [{}, "name", "Full name is missing."],
    [{ name: null }, "name", "Full name must be a text."],
    [{ name: "A" }, "name", "Full name must have at least 2 characters."],
    [{ name: "Anabel" }, "name", "Full name must have at most 5 characters."],
    [{ ...good, email: "ana" }, "email", "E-mail must be an e-mail address."],
    [{ ...good, site: "example" }, "site", "Site must be a full address such as https://example.com."],
    [{ ...good, day: "2026-02-30" }, "day", "Day must be a date that exists, such as 2026-02-28."],
    [
      { ...good, at: "2026-02-28T09:30:00" },
      "at",
      "Time must be a date and time with its zone, such as 2026-02-28T09:30:00Z.",
    ],
    [{ ...good, amount: "5" }, "amount", "Amount must be a number."],
    [{ ...good, amount: -1 }, "amount", "Amount must be at least 0."],
    [{ ...good, amount: 101 }, "amount", "Amount must be at most 100."],
    [{ ...good, count: 1.5 }, "count", "Count must be a whole number."],
    [
      { ...good, count: 2 ** 53 },
      "count",
      "Count is too large: it would lose digits when it is sent (beyond 9007199254740991).",
    ],
    [{ ...good, share: 0 }, "share", "Share must be more than 0."],
    [{ ...good, share: 1 }, "share", "Share must be less than 1."],
    [{ ...good, share: 0.35 }, "share", "Share must be a multiple of 0.1."],
    [{ ...good, stars: 4 }, "stars", "Stars must be one of the choices."],
    [{ ...good, stars: "3" }, "stars", "Stars must be a number."],
    [{ ...good, terms: false }, "terms", "Terms must be one of the choices."],
    [{ ...good, id: "123e4567" }, "id", "Id must be a UUID such as 123e4567-e89b-12d3-a456-426614174000."],
    [{ ...good, alarm: "09:30" }, "alarm", "Alarm must be a time with its zone, such as 09:30:00Z."],
    [{ ...good, alarm: "24:00:00Z" }, "alarm", "Alarm must be a time with its zone, such as 09:30:00Z."],
    [{ ...good, wait: "P" }, "wait", "Wait must be a duration such as PT2H30M or P1D."],
    [{ ...good, v4: "256.0.0.1" }, "v4", "Address (v4) must be an IPv4 address such as 192.0.2.1."],
    [{ ...good, v6: "1::2::3" }, "v6", "Address (v6) must be an IPv6 address such as 2001:db8::1."],
    [{ ...good, v6: "::1]/x" }, "v6", "Address (v6) must be an IPv6 address such as 2001:db8::1."],
    [{ ...good, host: "-a.example" }, "host", "Host must be a host name such as www.example.com."],
    [{ ...good, agree: "true" }, "agree", "Agree must be yes or no."],
    [{ ...good, size: "l" }, "size", "Size must be one of the choices."],
    [{ ...good, tags: [] }, "tags", "Tags needs at least 1 choice."],
    [{ ...good, tags: ["x", "y", "z"] }, "tags", "Tags takes at most 2 choices."],
    [{ ...good, tags: ["x", "x"] }, "tags", "Tags has the same choice twice."],
    [{ ...good, tags: ["q"] }, "tags", "Tags must be one of the choices."],
    [{ ...good, tags: "x" }, "tags", "Tags must be a list of choices."],
    [{ ...good, extra: 1 }, "extra", "extra is not a field of this form."],
    [null, "", "The answer must be a set of fields."],
    [[], "", "The answer must be a set of fields."],
  ])("refuses %j", (content, field, message) => {
    expect(validateContent(form, content)).toEqual({ ok: false, errors: [{ field, message }] });
  });

  it("names every field that is wrong, once", () => {
    const check = validateContent(form, { count: "x", agree: 1 });
    expect(check.ok ? [] : check.errors.map(({ field }) => field).sort()).toEqual(["agree", "count", "name"]);
  });

  it("names a number that is too large beside what is wrong otherwise", () => {
    const check = validateContent(form, { ...good, count: 2 ** 60, extra: 1, tags: ["q"] });
    expect(check.ok ? [] : check.errors.map(({ field }) => field).sort()).toEqual(["count", "extra", "tags"]);
  });

  it("names one of many that are no fields, and a list with what is no choice once", () => {
    const many = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`n${n}`, 1]));
    expect(validateContent(form, many)).toMatchObject({ errors: [{ field: "n0" }] });
    const lists = normaliseForm({
      type: "object",
      properties: {
        a: { type: "array", items: { enum: ["x", "y"] } },
        b: { type: "array", items: { enum: ["x"] } },
      },
    });
    expect(validateContent(lists, { a: ["z", "w"], b: ["z"] })).toMatchObject({
      errors: [{ field: "a" }, { field: "b" }],
    });
  });

  it("takes no content for what cannot be shown", () => {
    expect(validateContent(normaliseForm("?"), {}).ok).toBe(false);
    expect(validateContent({ kind: "secret", reason: "r", field: "password" }, { password: "x" }).ok).toBe(
      false,
    );
  });

  it("takes a field with an awkward name", () => {
    const awkward = normaliseForm({
      type: "object",
      properties: { "a/b~c": { type: "integer" } },
      required: ["a/b~c"],
    });
    expect(validateContent(awkward, { "a/b~c": "x" })).toMatchObject({ errors: [{ field: "a/b~c" }] });
  });

  it("confirms a form without fields", () => {
    expect(validateContent(normaliseForm(null), {})).toEqual({ ok: true });
    expect(validateContent(normaliseForm(null), { a: 1 }).ok).toBe(false);
  });
});
