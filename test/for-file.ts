/** What a test file keeps from its first test to its last. Its fields are there once a test or a later hook runs. */
import { afterAll, beforeAll, vi } from "vitest";
import { createTestDatabase, type TestDatabase } from "./setup/postgres.ts";

/** Makes it before the tests, and ends it after them: by its `close()`, unless `end` says otherwise. */
export function forFile<T extends { close(): Promise<unknown> }>(make: () => Promise<T>): T;
export function forFile<T extends object>(make: () => Promise<T>, end: (made: T) => Promise<unknown>): T;
export function forFile<T extends { close?(): Promise<unknown> }>(
  make: () => Promise<T>,
  end = async (made: T) => made.close?.(),
): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  afterAll(async () => {
    if (made) await end(made);
  });
  const there = (): T => {
    if (!made) throw new Error("It is made when the tests of the file begin.");
    return made;
  };
  // What a test sets has to be set in what was made, whose own functions read it.
  return new Proxy({} as T, {
    get: (_, key) => Reflect.get(there(), key),
    set: (_, key, value) => Reflect.set(there(), key, value),
    has: (_, key) => Reflect.has(there(), key),
    ownKeys: () => Reflect.ownKeys(there()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(there(), key),
  });
}

export function databaseForFile(): TestDatabase {
  return forFile(createTestDatabase, (database) => database.drop());
}

/** Runs more of a file's tests at once than the default five: for tests of one engine that mostly wait. */
export function manyAtOnce(): void {
  vi.setConfig({ maxConcurrency: 16 });
}
