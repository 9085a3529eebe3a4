import type { TryLimits } from "../people/accounts/tries.ts";

/** Every timing and limit of the web edge, one sentence each. Durations in ms. */

/** A session ends this long after signing in, even if used: one working day. */
export const SESSION_LIFETIME_MS = 8 * 3600_000;

/** A link to set a password works once, and for a week. */
export const PASSWORD_LINK_LIFETIME_MS = 7 * 24 * 3600_000;

/** A link that an admin passes on to a member: until both are at work again. */
export const ADMINS_PASSWORD_LINK_MS = 24 * 3600_000;

/** Links for forgotten passwords that one network may ask for; how many are mailed to an account is the engine's. */
export const FORGOT_PER_ADDRESS = { limit: 20, windowMs: 60_000 };

/**
 * Tries of passwords. A person mistypes a few times and then waits for half a minute; where they signed in before, never
 * for more than one. From places that the account does not know, 30 tries at once and 720 a day are looked at; from one
 * network 60 at once and 10 a minute, over all accounts that it does not know.
 */
export const PASSWORD_TRIES: TryLimits = {
  free: 5,
  firstPauseMs: 30_000,
  longestPauseMs: 15 * 60_000,
  longestKnownPauseMs: 60_000,
  account: { tries: 30, everyMs: 120_000 },
  network: { tries: 60, everyMs: 6_000 },
};

/**
 * Tries to sign in of one network that are under way, and that wait: an office of 300 may come at the same moment, and ten passwords
 * a second are looked at.
 */
export const TRIES_SHARES = {
  atOnce: Number.POSITIVE_INFINITY,
  ofOne: 20,
  waiting: 300,
  stillMs: 10_000,
  waitMs: 60_000,
};

/** A browser is known for this long after somebody signed in with it, as networks are (gate.sweep_throttle). */
export const BROWSER_COOKIE_MS = 90 * 24 * 3600_000;

/** Answers of passkeys from one network: none can be guessed, each costs a look at a signature. */
export const PASSKEYS_PER_ORIGIN = { limit: 300, windowMs: 60_000 };

/** Sign-ins at providers that one network may begin: many people share an office's. */
export const PROVIDER_STARTS_PER_ORIGIN = { limit: 120, windowMs: 60_000 };

/** Logout tokens that one network may send for one provider: a company that closes may sign all out at once. */
export const LOGOUTS_PER_ORIGIN = { limit: 600, windowMs: 60_000 };

/** A logout token older than this is not taken; providers make each for one call. */
export const LOGOUT_TOKEN_SECONDS = 10 * 60;

/** How far a provider's clock may be from ours where it signs people out. */
export const LOGOUT_CLOCK_SECONDS = 60;

/** A provider's keys are asked again after this long for a key that is not among them. */
export const PROVIDER_KEYS_ASKED_MS = 10_000;

/** Addresses whose domain one network may ask the sign-in page about. */
export const SIGN_IN_WAYS_PER_ORIGIN = { limit: 120, windowMs: 60_000 };

/** Domains that one member may have looked up in DNS. */
export const DOMAIN_CHECKS_PER_MEMBER = { limit: 20, windowMs: 60_000 };
/** SAML responses from one network: each costs a look at a signature. */
export const SAML_RESPONSES_PER_ORIGIN = { limit: 120, windowMs: 60_000 };

/** Refused sign-ins that a provider's organization is told of, each reason of each provider: anybody may send a response. */
export const SAML_REFUSALS_TOLD = { limit: 1, windowMs: 3_600_000 };

/** Metadata documents that one caller may have read: each address is of the caller's choice, each key pair takes a moment. */
export const SAML_CHANGES_PER_CALLER = { limit: 20, windowMs: 60_000 };

/** What a provider says about itself is asked again after this long. */
export const DISCOVERY_KEPT_MS = 10 * 60_000;

/** A provider that could not be asked is asked again after this long. */
export const DISCOVERY_FAILURE_KEPT_MS = 5_000;

/** Calls of /api/setup and /api/set-password from one address; each costs a slow password hash. */
export const PASSWORD_SET_PER_ADDRESS = { limit: 10, windowMs: 60_000 };

/** Tries of the setup token from all addresses, which can be forged where no proxy stands in front. */
export const SETUP_TRIES = { limit: 60, windowMs: 60_000 };

