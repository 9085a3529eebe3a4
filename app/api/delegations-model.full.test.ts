/** Many runs of delegations-model.test.ts, each of other random steps: the units make few of them at each run. */
process.env.MODEL_RUNS = "12";
process.env.LOG_LEVEL ??= "silent";
await import("./delegations-model.test.ts");

export {};
