import { expect, test } from "vitest";
import { Spent } from "../../base/process/scope.ts";
import { observe } from "./observe.ts";

test("an address without parameters is answered too: Next passes none then", async () => {
  const answer = async () => new Response("here");
  const request = new Request("http://localhost:3000/healthz");
  const response = await observe(request, Promise.resolve(undefined), "an id", new Spent(), answer);
  expect(await response.text()).toBe("here");
});
