import type { Principal } from "../../access/principal.ts";
import type { Tx } from "../../base/db/db.ts";
import { readDigest, setDigest } from "../digest/digest-writes.ts";
import { memberOf } from "./notice-reads.ts";
import {
  type Channels,
  DEFAULT_CHANNELS,
  NOTICE_KINDS,
  type NoticeKind,
  type NoticeSettings,
  noticeKindSchema,
  type UpdateNoticeSettings,
} from "./notice-schema.ts";

/** Returns a member's channels. `sends`: a mail server exists. Throws `forbidden` for an API key. */
export async function readNoticeSettings(
  tx: Tx,
  principal: Principal,
  sends: boolean,
): Promise<NoticeSettings> {
  const userId = memberOf(principal);
  const [user, chosen] = [
    await tx.user.findFirstOrThrow({ where: { id: userId }, select: { email: true } }),
    await tx.noticePreference.findMany({ where: { organizationId: tx.organizationId, userId } }),
  ];
  const kinds = { ...DEFAULT_CHANNELS };
  for (const { kind: name, inApp, email, push, slack, teams } of chosen) {
    const kind = noticeKindSchema.parse(name);
    const defaults = DEFAULT_CHANNELS[kind];
    kinds[kind] = {
      ...{ app: inApp, email, push: push ?? defaults.push },
      ...{ slack: slack ?? defaults.slack, teams: teams ?? defaults.teams },
    };
  }
  const email = { address: user.email, sends, failure: await mailFailure(tx, userId) };
  return { email, kinds, digest: await readDigest(tx, userId) };
}

/** Why the member's last mail was not sent. One that had nothing left to say is none. */
async function mailFailure(tx: Tx, userId: string): Promise<NoticeSettings["email"]["failure"]> {
  const last = await tx.mail.findFirst({
    where: { organizationId: tx.organizationId, userId, state: { not: "dropped" } },
    orderBy: [{ createdAt: "desc" }, { id: "desc" }],
    select: { state: true, error: true, createdAt: true },
  });
  if (!last || last.state === "sent" || last.error === null) return null;
  return { error: last.error, since: last.createdAt.toISOString() };
}

/** Changes the digest and the given kinds, for future notices; the last write wins. Throws `forbidden` for an API key. */
export async function setNoticeSettings(
  tx: Tx,
  principal: Principal,
  { kinds, digest }: UpdateNoticeSettings,
): Promise<void> {
  const userId = memberOf(principal);
  if (digest) await setDigest(tx, userId, digest);
  for (const kind of NOTICE_KINDS) {
    const channels = kinds?.[kind];
    if (channels) await setChannels(tx, userId, kind, channels);
  }
}

async function setChannels(
  tx: Tx,
  userId: string,
  kind: NoticeKind,
  {
    app,
    email,
    push,
    slack,
    teams,
  }: Pick<Channels, "app" | "email"> & { [K in "push" | "slack" | "teams"]?: boolean | undefined },
): Promise<void> {
  const chosen = {
    inApp: app,
    email,
    ...(push !== undefined && { push }),
    ...(slack !== undefined && { slack }),
    ...(teams !== undefined && { teams }),
  };
  await tx.noticePreference.upsert({
    where: { organizationId_userId_kind: { organizationId: tx.organizationId, userId, kind } },
    create: { organizationId: tx.organizationId, userId, kind, ...chosen },
    update: chosen,
  });
}
