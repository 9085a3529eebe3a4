/** Attacks on signing in, carried out against the handlers: what they get, and what it costs anyone else. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { AppError } from "@/lib/base/errors.ts";
import { replace } from "@/lib/base/process/process-wide.ts";
import { Turns } from "@/lib/base/process/turns.ts";
import { fairTurns } from "@/lib/web/fair-turns.ts";
import { PASSWORD_TRIES, TRIES_SHARES } from "@/lib/web/tunables.ts";
import {
  accountWithPassword,
  newBrowser,
  PASSWORD,
  person,
  sql,
  startAccounts,
  web,
} from "@/test/fixtures/accounts.ts";
import { until } from "@/test/fixtures/organization-fixture.ts";
import { AuthBrowser } from "@/test/servers/auth-browser.ts";
import { ORIGIN } from "@/test/web.ts";

let handleAuth: typeof import("@/lib/web/auth/auth.ts").handleAuth;

beforeAll(async () => {
  process.env.METRICS_TOKEN = "the scraper of the tests";
  await startAccounts();
  ({ handleAuth } = await import("@/lib/web/auth/auth.ts"));
});
afterAll(() => web.stop());

const at = (address: string) => new AuthBrowser(handleAuth, address);
const WRONG = "CredentialsSignin";
/** The code alone, without the seconds behind it. */
const enter = async (browser: AuthBrowser, email: string, password = PASSWORD) =>
  (await browser.signIn("password", { email, password }))?.split(":")[0] ?? null;

/** Makes a person who has signed in once from `address`, and returns that browser as `browser`. */
async function personAt(address: string) {
  const { email, userId } = await person();
  await sql("DELETE FROM known_place WHERE user_id = $1", [userId]).catch(() => {});
  const browser = at(address);
  expect(await enter(browser, email)).toBe(null);
  return { email, userId, browser };
}

/** Tries wrong passwords without a pause. Returns how many were looked at. */
async function guess(browsers: AuthBrowser[], emails: string[], tries: number): Promise<number> {
  let seen = 0;
  for (let n = 0; n < tries; n++) {
    const code = await enter(browsers[n % browsers.length]!, emails[n % emails.length]!, `guess ${n}`);
    if (code === WRONG) seen++;
    else expect(code).toBe("throttled");
  }
  return seen;
}

describe("a stranger who guesses many passwords of one person", () => {
  test("gets few looked at, and never keeps the person out from a network that the person uses", async () => {
    const pia = await personAt("198.51.100.1");
    expect(await guess([at("203.0.113.1")], [pia.email], 200)).toBeLessThanOrEqual(8);
    // A browser without a cookie, from the network where the person signed in before.
    expect(await enter(at("198.51.100.1"), pia.email)).toBe(null);
    // The person's own browser, from anywhere.
    const [cookies] = [pia.browser.cookies()];
    expect(cookies.some(({ name }) => name.includes("browser"))).toBe(true);
    const travelling = at("192.0.2.200").with(pia.browser);
    expect(await enter(travelling, pia.email)).toBe(null);
  });

  test("in the person's own network holds up neither the person's browser nor the colleagues", async () => {
    const office = "198.51.100.2";
    const pia = await personAt(office);
    const colleague = await personAt(office);
    expect(await guess([at(office)], [pia.email], 100)).toBeLessThanOrEqual(8);
    expect(await enter(pia.browser, pia.email)).toBe(null);
    expect(await enter(at(office), colleague.email)).toBe(null);
    // And a browser that nobody knows waits for a minute at most. However long the above took, its pause begins now.
    await sql("UPDATE sign_in_try SET tried_at = now()");
    const url = await at(office).post("callback/password", { email: pia.email, password: PASSWORD });
    const [code, seconds] = new URL(url).searchParams.get("error")!.split(":");
    expect(code).toBe("throttled");
    expect(Number(seconds)).toBeLessThanOrEqual(60);
  });

  test("from three hundred networks slows networks that the person never signed in from, and no other", async () => {
    const pia = await personAt("198.51.100.3");
    const botnet = Array.from({ length: 300 }, (_, n) => at(`10.66.${n >> 8}.${n & 255}`));
    expect(await guess(botnet, [pia.email], botnet.length)).toBeLessThanOrEqual(35);
    expect(await enter(at("192.0.2.77"), pia.email)).toBe("throttled");
    expect(await enter(at("198.51.100.3"), pia.email)).toBe(null);
    expect(await enter(at("192.0.2.78").with(pia.browser), pia.email)).toBe(null);
  });

  test("from the addresses of one /64 is one network", async () => {
    const pia = await personAt("198.51.100.4");
    const host = Array.from({ length: 50 }, (_, n) => at(`2001:db8:1:2::${(n + 1).toString(16)}`));
    expect(await guess(host, [pia.email], 60)).toBeLessThanOrEqual(8);
  });
});