/** Views and uses of invitation links from one address: a link is opened a few times, guessed never. */
export const JOIN_PER_ADDRESS = { limit: 30, windowMs: 60_000 };

/** Reads of calendars from one network: a company's programs may share one. */
export const CALENDARS_PER_ADDRESS = { limit: 120, windowMs: 60_000 };

/** Links of digests that one network follows: a mail provider's machines send them for many people. */
export const UNSUBSCRIBES_PER_ADDRESS = { limit: 120, windowMs: 60_000 };

/** Invitations that one organization has mailed: its admins write to addresses of their choice. */
export const INVITATIONS_MAILED_PER_ORGANIZATION = { limit: 100, windowMs: 3600_000 };

/** An organization can be deleted within this time of its full export. */
export const EXPORT_COUNTS_MS = 3600_000;

/** The largest request body in bytes. */
export const MAX_BODY_BYTES = 1024 * 1024;
/** Values of a request body: a body of a megabyte could have half a million, each of which is judged. */
export const MAX_BODY_VALUES = 100_000;
/** The same of a policy, whose values are judged one by one, each with words of its own where it is wrong. */
export const MAX_POLICY_VALUES = 20_000;
/** The largest body of a call that anyone may make, in bytes. */
export const STRANGERS_BODY_BYTES = 16 * 1024;

/** Bodies up to this size are taken at once, if they come with their head. */
export const WHOLE_BODY_BYTES = 32 * 1024;

/** Answers from this size on are sent packed, to who takes them so. Below it the packing costs more than the bytes. */
export const PACKED_FROM_BYTES = 1024;

/** Up to this size they are packed by the thread that answers: 30 µs for 4 KB and 70 for 16, where another thread's work costs 160 µs and more. */
export const PACKED_IN_PLACE_BYTES = 64 * 1024;

/** A caller whose body took longer is looked up once more: they may be signed out, removed or made less meanwhile. */
export const HELD_BODY_MS = 1_000;

/** How deep a request body may be nested, since later readers walk it level by level. */
export const MAX_BODY_DEPTH = 64;

/** Connections of a web process to Postgres, beside the one that listens for hints. */
export const DATABASE_CONNECTIONS = 10;

/**
 * Transactions at once, of all organizations and of one, and the waits for a turn: in a line that stands still, as behind
 * a lock, and in one that moves. Two connections are left for looking up credentials; half is for the other organizations.
 */
export const DATABASE_SHARES = { atOnce: 8, ofOne: 4, stillMs: 5_000, waitMs: 30_000 };

/** The same of statements that look up credentials and count tries, of all networks and of one. Each takes a moment. */
export const GATE_SHARES = { atOnce: 8, ofOne: 4, stillMs: 5_000, waitMs: 30_000 };

/** The Retry-After that a client gets when the database is down, or busy. */
export const DATABASE_RETRY_AFTER_MS = 2_000;

/** The longest `Idempotency-Key`, in characters. */
export const MAX_IDEMPOTENCY_KEY = 255;

/** An event stream sends a comment this often; proxies commonly drop a silent connection after 30 s. */
export const STREAM_COMMENT_MS = 15_000;

/** The credential behind an open event stream is checked again this often. */
export const STREAM_RECHECK_MS = 30_000;

/** An event stream ends after this long; browsers come back by themselves. */
export const STREAM_LIFETIME_MS = 15 * 60_000;

/** Open event streams of one member or API key; one per browser is enough. */
export const STREAMS_PER_PRINCIPAL = 8;

/** Those of an organization in one web process: each hint is written to every one of them. */
export const STREAMS_PER_ORGANIZATION = 500;

/** Checks of credentials behind streams at once: a member's change has each credential of the organization checked. */
export const STREAM_CHECKS = 2;

/** A reader that is this many hints behind is dropped, and reads everything anew when it reconnects. */
export const STREAM_BACKLOG = 1_000;

/** An engine that was not seen for this long counts as dead. */
export const ENGINE_SEEN_MS = 15_000;

/** How long one call of /api/engine/run lets the engine work; platforms cut a request at 60 s. */
export const ENGINE_RUN_MS = 50_000;

/** Sign-ins at authorization servers that one member may begin: each calls servers of others' choice. */
export const CONNECTS_PER_MEMBER = { limit: 20, windowMs: 60_000 };

