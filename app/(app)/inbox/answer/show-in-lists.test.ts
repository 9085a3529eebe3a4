import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { InputRequestDetail, InputRequestSummary } from "@/lib/requests/request-schema.ts";
import { requestCounts, requestList } from "@/lib/web/client/requests.ts";
import { showInLists } from "./show-in-lists.ts";

test("a decision shows in every list that holds its request, and in no other data", () => {
  const client = new QueryClient();
  const request = (id: string, state = "open") => ({ id, state }) as InputRequestSummary;
  const page = (...items: InputRequestSummary[]) => ({ items, nextCursor: null });
  const mine = requestList("mine").queryKey;
  const all = requestList("all").queryKey;
  const counts = requestCounts().queryKey;
  client.setQueryData(mine, { pages: [page(request("a")), page(request("b"))], pageParams: ["", "x"] });
  client.setQueryData(all, { pages: [page(request("c"))], pageParams: [""] });
  const counted = { waiting: 2, unassigned: 2, all: 3 } as never;
  client.setQueryData(counts, counted);
  const elsewhere = client.getQueryData(all);

  showInLists(client, request("b", "answered") as InputRequestDetail);

  const states = client.getQueryData(mine)?.pages.map(({ items }) => items.map(({ state }) => state));
  expect(states).toEqual([["open"], ["answered"]]);
  expect(client.getQueryData(all)).toEqual(elsewhere);
  expect(client.getQueryData(counts)).toEqual(counted);
});