describe("one password, sprayed over many accounts from one network", () => {
  test("is looked at few times, whether or not there are such accounts, and holds up nobody who is known there", async () => {
    const office = "198.51.100.9";
    const known = await personAt(office);
    const people = Array.from({ length: 100 }, (_, n) => `sprayed${n}@nobody.example`);
    const began = Date.now();
    const seen = await guess([at(office)], people, people.length);
    const { tries, everyMs } = PASSWORD_TRIES.network;
    expect(seen).toBeLessThanOrEqual(tries + 1 + (Date.now() - began) / everyMs);
    expect(await enter(at(office), known.email)).toBe(null);
    const elsewhere = await person();
    expect(await enter(newBrowser(), elsewhere.email)).toBe(null);
  });

  test("is refused for some seconds, not for ever", async () => {
    const address = "198.51.100.10";
    const people = Array.from({ length: 80 }, (_, n) => `refill${n}@nobody.example`);
    await guess([at(address)], people, 80);
    // On a slow machine one more may be looked at meanwhile.
    const seconds = await until("it is refused", async () => {
      const url = await at(address).post("callback/password", { email: "new@nobody.example", password: "x" });
      const [code, seconds] = new URL(url).searchParams.get("error")!.split(":");
      return code === "throttled" && seconds;
    });
    expect(Number(seconds)).toBeLessThanOrEqual(10);
  });
});

describe("whoever tries", () => {
  test("is told when to try again, with 429 and Retry-After", async () => {
    const browser = at("198.51.100.11");
    await guess([browser], ["paused@nobody.example"], 6);
    const { csrfToken } = (await (await browser.send("/api/auth/csrf")).json()) as { csrfToken: string };
    const answer = await browser.send("/api/auth/callback/password", {
      email: "paused@nobody.example",
      password: "guess",
      csrfToken,
      json: "true",
    });
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(Number(answer.headers.get("retry-after"))).toBeLessThanOrEqual(60);
  });

  test("waits for their turn where many tries of the network are under way, and others go on", async () => {
    const pia = await personAt("198.51.100.16");
    const office = "203.0.113.0/24";
    const ended: (() => void)[] = [];
    const take = fairTurns({ ...TRIES_SHARES, waiting: 1 }, () => new AppError("throttled", "Too many"));
    const asked = Promise.withResolvers<void>();
    const tries = <T>(owner: string, work: () => Promise<T>) => {
      const taken = take(owner, work);
      if (owner === office) asked.resolve();
      return taken;
    };
    const before = replace("tries to sign in", tries);
    try {
      const under = Array.from({ length: TRIES_SHARES.ofOne }, () =>
        take(office, () => new Promise<void>((end) => ended.push(end))),
      );
      const waiting = enter(at("203.0.113.16"), pia.email);
      expect(await enter(pia.browser, pia.email)).toBe(null);
      await asked.promise;
      // And one more is told to come again.
      const stranger = at("203.0.113.17");
      const { csrfToken } = (await (await stranger.send("/api/auth/csrf")).json()) as { csrfToken: string };
      const form = { email: pia.email, password: PASSWORD, csrfToken, json: "true" };
      expect((await stranger.send("/api/auth/callback/password", form)).status).toBe(429);
      for (const end of ended) end();
      await Promise.all(under);
      expect(await waiting).toBe(null);
    } finally {
      replace("tries to sign in", before);
    }
  });

  test("takes no turn of the network for a body that never comes", async () => {
    const office = "198.51.100.18";
    const { email } = await accountWithPassword();
    const bodies = Array.from({ length: TRIES_SHARES.ofOne }, () => new TransformStream<Uint8Array>());
    const path = "/api/auth/callback/password";
    const slow = bodies.map(({ readable: body }) => {
      const headers = { host: new URL(ORIGIN).host, "x-forwarded-for": office };
      const init = { method: "POST", headers, body, duplex: "half" } as RequestInit;
      return handleAuth(new Request(`${ORIGIN}${path}`, init), path.split("/").slice(3));
    });
    expect(await enter(at(office), email)).toBe(null);
    await Promise.all(bodies.map(({ writable }) => writable.close()));
    await Promise.all(slow);
  });

  test("is let in with a hundred others of an office who sign in at the same moment", async () => {
    const office = "198.51.100.17";
    const people = await Promise.all(Array.from({ length: 100 }, () => accountWithPassword()));
    // On the first morning, and on the next one, each with a browser that nobody knows.
    for (let mornings = 0; mornings < 2; mornings++) {
      const codes = await Promise.all(people.map(({ email }) => enter(at(office), email)));
      expect(codes.filter((code) => code !== null)).toEqual([]);
    }
  });

  test("is told so too where strangers of many networks fill the line of passwords", async () => {
    const pia = await personAt("198.51.100.15");
    const elsewhere = at("198.51.101.15");
    const line = () => new Turns<{ begin(): void; refuse(): void }>(40);
    const strangers = line();
    for (let n = 0; n < 40; n++) strangers.add(`network ${n}`, { begin: () => {}, refuse: () => {} });
    const full = { running: 2, known: line(), strangers, wasKnown: false };
    const before = replace("password hashes", full);
    try {
      const url = await elsewhere.post("callback/password", { email: pia.email, password: PASSWORD });
      expect(new URL(url).searchParams.get("error")).toBe("throttled:5");
      const { csrfToken } = (await (await elsewhere.send("/api/auth/csrf")).json()) as {
        csrfToken: string;
      };
      const form = { email: pia.email, password: PASSWORD, csrfToken, json: "true" };
      const answer = await elsewhere.send("/api/auth/callback/password", form);
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([429, "5"]);
      const body = { token: "none", password: "correct horse battery" };
      const set = await web.call("POST", "/api/set-password", { body });
      expect([set.status, set.body.code, set.headers.get("retry-after")]).toEqual([429, "throttled", "5"]);
    } finally {
      replace("password hashes", before);
    }
    expect(await enter(pia.browser, pia.email)).toBe(null);
  });

  test("sees and times no difference between accounts that are there and others", async () => {
    const { statementsOf } = await import("@/test/guards/statements.ts");
    const { email } = await personAt("198.51.100.12");
    const codes = async (address: string, of: string) => {
      const browser = at(address);
      return statementsOf(async () => {
        const all = [];
        for (let n = 0; n < 8; n++) all.push(await browser.signIn("password", { email: of, password: "no" }));
        return all.map((code) => code?.split(":")[0]);
      });
    };
    const [there, sent] = await codes("198.51.100.13", email);
    const [away, alsoSent] = await codes("198.51.100.14", "nobody-at-all@test.example");
    expect(there).toEqual(away);
    expect(alsoSent.filter((text) => text.includes("gate."))).toHaveLength(
      sent.filter((text) => text.includes("gate.") && !text.includes("account_event")).length,
    );
  });
});

