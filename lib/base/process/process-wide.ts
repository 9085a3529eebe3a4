/**
 * What a process has one of: connection pools, counters, settings as they were read. They are kept on globalThis,
 * since Next bundles its own copies of modules into the process.
 */
const key = Symbol.for("intray");
const shared = globalThis as { [key]?: Map<string, unknown> };
shared[key] ??= new Map();
const made = shared[key];

/** Returns a function that returns this process's one `name`. The first call makes it. */
export function onePerProcess<T>(name: string, make: () => T): () => T {
  return () => {
    if (!made.has(name)) made.set(name, make());
    return made.get(name) as T;
  };
}

/**
 * `instanceof` of an error that such a one may throw, for `Symbol.hasInstance` of its class: each copy of the class's module has a class of
 * its own, and whoever comes first makes the one.
 */
export function isErrorNamed(value: unknown, name: string): boolean {
  return value instanceof Error && value.name === name;
}

/** Lets the next call make it anew. */
export function forget(name: string): void {
  made.delete(name);
}

/** Puts another in its place, and returns what was there. For tests. */
export function replace(name: string, other: unknown): unknown {
  const before = made.get(name);
  made.set(name, other);
  return before;
}

/** Lets everything be made anew. For tests: a worker runs many files, each with settings of its own. */
export function forgetAll(): void {
  made.clear();
}
