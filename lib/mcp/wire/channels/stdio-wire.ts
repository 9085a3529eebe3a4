/** JSON-RPC over the stdin and stdout of a child process, both eras. */
import { randomUUID } from "node:crypto";
import type { CommandEndpoint } from "../../peer.ts";
import { Child, COMMAND_GONE } from "./child.ts";
import { ConversationWire } from "./conversation-wire.ts";

export class StdioWire extends ConversationWire {
  readonly kind = "stdio";

  constructor(endpoint: CommandEndpoint, log: (line: string, startedAt: Date) => void) {
    const channels = {
      open: (listener: ConstructorParameters<typeof Child>[1]) => new Child(endpoint, listener),
      newSessionId: randomUUID,
      most: endpoint.processes ?? 1,
      words: {
        gone: COMMAND_GONE,
        sessionGone: "The command was restarted since then",
        full: "As many of the command run as the operator allows",
        ended: "The command was ended",
        failed: "The command could not be run",
        paused: "The command ended at once and is not started again yet",
        noResume: "The reply of a command can't be waited for again",
      },
    };
    super(channels, log);
  }
}
