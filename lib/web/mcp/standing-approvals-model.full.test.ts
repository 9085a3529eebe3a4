/** Many runs of standing-approvals-model.test.ts, each of other random steps: the units make few of them at each run. */
process.env.MODEL_RUNS = "12";
process.env.LOG_LEVEL ??= "silent";
await import("./standing-approvals-model.test.ts");

export {};
