import { environmentManager, InfiniteQueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { noteConnection } from "@/lib/web/client/connection.ts";
import { createQueryClient } from "./query-client.ts";

beforeEach(() => {
  vi.useFakeTimers();
  environmentManager.setIsServer(() => false);
});
afterEach(() => {
  noteConnection({ live: true });
  environmentManager.setIsServer(() => true);
  vi.useRealTimers();
});

/** A list that is looked at, with so many pages loaded, and which pages were read. */
async function lookAt(pages: number) {
  const read: number[] = [];
  const client = createQueryClient();
  const observer = new InfiniteQueryObserver(client, {
    queryKey: ["list"],
    initialPageParam: 1,
    queryFn: ({ pageParam }) => {
      read.push(pageParam);
      return pageParam;
    },
    getNextPageParam: (page: number) => page + 1,
  });
  const stop = observer.subscribe(() => {});
  for (let loaded = 1; loaded < pages; loaded++) {
    await vi.advanceTimersByTimeAsync(0);
    await observer.fetchNextPage();
  }
  await vi.advanceTimersByTimeAsync(0);
  read.length = 0;
  return { read, client, stop };
}

test("a list of one page is read again every half minute", async () => {
  const { read, stop } = await lookAt(1);
  await vi.advanceTimersByTimeAsync(61_000);
  expect(read).toEqual([1, 1]);
  stop();
});

test("a list of several pages is left alone while hints come", async () => {
  const { read, stop } = await lookAt(3);
  await vi.advanceTimersByTimeAsync(95_000);
  expect(read).toEqual([]);
  stop();
});

test("a list of several pages is read by the clock where hints have stopped, until they are back", async () => {
  const { read, client, stop } = await lookAt(2);
  noteConnection({ live: false });
  await client.invalidateQueries();
  expect(read).toEqual([1, 2]);
  await vi.advanceTimersByTimeAsync(31_000);
  expect(read).toEqual([1, 2, 1, 2]);
  noteConnection({ live: true });
  await client.invalidateQueries();
  read.length = 0;
  await vi.advanceTimersByTimeAsync(61_000);
  expect(read).toEqual([]);
  stop();
});
