/**
 * The parts of the bench, in the order in which they run. A part is a module that exports
 * `run(): Promise<Figure[]>`. Each part runs in its own process, and starts and stops its servers on
 * 127.0.0.1.
 */
export const PARTS: { name: string; about: string }[] = [
  {
    name: "life",
    about: "what a task costs from its start to its end, by process, beside others; single calls",
  },
  {
    name: "agents",
    about:
      "calls of agents beside the same calls without Intray; 5,000 held calls; hooks; a list of 500 tools",
  },
  { name: "polling", about: "an engine that watches 10,000 and 50,000 tasks, beside other clients" },
  { name: "memory", about: "what a watched task, a held stream and an origin take in the engine" },
  { name: "growth", about: "watching more and more tasks; TLS, slow answers, the older era" },
  { name: "sdk-servers", about: "watching 1,000 tasks at servers on the official packages" },
  {
    name: "lists",
    about: "the inbox, lists of tasks and searches over 100,000 open and 1,000,000 settled requests",
  },
  {
    name: "timers",
    about: "timers of requests that fall due among 100,000 that wait, an engine killed meanwhile",
  },
  { name: "policy", about: "a replay of 10,000 requests; matching 100 rules with 100 requests a second" },
  { name: "plans", about: "what Postgres plans and executes for tasks that ask" },
  { name: "hints", about: "a live hint to 2,000 browsers of one organization" },
  { name: "end-to-end", about: "a question seen and an answer delivered while 1,000 tasks are watched" },
  { name: "changes", about: "state changes with event chain and live hint" },
  { name: "takeover", about: "an engine is killed, another one takes its leases over" },
  { name: "rolling", about: "two engines are restarted one after the other, under load" },
  { name: "stalled", about: "an engine stands still for a minute under load, and goes on" },
  { name: "failover", about: "Postgres is killed and comes back, under load" },
  { name: "backpressure", about: "what others notice of a server, or an organization, that makes trouble" },
];
