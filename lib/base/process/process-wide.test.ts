import { expect, test, vi } from "vitest";

/** Of each class two copies, as Next's bundles have their own. */
async function copies(): Promise<[name: string, one: Make, other: Make][]> {
  const first = await classes();
  vi.resetModules();
  const second = await classes();
  return Object.keys(first).map((name) => [name, first[name]!, second[name]!]);
}
type Make = { new (...args: never[]): Error };

async function classes(): Promise<Record<string, Make>> {
  const { AppError } = await import("../errors.ts");
  const { TransactionEnded } = await import("../db/database-errors.ts");
  const { NetworkError } = await import("../network/address-rules.ts");
  const { MailError } = await import("../../outbound/mail/smtp.ts");
  return { AppError, TransactionEnded, NetworkError, MailError };
}

test("errors that shared objects throw are known in all copies of their modules, and as no others", async () => {
  for (const [name, One, Other] of await copies()) {
    expect(One).not.toBe(Other);
    const error = Reflect.construct(One, ["not_found", "There is nothing."]);
    expect(error, name).toBeInstanceOf(Other);
    expect(new Error(name), name).not.toBeInstanceOf(Other);
  }
});
