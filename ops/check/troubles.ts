/** How each alert is made to fire, and what ends that. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Scene } from "./scene.ts";

export interface Trouble {
  alert: string;
  /** In words, for the table. */
  what: string;
  /** Once; what it returns ends it. */
  make(scene: Scene): Promise<() => Promise<unknown>>;
  /** While the alert is waited for. */
  meanwhile?(scene: Scene): Promise<unknown>;
}

const nothing = async () => {};

/** In the order in which they are made; each leaves a scene that works. */
export const TROUBLES: Trouble[] = [
  {
    alert: "IntrayRequestTooOld",
    what: "a question was made four days older",
    async make({ ask, servers, sql }) {
      const id = await ask(servers.fine);
      await sql(`UPDATE input_request SET created_at = created_at - interval '4 days' WHERE id = '${id}'`);
      return nothing;
    },
  },
  {
    alert: "IntrayDeliveryOverdue",
    what: "a server went down before it was told an answer, which was made ten minutes older",
    async make({ ask, answer, servers, moody, sql }) {
      const id = await ask(servers.moody);
      await moody.goDown();
      await answer(id);
      await sql(
        `UPDATE delivery SET deliver_after = now() - interval '10 minutes' WHERE input_request_id = '${id}'`,
      );
      return () => moody.comeBack();
    },
  },
  {
    alert: "IntrayDeliveryFailed",
    what: "a server refused an answer",
    async make({ ask, answer, servers }) {
      await answer(await ask(servers.refusing));
      return nothing;
    },
  },
  {
    alert: "IntrayDeliveryIgnored",
    what: "a server took an answer and went on asking",
    async make({ ask, answer, servers, fine }) {
      const id = await ask(servers.fine);
      fine.behave.onUpdate = () => "ignore";
      await answer(id);
      return async () => {
        fine.behave.onUpdate = undefined;
      };
    },
  },
  {
    alert: "IntrayWebhookDisabled",
    what: "a webhook's receiver answered 410",
    async make({ call, ask, answer, servers, receiver }) {
      const { status } = await call("POST", "/webhooks", { url: receiver.url, events: ["task.completed"] });
      if (status !== 201) throw new Error(`no webhook could be made: ${status}`);
      await answer(await ask(servers.fine));
      return nothing;
    },
  },
  {
    alert: "IntrayStepFailed",
    what: "the engine's role lost a right that capturing a question takes",
    async make({ call, servers, sql }) {
      await sql("REVOKE INSERT ON ask FROM intray_engine");
      await call("POST", "/tasks", { serverId: servers.fine, tool: "approve", arguments: {} });
      return () => sql("GRANT INSERT ON ask TO intray_engine");
    },
  },
  {
    alert: "IntrayErrors",
    what: "the web's role lost a right that the list of tasks takes, and the list was asked for",
    async make({ sql }) {
      await sql("REVOKE SELECT ON task FROM intray_app");
      return () => sql("GRANT SELECT ON task TO intray_app");
    },
    meanwhile: ({ call }) => call("GET", "/tasks"),
  },
  {
    alert: "IntrayDatabaseUnreachable",
    what: "Postgres took no connection of the web app",
    async make({ sql }) {
      await sql("ALTER ROLE intray_app CONNECTION LIMIT 0");
      await sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'intray_app'");
      return () => sql("ALTER ROLE intray_app CONNECTION LIMIT -1");
    },
  },
  {
    alert: "IntrayNoEngine",
    what: "the engine was stopped (SIGSTOP)",
    async make({ intray }) {
      await intray.kill("engine", "SIGSTOP");
      return () => intray.kill("engine", "SIGCONT");
    },
  },
  {
    alert: "IntrayLate",
    what: "the stopped engine went on, with tasks that were long due",
    make: async () => nothing,
  },
  {
    alert: "IntrayFollowerBehind",
    what: "a follower of the history stood still for five minutes",
    async make({ sql }) {
      await sql(`INSERT INTO event_follower (organization_id, follower, seq)
        SELECT organization_id, 'standing', 0 FROM event_head ON CONFLICT DO NOTHING`);
      return () => sql("DELETE FROM event_follower WHERE follower = 'standing'");
    },
  },
  {
    alert: "IntrayDown",
    what: "the web process was killed, again and again",
    make: async () => nothing,
    async meanwhile({ intray }) {
      await intray.kill("web");
      await sleep(300);
    },
  },
];
