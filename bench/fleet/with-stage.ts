import { postgresForTests } from "../../test/setup/global-setup.ts";
import { prepareTemplate } from "../../test/setup/postgres.ts";
import { type Servers, startServers } from "./servers.ts";
import { type Stage, setStage } from "./stage.ts";

/** Runs `work` on its own stage with `servers` simulated servers, and closes everything. */
export async function withStage<T>(
  servers: number,
  work: (stage: Stage, servers: Servers) => Promise<T>,
): Promise<T> {
  const postgres = await postgresForTests();
  process.env.TEST_DATABASE_ADMIN_URL = postgres.adminUrl;
  const dropTemplate = await prepareTemplate(postgres.adminUrl);
  const simulated = await startServers(servers);
  const stage = await setStage();
  try {
    return await work(stage, simulated);
  } catch (error) {
    // Logged here, because closing may throw another error.
    console.error(error);
    throw error;
  } finally {
    await stage.close();
    await simulated.close();
    await dropTemplate();
    await postgres.stop();
    delete process.env.TEST_DATABASE_ADMIN_URL;
  }
}
