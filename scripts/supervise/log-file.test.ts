import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, type TestContext, test } from "vitest";
import { openLog } from "./log-file.ts";

function place({ onTestFinished }: Pick<TestContext, "onTestFinished">) {
  const folder = mkdtempSync(join(tmpdir(), "intray-log-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "intray.log");
  const complaints: string[] = [];
  return { folder, path, complaints, complain: (line: string) => void complaints.push(line) };
}

test("each start begins a file of its own, and keeps the one before", (context) => {
  const { path, complain } = place(context);
  for (const start of ["first", "second", "third"]) openLog(path, complain)(start);
  expect([readFileSync(path, "utf8"), readFileSync(`${path}.1`, "utf8")]).toEqual(["third\n", "second\n"]);
});

test("a full file is followed by another one", (context) => {
  const { path, complain } = place(context);
  const append = openLog(path, complain, 10);
  for (const line of ["12345", "67890", "after"]) append(line);
  expect([readFileSync(path, "utf8"), readFileSync(`${path}.1`, "utf8")]).toEqual([
    "after\n",
    "12345\n67890\n",
  ]);
});

test("a file that can't be written is told of once, and stops nothing", (context) => {
  const { folder, path, complaints, complain } = place(context);
  const append = openLog(path, complain, 1);
  append("written");
  rmSync(folder, { recursive: true });
  for (const line of ["lost", "lost too"]) append(line);
  expect(complaints).toEqual([`${path} can't be written any more (ENOENT).`]);
  expect(existsSync(path)).toBe(false);
});
