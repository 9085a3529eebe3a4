/**
 * Statements whose text is put together once: from all their parts that costs more of a process than sending it, and a
 * text that is the same object needs no other comparison.
 */
import type { Prisma } from "../../generated/prisma/client.ts";

interface Kept {
  text: string;
  values: unknown[];
}

/** The texts of one statement, by its variants, of which there are few. */
export class KeptText<Name extends string> {
  readonly #kept = new Map<string, Kept>();
  /** What stands for each value as the text is made: no text that Postgres takes is the same. */
  readonly #marks: Record<Name, string>;
  readonly #nameOf: Map<unknown, Name>;

  constructor(names: readonly Name[]) {
    const marks = names.map((name) => [name, `\u0000${name}`] as const);
    this.#marks = Object.fromEntries(marks) as Record<Name, string>;
    this.#nameOf = new Map(marks.map(([name, mark]) => [mark, name]));
  }

  /** `make` gives the statement for the values that it is given; it must use no others that change from call to call. */
  statement(
    variant: string,
    values: Record<Name, string>,
    make: (values: Record<Name, string>) => Prisma.Sql,
  ): Prisma.Sql {
    let kept = this.#kept.get(variant);
    if (!kept) {
      const { text, values: marked } = make(this.#marks);
      kept = { text, values: marked };
      this.#kept.set(variant, kept);
    }
    const filled = kept.values.map((value) => {
      const name = this.#nameOf.get(value);
      return name === undefined ? value : values[name];
    });
    // As the client's own (raw.ts takes no more of it), but that its text is there.
    return { text: kept.text, values: filled } as unknown as Prisma.Sql;
  }
}
