/** Reads how long Postgres planned and executed out of its log, with log_min_duration_statement=0. */

export interface Spent {
  /** Parsing, analysing, rewriting and planning, in ms. */
  planned: number;
  executed: number;
  statements: number;
}

interface Line {
  ms: number;
  did: "parse" | "bind" | "execute" | "statement";
  text: string;
}

/** The durations between the statements that contain these words, of Intray's roles. */
export function spentIn(log: string, from: string, until: string): Spent {
  const within = linesOf(log.slice(log.indexOf(from), log.lastIndexOf(until)));
  if (process.env.BENCH_PLANS_TEXTS) tellMost(within);
  const sum = (...kinds: Line["did"][]) =>
    within.reduce((ms, line) => (kinds.includes(line.did) ? ms + line.ms : ms), 0);
  return {
    planned: sum("parse", "bind"),
    executed: sum("execute", "statement"),
    statements: within.filter(({ did }) => did === "execute" || did === "statement").length,
  };
}

const DURATION =
  /^\d+ (?:intray_app|intray_engine) LOG: {2}duration: ([\d.]+) ms {2}(parse|bind|execute|statement)(?: [^:]*)?: ([\s\S]*)$/;

function linesOf(log: string): Line[] {
  return log.split(/\n(?=\d+ )/).flatMap((entry) => {
    const [, ms, did, text = ""] = DURATION.exec(entry) ?? [];
    return did ? [{ ms: Number(ms), did: did as Line["did"], text }] : [];
  });
}

/** Prints the statements that Postgres planned longest. */
function tellMost(lines: Line[]): void {
  const by = new Map<string, { planned: number; executed: number; binds: number; parses: number }>();
  for (const { ms, did, text } of lines) {
    const its = by.get(text) ?? { planned: 0, executed: 0, binds: 0, parses: 0 };
    by.set(text, its);
    if (did === "parse" || did === "bind") its.planned += ms;
    else its.executed += ms;
    if (did === "parse") its.parses++;
    if (did === "bind") its.binds++;
  }
  for (const [text, { planned, executed, binds, parses }] of [...by]
    .sort(([, a], [, b]) => b.planned - a.planned)
    .slice(0, Number(process.env.BENCH_PLANS_TEXTS)))
    console.log(
      `${planned.toFixed(1)} ms planned, ${executed.toFixed(1)} ms executed, ${parses} parses, ${binds} binds: ${text.replace(/\s+/g, " ").slice(0, 300)}`,
    );
  console.log(`${by.size} texts`);
}