describe("every sign-in", () => {
  test("leaves a line without secrets and addresses of mail, and a figure without a tenant", async () => {
    const { log } = await import("@/lib/base/log.ts");
    const lines: unknown[] = [];
    const info = vi.spyOn(log, "info").mockImplementation((...line: unknown[]) => void lines.push(line));
    const pia = await personAt("198.51.100.20");
    const browser = at("198.51.100.21");
    try {
      await browser.signIn("password", { email: pia.email, password: "a guess of mine" });
      await browser.signIn("password", { email: "who@nobody.example", password: "a guess of mine" });
      await browser.signIn("passkey", { answer: "nothing" });
      await browser.signIn("code", { code: "123456" });
      await browser.signIn("code", { code: "abcd-efgh-2345-klmn" });
      await guess([browser], ["who@nobody.example"], 6);
      await browser.signIn("password", { email: pia.email, password: PASSWORD });
    } finally {
      info.mockRestore();
    }
    const noted = lines.flatMap((line) => {
      const [{ kind, outcome }] = line as [{ kind?: string; outcome?: string }];
      return kind ? [`${kind} ${outcome}`] : [];
    });
    expect(new Set(noted)).toEqual(
      new Set([
        "password succeeded",
        "password wrong",
        "password paused",
        "passkey wrong",
        "code wrong",
        "recovery_code wrong",
      ]),
    );
    const text = JSON.stringify(lines);
    for (const secret of ["a guess of mine", PASSWORD, pia.email, "who@nobody.example", "abcd-efgh"])
      expect(text).not.toContain(secret);
    expect(text).toContain(pia.userId);
    const figures = await (
      await web.open("GET", "/metrics", { headers: { authorization: "Bearer the scraper of the tests" } })
    ).text();
    expect(figures).toMatch(/intray_sign_ins_total\{kind="password",outcome="succeeded"\} [1-9]/);
    expect(figures).toMatch(/intray_sign_ins_total\{kind="password",outcome="paused"\} [1-9]/);
    expect(figures).toContain('route="/api/auth/callback/{provider}",status="429"');
  });

  test("has the id, the headers and the limit of every call, and no address makes a figure of its own", async () => {
    const browser = at("198.51.100.22");
    const answer = await browser.send("/api/auth/csrf");
    expect(answer.headers.get("x-request-id")).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'");
    for (const path of ["made-up", "callback/a/b/c", "signin/x/y"])
      expect((await browser.send(`/api/auth/${path}`)).status).toBe(404);
    const { env } = await import("@/lib/base/env.ts");
    const { rateLimit } = env();
    try {
      env().rateLimit = 50;
      const statuses = [];
      for (let n = 0; n < 15; n++) statuses.push((await at("198.51.100.23").send("/api/auth/csrf")).status);
      expect(statuses).toEqual([...Array(10).fill(200), ...Array(5).fill(429)]);
    } finally {
      env().rateLimit = rateLimit;
    }
    const figures = await (
      await web.open("GET", "/metrics", { headers: { authorization: "Bearer the scraper of the tests" } })
    ).text();
    expect(figures).toContain('route="other",status="404"');
    expect(figures).not.toContain("made-up");
  });
});
