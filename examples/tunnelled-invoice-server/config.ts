/** Settings, all from the environment. An invalid value stops the start. */
export interface Config {
  host: string;
  /** 0 chooses a free port. */
  port: number;
  databaseUrl: string;
  /** How long a validation and a payment take. */
  stepMs: number;
}

export function readConfig(env: NodeJS.ProcessEnv = process.env): Config {
  return {
    host: env.TUNNEL_HOST || "127.0.0.1",
    port: numberFrom(env, "TUNNEL_PORT", null, 65_535),
    databaseUrl: required(env, "TUNNEL_DATABASE_URL"),
    stepMs: numberFrom(env, "TUNNEL_STEP_MS", 3000, Number.MAX_SAFE_INTEGER),
  };
}

function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

function numberFrom(env: NodeJS.ProcessEnv, name: string, fallback: number | null, max: number): number {
  const text = env[name] || fallback?.toString() || required(env, name);
  const value = Number(text);
  if (!Number.isFinite(value) || value < 0 || value > max) throw new Error(`${name} is not valid: ${text}`);
  return value;
}