/** Documents that one member or key may read: each call asks a server, or starts a command. */
export const DOCUMENTS_PER_CALLER = { limit: 60, windowMs: 60_000 };
/** Addresses that one caller may try: each try calls a machine of the caller's choice. */
export const PROBES_PER_CALLER = { limit: 20, windowMs: 60_000 };

/** Servers that one caller may register, change or check, and receivers that they may test: each call goes where they chose. */
export const CHECKS_PER_CALLER = { limit: 120, windowMs: 60_000 };

/** Failed pages that one caller may have logged. */
export const PAGE_FAILURES_PER_CALLER = { limit: 10, windowMs: 60_000 };

/** Checks of the whole history that one organization may ask for: each reads every line. */
export const VERIFICATIONS_PER_ORGANIZATION = { limit: 20, windowMs: 60_000 };

/** The Retry-After while another check of the same history runs. */
export const VERIFICATION_RETRY_AFTER_MS = 5_000;

/** How long a replay of the policy may take, with its reader: longer than 10,000 requests take on a busy machine. */
export const REPLAY_MS = 5 * 60_000;

/** The Retry-After while another replay of the same organization runs. */
export const REPLAY_RETRY_AFTER_MS = 5_000;

/** Lines that an export reads at a time, each batch in its own transaction. */
export const EXPORT_BATCH = 1_000;

/** Tries of passwords and codes by a signed-in person who changes how they sign in. */
export const PROOFS_PER_ACCOUNT = { limit: 10, windowMs: 60_000 };

/** The time between the password and the code of one sign-in: long enough to fetch the phone. */
export const PENDING_SIGN_IN_MS = 5 * 60_000;

/** Codes tried in one sign-in before the password is asked again. */
export const PENDING_SIGN_IN_TRIES = 5;

/** Codes of any kind tried for one account from one place, over all its sign-ins; those of the app wait longer besides. */
export const CODES_PER_ACCOUNT = { limit: 10, windowMs: 60_000 };

/** A passkey's challenge works once, and for this long. */
export const PASSKEY_CHALLENGE_MS = 5 * 60_000;

/** Challenges that one address may ask for; each is a row. */
export const PASSKEY_CHALLENGES_PER_ADDRESS = { limit: 300, windowMs: 60_000 };

/** How long a shown password, code or passkey is good for the calls that ask for one: one task at the settings. */
export const STEP_UP_MS = 5 * 60_000;

/** How long a sign-in provider may take to answer one call. */
export const PROVIDER_TIMEOUT_MS = 10_000;
/** An agent's access token: the next look at the refresh token, and what a leak is worth without it. In seconds. */
export const AGENT_ACCESS_TOKEN_S = 15 * 60;

/** An agent that is not used for this long has to be let in again. In seconds. */
export const AGENT_REFRESH_TOKEN_S = 30 * 24 * 3600;

/** And after this long in any case. */
export const AGENT_SIGN_IN_MS = 90 * 24 * 3600_000;

/** The time for which a member may think about an agent that asks. In seconds. */
export const AGENT_QUESTION_S = 10 * 60;

/** A code is fetched by the client at once. In seconds. */
export const AGENT_CODE_S = 60;

/** Clients that one network may register: each is a row. */
export const AGENT_REGISTRATIONS_PER_NETWORK = { limit: 30, windowMs: 60_000 };
/**
 * Clients that nobody has let in, of one network and over the whole installation: the oldest make room for new ones. At
 * AGENT_REGISTRATIONS_PER_NETWORK each has ten minutes at least, in which a person answers.
 */
export const MOST_UNUSED_AGENT_CLIENTS = { ofOne: 300, ofAll: 10_000 };
/** How long such a client is kept. */
export const AGENT_CLIENT_UNUSED_MS = 24 * 3600_000;

/** Metadata documents of clients that one member may have fetched. */
export const AGENT_DOCUMENTS_PER_MEMBER = { limit: 20, windowMs: 60_000 };
/** Questions that one member may be asked. */
export const AGENT_QUESTIONS_PER_MEMBER = { limit: 30, windowMs: 60_000 };
/** Codes and tokens that one network may exchange: an office's agents renew theirs every quarter of an hour. */
export const AGENT_TOKENS_PER_NETWORK = { limit: 600, windowMs: 60_000 };

/** Calls are counted in windows of this length. */
export const CALLS_WINDOW_MS = 60_000;

/** The share of a member's or key's calls that may be writes, which cost locks and lines of history. */
export const WRITES_SHARE = 0.4;

