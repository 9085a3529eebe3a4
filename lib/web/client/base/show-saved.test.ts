import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { showSaved } from "./query-client.ts";

test("a read that began before the write does not take it back", async () => {
  const client = new QueryClient();
  const reads: ((value: string) => void)[] = [];
  const queryKey = ["organization"];
  const observer = new QueryObserver<string>(client, {
    queryKey,
    queryFn: () => new Promise((resolve) => reads.push(resolve)),
  });
  const stop = observer.subscribe(() => {});
  reads[0]?.("before");
  await expect.poll(() => observer.getCurrentResult().data).toBe("before");
  const older = observer.refetch();
  await showSaved(client, queryKey, "after");
  reads[1]?.("before");
  await older;
  expect(observer.getCurrentResult().data).toBe("after");
  stop();
});
