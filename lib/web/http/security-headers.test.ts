import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { expect, test, vi } from "vitest";
import { forgetAll } from "../../base/process/process-wide.ts";
import { pagePolicy, SONNER_STYLE, setApiHeaders, setPageHeaders } from "./security-headers.ts";

test("the policy knows the style sheet that sonner puts into pages", async () => {
  const source = await readFile("node_modules/sonner/dist/index.mjs", "utf8");
  const [, literal] = /^__insertCSS\((".*")\);?$/m.exec(source) ?? [];
  const hashOf = (text: string) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  expect(SONNER_STYLE).toEqual([hashOf(""), hashOf(JSON.parse(literal ?? ""))]);
});

test("pages run scripts with their nonce, and no style element that is not known", () => {
  const policy = Object.fromEntries(
    pagePolicy("n0nce", false)
      .split("; ")
      .map((each) => [each.split(" ")[0], each]),
  );
  expect(policy["default-src"]).toBe("default-src 'none'");
  expect(policy["script-src"]).toBe("script-src 'self' 'nonce-n0nce' 'strict-dynamic'");
  expect(policy["style-src"]).not.toContain("unsafe");
  expect(policy["frame-ancestors"]).toBe("frame-ancestors 'none'");
  expect(policy["worker-src"]).toBe("worker-src 'self'");
});

test("what is no page says itself that it loads, frames, sends and moves nothing", async () => {
  const headers = new Headers();
  setApiHeaders(headers);
  const settings = (await import("../../../next.config.js")).default("phase-production-server");
  const ofFiles = ((await settings.headers?.()) ?? []).flatMap((rule) => rule.headers);
  expect(ofFiles.length).toBeGreaterThan(0);
  for (const policy of [
    headers.get("content-security-policy"),
    ...ofFiles.filter(({ key }) => key === "content-security-policy").map(({ value }) => value),
  ])
    expect(policy?.split("; ")).toEqual(
      // Base addresses and forms do not fall back to default-src.
      expect.arrayContaining([
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
        "form-action 'none'",
      ]),
    );
});

test("addresses of pages go to no other site, and those with a secret nowhere", () => {
  const referrerOf = (set: (headers: Headers) => void) => {
    const headers = new Headers();
    set(headers);
    return headers.get("referrer-policy");
  };
  expect(referrerOf((headers) => setPageHeaders(headers, "", { isSecretAddress: false }))).toBe(
    "same-origin",
  );
  expect(referrerOf((headers) => setPageHeaders(headers, "", { isSecretAddress: true }))).toBe("no-referrer");
  expect(referrerOf((headers) => setApiHeaders(headers))).toBe("no-referrer");
});

test.each([
  ["https://intray.example", "max-age=31536000"],
  ["http://localhost:3000", null],
])("%s is kept to https: %s", (url, expected) => {
  vi.stubEnv("INTRAY_URL", url);
  forgetAll();
  const headers = new Headers();
  setApiHeaders(headers);
  vi.unstubAllEnvs();
  expect(headers.get("strict-transport-security")).toBe(expected);
});