/** Calls without a credential from one address, as a share of a member's limit; none does any work. */
export const ADDRESS_SHARE = 0.2;

/** Calls that a process takes from a window at once: one statement per chunk instead of one per call. */
export const CALLS_CHUNK = 20;

/** How often a process drops expired windows. */
export const CALLS_SWEEP_MS = 60_000;

/** Most open tasks, questions and deliveries that a scrape of /metrics counts. */
export const FIGURES_CAP = 100_000;

/** Held calls of agents are looked through this often: for those whose time is over, and whose stream should say something. */
export const HELD_SWEEP_MS = 250;

/** A held call opens its stream after this long; what is answered sooner is one plain answer. */
export const HELD_OPEN_MS = 1_000;

/** A held call says this often what it waits for, where its client asked to be told. */
export const HELD_PROGRESS_MS = 10_000;

/** A held call reads its task this often, in case a hint was lost: one statement for all calls of an agent. */
export const HELD_READ_MS = 10_000;

/** The credentials behind held calls are checked again this often, and when one is said to have changed. */
export const HELD_RECHECK_MS = 5_000;

/** Tasks that one statement reads for held calls. */
export const HELD_READ_AT_ONCE = 200;

/** Bytes of results that one statement reads for them: the others are read once clients have taken these. */
export const HELD_READ_BYTES = 8 * 1024 * 1024;

/** The pause after a read for held calls that failed. */
export const HELD_READ_AGAIN_MS = 1_000;

/** How long an agent's client may take to read the end of an answer. */
export const HELD_END_MS = 60_000;

/** A call of the Agent Approval Protocol waits for a decision at most this long, as the protocol says. */
export const MOST_AAP_WAIT_MS = 30_000;

/** Calls of one caller that a process lets wait for a request (`waitMs`), and when one beyond may come again. */
export const WAITING_CALLS = 200;
export const WAITING_AGAIN_MS = 5_000;

/** A hook is answered this long before the time-out that its address names: the answer has to reach the program before. */
export const HOOK_ANSWERED_BEFORE_MS = 5_000;

/** The longest for which a hook is held. */
export const MOST_HOOK_HOLD_MS = 3600_000;

/** The life of an agent's subscription to events: without a wish of the agent's, and the bounds of its wish. */
export const SUBSCRIPTION_MS = { usual: 3600_000, least: 5 * 60_000, most: 24 * 3600_000 };

/** Streams of events that one agent may have open in a process. */
export const EVENT_STREAMS_PER_AGENT = 100;

/** A stream of events says this often that it is alive, and up to where it has looked. */
export const EVENT_HEARTBEAT_MS = 15_000;

/** The pause after each read for a stream of events: what happens meanwhile is read at once. */
export const EVENT_STREAM_READ_MS = 500;

/** Challenges that one organization's agents may have sent to one host. */
export const CHALLENGES_OF_HOST = { limit: 30, windowMs: 60_000 };

/** How often an agent should ask for events. */
export const EVENTS_POLL_MS = 10_000;

/** How long the request of a hook that a person tries stays open. */
export const TRIED_HOOK_OPEN_MS = 3600_000;

/**
 * How much longer than its hook a request stays open, by what becomes of a call that nobody decided in time. `defer`: as long as an
 * approval that a call rule requires. `ask`: the person at the terminal may have somebody decide, and wait for it.
 */
export const HOOK_OUTLIVED_MS = { defer: 72 * 3600_000, ask: 3600_000, deny: 0 };

/** Calls of one agent that a process holds open. */
export const HELD_CALLS_PER_AGENT = 5_000;

/** The same of all agents of an organization: some 300 MiB. */
export const HELD_CALLS_PER_ORGANIZATION = 10_000;

/** Results of tasks in the answer to one batch, in characters: the next message is refused. */
export const BATCH_CHARACTERS = 8 * 1024 * 1024;

/** Bytes of answers that an agent's clients may leave unread: until they have read some, its next held calls wait for theirs. */
export const HELD_UNREAD_OF_AGENT_BYTES = 32 * 1024 * 1024;

/** After an answer of so many bytes other calls have their turn. */
export const HELD_TURN_BYTES = 256 * 1024;

/** Bytes that a client may leave unread before its held call is given up. */
export const HELD_UNREAD_BYTES = 64 * 1024;
