import { expect, test } from "vitest";
import { createTestDatabase } from "../../../test/setup/postgres.ts";
import { listen } from "./listen.ts";

test("whoever stops listening while the connection is being made is not kept waiting", async () => {
  const postgres = await createTestDatabase();
  const errors: unknown[] = [];
  const listener = listen(postgres.appUrl, "intray_wake", {
    onNotification: () => undefined,
    onConnected: () => errors.push("connected"),
    onError: (error) => errors.push(error),
  });
  await listener.close();
  expect(errors).toEqual([]);
  await postgres.drop();
});
