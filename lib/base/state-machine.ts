/** The allowed moves between states. Pure, client-safe. The database enforces them too; a test compares. */
export interface StateMachine<S extends string> {
  /** Returns the states that may move to `to`, or `some` of them. Throws if one of `some` may not. */
  before(to: S, ...some: S[]): S[];
}

export function stateMachine<S extends string>(next: Record<S, readonly S[]>): StateMachine<S> {
  const states = Object.keys(next) as S[];
  return {
    before(to, ...some) {
      const wrong = some.find((from) => !next[from].includes(to));
      if (wrong !== undefined) throw new Error(`nothing may go from ${wrong} to ${to}`);
      return some.length > 0 ? some : states.filter((from) => next[from].includes(to));
    },
  };
}
