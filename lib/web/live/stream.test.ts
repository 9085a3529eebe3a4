import { expect, test } from "vitest";
import { inScope, scope } from "../../base/process/scope.ts";
import type { Caller } from "../auth/authenticate.ts";
import { CredentialChecks } from "./stream.ts";

const caller = {
  principal: {
    organizationId: "acme",
    userId: null,
    role: "viewer",
    actor: { kind: "key", id: "k", name: "k" },
  },
} as Caller;
const request = (secret: string) =>
  new Request("http://localhost/api/v1/stream", { headers: { authorization: `Bearer ${secret}` } });

/** Checks that end when they are told to. */
function heldChecks() {
  const begun: string[] = [];
  const ends: ((valid: boolean) => void)[] = [];
  const checks = new CredentialChecks((_, { headers }) => {
    begun.push(headers.get("authorization")!.slice(7));
    return new Promise((resolve) => ends.push(resolve));
  });
  return { begun, ends, isValid: (secret: string) => checks.isValid(caller, request(secret)) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("all streams of a credential that hear one hint share a check, and two are made at once", async () => {
  const { begun, ends, isValid } = heldChecks();
  const heard = ["a", "a", "b", "c", "a", "c"].map(isValid);
  await turn();
  expect(begun).toEqual(["a", "b"]);
  ends.shift()?.(true);
  ends.shift()?.(false);
  expect(await Promise.all(heard.slice(0, 3))).toEqual([true, true, false]);
  await turn();
  expect(begun).toEqual(["a", "b", "c"]);
  ends.shift()?.(true);
  expect(await Promise.all(heard)).toEqual([true, true, false, true, true, true]);
});

test("a hint that comes while a credential is checked has it checked again", async () => {
  const { begun, ends, isValid } = heldChecks();
  const before = isValid("a");
  await turn();
  const after = [isValid("a"), isValid("a")];
  await turn();
  expect(begun).toEqual(["a", "a"]);
  ends.shift()?.(true);
  ends.shift()?.(false);
  expect(await before).toBe(true);
  expect(await Promise.all(after)).toEqual([false, false]);
});

test("a check goes on where the reader that asked for it, or one whose check came before, has left", async () => {
  const left: unknown[] = [];
  const checks = new CredentialChecks(async () => {
    left.push(scope().left?.aborted ?? "nobody");
    return true;
  });
  const gone = { requestId: null, trace: null, left: AbortSignal.abort() };
  const secrets = ["a", "b", "c"];
  await Promise.all(inScope(gone, () => secrets.map((secret) => checks.isValid(caller, request(secret)))));
  expect(left).toEqual(["nobody", "nobody", "nobody"]);
});
