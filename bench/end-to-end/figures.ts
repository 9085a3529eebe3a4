/** Figures from the traces of tasks that asked. */
import { type Figure, quantile } from "../figure.ts";
import type { Trace } from "./people.ts";

function between(traces: Trace[], from: keyof Trace, to: keyof Trace): number[] {
  return traces.flatMap((trace) =>
    trace[from] !== undefined && trace[to] !== undefined ? [trace[to] - trace[from]] : [],
  );
}

function at(what: string, times: number[], part: number, atMost?: number): Figure {
  return {
    what: `${what}, p${part * 100}`,
    value: quantile(times, part),
    unit: "ms",
    ...(atMost !== undefined && { goal: { atMost } }),
  };
}

export function figuresOfFew(
  { polled, told }: Record<"polled" | "told", Trace[]>,
  pollMs: number,
  wanted: number,
): Figure[] {
  const all = [...polled, ...told];
  const seen = between(polled, "asked", "seen");
  const seenTold = between(told, "asked", "seen");
  const answers = between(all, "taken", "answered");
  return [
    at(`question seen, polled each ${pollMs} ms`, seen, 0.5),
    at(`question seen, polled each ${pollMs} ms`, seen, 0.99, pollMs + 100),
    at("question seen, with notifications", seenTold, 0.5),
    at("question seen, with notifications", seenTold, 0.99, 250),
    at("of it until the poll that shows it", between(told, "asked", "shown"), 0.99),
    at("of it after the poll that shows it", between(all, "shown", "seen"), 0.99),
    at("answer at the server after the API call", answers, 0.5, 30),
    at("answer at the server after the API call", answers, 0.99, 150),
    {
      what: "answers that did not arrive",
      value: wanted - between(all, "asked", "answered").length,
      unit: "",
      goal: { atMost: 0 },
    },
  ];
}

/**
 * `load`: the prefix of the figures' names. The load may exceed the commits that this disk allows one
 * organization: nothing is lost, but commits wait.
 */
export function figuresOfMany(load: string, traces: Trace[], wanted: number): Figure[] {
  const answers = between(traces, "taken", "answered");
  return [
    at(`${load}: question seen after the poll that shows it`, between(traces, "shown", "seen"), 0.5),
    at(`${load}: question seen after the poll that shows it`, between(traces, "shown", "seen"), 0.99),
    at(`${load}: answer at the server`, answers, 0.5),
    at(`${load}: answer at the server`, answers, 0.99),
    {
      what: `${load}: answers still under way 20 s after the last start, of ${wanted}`,
      value: wanted - between(traces, "asked", "answered").length,
      unit: "",
    },
  ];
}
