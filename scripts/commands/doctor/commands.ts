/** Checks who the operator's command servers run as. */
import { spawnSync } from "node:child_process";
import { env } from "../../../lib/base/env.ts";
import { asCommandUser } from "../../../lib/mcp/wire/channels/command-user.ts";
import { operatorServers } from "../../../lib/servers/operator-file.ts";
import { bad, type Finding, good } from "./finding.ts";

/** Says nothing where no entry of the operator's file is a command. */
export function commands(): Finding[] {
  if (![...operatorServers().values()].some(({ endpoint }) => "command" in endpoint)) return [];
  const { commandUser } = env();
  if (!commandUser) {
    const words = "run as Intray's own user, and can read its secrets; INTRAY_COMMAND_USER names another one";
    return [good("commands", words)];
  }
  const [program, args] = asCommandUser(commandUser, "true", []);
  const { status, error, stderr } = spawnSync(program, args, { encoding: "utf8" });
  if (status === 0) return [good("commands", `run as user ${commandUser.uid}`)];
  const why = error ? "setpriv (util-linux) was not found" : stderr.trim();
  return [bad("commands", `cannot run as user ${commandUser.uid}, so they are not run: ${why}`)];
}
