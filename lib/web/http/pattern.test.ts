import { expect, test } from "vitest";
import { patternOf } from "./observe.ts";

test.each([
  ["/api/v1/tasks", {}, "/api/v1/tasks"],
  ["/api/v1/tasks/0190-a/cancel", { id: "0190-a" }, "/api/v1/tasks/{id}/cancel"],
  ["/api/v1/tasks/tasks", { id: "tasks" }, "/api/v1/tasks/{id}"],
  ["/api/v1/tasks/%2e%2e%2fx", { id: "../x" }, "/api/v1/tasks/{id}"],
  [
    "/api/v1/servers/a/found-tasks/a/adopt",
    { id: "a", foundId: "a" },
    "/api/v1/servers/{id}/found-tasks/{foundId}/adopt",
  ],
  ["/api/v1/%74asks", {}, "/api/v1/tasks"],
  ["/api/anything/at/all", { path: ["anything", "at", "all"] }, "other"],
  ["/api/v1/tasks/%zz", { id: "somewhat else" }, "other"],
])("%s is a call of %j: %s", (pathname, params, pattern) => {
  expect(patternOf(pathname, params)).toBe(pattern);
});
