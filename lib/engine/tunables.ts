/** Every timing of the engine. Milliseconds. */

/** A call that may be repeated is given up after this, doubled at each try: a repeat brings the same task. */
export const REPEATABLE_REPLY_MS = 15_000;
/** A call whose reply is a task's handle is waited for this long, where it may not be repeated. */
export const HANDLE_REPLY_MS = 600_000;

/** An open call that another engine made is awaited for this long, or for this long after that engine said that it has it. */
export const ELSEWHERE_MS = 60_000;

/** A held lease is touched this often; pg-boss takes it away after 10 s without (lib/engine/leases/lease-queue.ts). */
export const HEARTBEAT_MS = 3_000;
/** The heartbeat's connection to the database is waited for this long, where the address says nothing else. */
export const LEASE_CONNECT_MS = 10_000;
/** A statement about leases is waited for this long. */
export const LEASE_QUERY_MS = 8_000;
/** A call that changes something on a server begins only this soon after a heartbeat that came back… */
export const FRESH_HEARTBEAT_MS = 4_000;
/** …and has ended by then: 4 + 5 s < 10 s, so it is over before a takeover can begin. */
export const CALL_DEADLINE_MS = 5_000;
/** After this a started call whose outcome was not stored counts as unknown: its deadline and a margin. */
export const ATTEMPT_DEADLINE_MS = 6_000;
/** A poll changes nothing, so it may take longer. */
export const POLL_DEADLINE_MS = 15_000;
/** Opening a stream. */
export const OPEN_DEADLINE_MS = 10_000;

/** Leases that have run out are looked for this often; pg-boss does it no more than once a second. */
export const EXPIRE_EVERY_MS = 1_050;
/** An engine that could not look for this long may have missed an outage of the database; */
export const UNSEEN_MS = 5_000;
/** and after one, the heartbeats of all engines have this long to come back before a lease counts as run out. */
export const BEATS_AFTER_OUTAGE_MS = 10_000;

/** The file of INTRAY_ALIVE_FILE is touched this often; who finds it 30 s old takes the process for stuck. */
export const ALIVE_MS = 5_000;

/** Leases for connections with open work are made this often, besides the wake-ups. */
export const LEASE_SCAN_MS = 5_000;
/** New leases are fetched this often, besides the wake-ups: how soon those of a killed engine are taken over. */
export const LEASE_FETCH_MS = 1_000;
/** An engine that was not seen for this long has no share of the leases: it is over before its leases come free. */
export const ENGINE_SEEN_MS = 8_000;
/** A lease that waits this long for those whose share it would be is anybody's. */
export const OVERDUE_LEASE_MS = 5_000;
/** An engine that has more than its share looks this often, */
export const EVEN_OUT_MS = 1_000;
/** and gives back so many leases at a time. */
export const MOVED_A_TURN = 25;
/** Leases of an organization are taken over this many in a transaction, */
export const TAKEN_TOGETHER = 50;
/** in this many transactions at a time. */
export const TAKEN_AT_ONCE = 3;
/** Tasks of a connection that are read with those of others; of one that has more, all are read by themselves. */
export const LOADED_TOGETHER = 100;
/** What watchers leave behind is stored for this many at a time, */
export const ENDED_AT_ONCE = 8;
/** and leases go back this many in a transaction, */
export const GIVEN_TOGETHER = 100;
/** in this many transactions at a time. */
export const GIVEN_AT_ONCE = 2;
/** A watcher looks for work that no wake-up told it of. */
export const SLOW_SCAN_MS = 10_000;
/** Scans of an organization's connections that are one transaction at most. */
export const SCANS_IN_A_GROUP = 500;
/** This often, and at each scan where the server is in trouble, it also reads what hints tell of besides tasks. */
export const SCAN_ALL_MS = 60_000;
/** A lease this old is given back and taken anew, well before pg-boss would expire it. */
export const LEASE_MAX_AGE_MS = 12 * 3600_000;
/** One whose end would end open calls, or a command's tasks in memory, is kept nearly as long as pg-boss allows. */
export const LONG_LEASE_MAX_AGE_MS = 23 * 3600_000;
/** A watcher without open work gives its lease back after this. */
export const IDLE_LEASE_MS = 30_000;
/** Hints are taken out of the outbox at least this often. */
export const PUMP_MS = 1_000;
/** And so soon after the engine itself has committed something, for all that was committed meanwhile. */
export const PUMP_AFTER_MS = 20;
/** What polls left in memory goes to the database this often. */
export const FLUSH_MS = 10_000;
/** of so many tasks in one transaction. */
export const FLUSHED_AT_ONCE = 500;

/** Where the server names no interval. */
export const DEFAULT_POLL_MS = 2_000;
/** No server is polled faster than this, whatever it says. */
export const MIN_POLL_MS = 250;
/** So much is read of one task's polls, in characters a ms: reading megabytes at every poll would take all of a core. */
export const READ_CHARACTERS_PER_MS = 64;
/** Unchanged polls stretch the interval up to this, */
export const SLOW_POLL_MS = 30_000;
/** and up to this for tasks older than a day. */
export const SLOWEST_POLL_MS = 300_000;
export const OLD_TASK_MS = 24 * 3600_000;
/** The first look after an answer was accepted. */
export const AFTER_ANSWER_MS = 100;

/** Failures of a server: full jitter between 0 and base × 2^n, up to the cap. */
export const BACKOFF_BASE_MS = 500;
export const BACKOFF_CAP_MS = 300_000;
/** A call that takes more rights than the connection has is tried again after this; a new sign-in does it at once. */
export const SCOPE_RETRY_MS = 3600_000;
/** What a server told, and the database could not take, is written again after this; */
export const STORE_AGAIN_MS = 250;
/** by who leaves, so many times. */
export const LAST_TRIES = 40;
/** A step that could not reach the database is taken again after this. */
export const DATABASE_RETRY_MS = 1_000;
/** A session is gone when the server says so this often in a row, */
export const SAID_GONE = 4;
/** or, where it has answered after that, this often; */
export const SAID_GONE_WHERE_UNSURE = 20;
/** it is asked again after this, doubled each time up to the cap. */
export const SAID_GONE_MS = 250;
export const SAID_GONE_CAP_MS = 5_000;
/** A session in which nothing was ever answered is replaced no sooner than this after the last one, doubled each time. */
export const REPLACED_MS = 10_000;
/** While one step tries whether a server is well again, the others wait this long at a time. */
export const PROBE_WAIT_MS = 250;

/** How long a `tasks/result` stream is held for a question that the server says it has. */
export const QUESTION_WAIT_MS = 10_000;
/** When nothing came, it is opened again after this, stretched by half each time up to the cap. */
export const QUESTION_RETRY_MS = 30_000;
export const QUESTION_RETRY_CAP_MS = 300_000;
/** An answer for whose question the server was asked this often, in vain, is undeliverable. */
export const UNASKED_LIMIT = 8;
/** A call that another process made is gone back to again after this, as long as its reply does not come. */
export const RESUME_AGAIN_MS = 10_000;
/** A standalone stream that broke, or was refused, is opened again after this. */
export const STREAM_RETRY_MS = 30_000;
/** A task without news for this long is not listened to, on a server that puts its questions again. */
export const STREAM_QUIET_MS = 600_000;
/** A question that comes on a call's own stream is stored this soon; some come a moment before the handle. */
export const ASKED_GRACE_MS = 250;
/** A server that refused a further session is not asked for one again before this. */
export const SESSIONS_FULL_MS = 600_000;
/** A start waits for a session to come free this long at a time, */
export const SESSION_WAIT_MS = 5_000;
/** and for another call on a shared session this long. */
export const CALLER_WAIT_MS = 100;
/** and one that has not come back for its turn after this has lost it. */
export const CALLER_GONE_MS = 1_000;
/** A call goes out when the standalone stream is open, or after this: some servers send no headers before the first event. */
export const LISTEN_GRACE_MS = 500;
/** What comes on streams is stored this many messages at a time; */
export const STORED_TOGETHER = 100;
/** so many questions of a task become requests in one transaction; */
export const CAPTURED_TOGETHER = 20;
/** a watcher that ends waits this long for a database that is away, and stores the rest when it is back. */
export const DRAIN_STREAMS_MS = 10_000;
/** Progress is written this often at most, */
export const PROGRESS_MS = 1_000;
/** and messages that differ by a number only this often, and this soon. */
export const MINOR_NEWS_MS = 5_000;
/** Subscriptions of 2026-07-28 follow the tasks that are watched this soon; */
export const SUBSCRIBE_AFTER_MS = 1_000;
/** a server that has none is asked again after this, */
export const RESUBSCRIBE_MS = 3600_000;
/** and one that refused, broke off or tells of no more tasks after this. */
export const RESUBSCRIBE_AFTER_TROUBLE_MS = 60_000;
/** After a capture the stream is kept this long for a retraction. */
export const RETRACTION_WAIT_MS = 75_000;

/** A cancel that the server took but does not follow: the row becomes cancelled here after this, */
export const CANCEL_GRACE_MS = 15_000;
/** and what the server says beside it is noted this long. */
export const WATCH_CANCELLED_MS = 3600_000;
/** A result that the server says it has, and does not give when asked this often, is done without. */
export const MISSING_RESULTS = 5;
/** A call over which the server breaks down this often, where it may be repeated at all, has failed; */
export const MAX_BROKEN_CALLS = 10;
/** and an answer over which it does can't be delivered; */
export const MAX_BROKEN_ANSWERS = 10;
/** and a cancel over which it does counts as told. */
export const MAX_BROKEN_CANCELS = 5;
/** Replies about a task that can't be read, this often in a row, are trouble of the server; */
export const UNREADABLE_REPLIES = 3;
/** "Not found" counts as lost when it is said again this much later. */
export const NOT_FOUND_CONFIRM_MS = 2_000;

/** Steps at a time on one connection; starts, and what people have just done, have places of their own; */
export const STEPS_AT_ONCE = 32;
/** of few tasks one for so many of them, */
export const TASKS_FOR_ONE_STEP = 8;
/** but no fewer than this; */
export const FEWEST_STEPS_AT_ONCE = 2;
/** and twice as many whenever one that is due has waited this long, */
export const GROW_AFTER_MS = 25;
/** and this many where so many polls are due, as long as they take no longer than that: connections = rate × latency. */
export const MOST_STEPS_AT_ONCE = 256;
export const QUICK_STEP_MS = 1_000;
/** A server is late whose answers take this long, by the quickest of so many polls, */
export const SLOW_ANSWER_MS = 1_000;
export const POLLS_TO_JUDGE_BY = 4;
/** where its tasks are looked at so many times as rarely as they should be; */
export const LATE_BY = 1.5;
/** it is looked at again this soon, and told anew where a figure is so many times what it was. */
export const JUDGE_LATE_MS = 2_000;
export const NOTABLE_BY = 1.5;
/** Polls that are due within so much of each other begin together: what shares a turn of the event loop is cheaper. */
export const TURN_MS = 10;
/** Tasks that a watcher takes on are read so many at a time, */
export const ADOPTED_AT_ONCE = 500;
/** and looked at first within this, or an interval of theirs, */
export const FIRST_LOOKS_WITHIN_MS = 5_000;
/** or, of thousands, within so much for each. */
export const FIRST_LOOKS_APART_MS = 1;
export const URGENT_AT_ONCE = 8;
export const STARTS_AT_ONCE = 8;
/** Leases one engine holds. */
export const CAPACITY = 5_000;
/** Transactions at once in one engine; fewer than its pool has connections (run.ts). */
export const TRANSACTIONS_AT_ONCE = 8;
/** Of one organization: some do their work while another one commits. */
export const GROUPS_AT_ONCE = 4;
/** Changes of steps that one transaction commits at most: so long do others wait for its locks. */
export const CHANGES_IN_A_GROUP = 32;
/** Longest timer that Node's setTimeout takes. */
export const MAX_TIMER_MS = 2_147_483_647;
/** What lost a race is told to stop this soon. */
export const SETTLE_RACES_MS = 500;
/** What the history says is counted this often. */
export const METRICS_EVERY_MS = 5_000;

/** Counted calls of a server are kept this long in steps of five minutes, */
export const CALLS_FIVE_MINUTES_MS = 2 * 24 * 3600_000;
/** and this long in steps of an hour; */
export const CALLS_HOURS_MS = 30 * 24 * 3600_000;
/** older ones are looked for this often. */
export const CALLS_SWEEP_MS = 3600_000;

/** Notices and webhooks follow what happened this soon. */
export const TELL_EVERY_MS = 1_000;
/** Lines of the history read in one transaction for them. */
export const EVENTS_A_TURN = 200;
/** Mail that is due is looked for this often; it waits a moment for more anyway. */
export const MAIL_EVERY_MS = 2_000;
/** Attempts that one engine makes at once at webhooks, */
export const WEBHOOK_SENDS = 64;
/** and at each. */
export const WEBHOOK_SENDS_EACH = 4;
/** Notices and mails are forgotten after this, */
export const KEEP_NOTICES_MS = 90 * 24 * 3600_000;
/** and what was sent to webhooks after this. */
export const KEEP_DELIVERIES_MS = 30 * 24 * 3600_000;
export const FORGET_EVERY_MS = 3600_000;
export const FORGET_BATCH = 1_000;

/** Engines look this often whether there is a bulk operation to do, */
export const BULK_MS = 500;
/** and do this many items of one organization before they look at the others'. */
export const BULK_BATCH = 20;
/** What happened is added to the figures this often, */
export const STATISTICS_MS = 2_000;
/** and the open tasks are counted this often. */
export const TASK_SAMPLE_MS = 300_000;
/** Figures of an hour and of six hours are kept this many days: the screens show 24 hours, and 30 days. */
export const FIGURES_KEPT_DAYS = { 1: 3, 6: 100 };

/** What organizations no longer keep is looked for this often, */
export const RETENTION_EVERY_MS = 10_000;
/** with such a pause after each batch, so that nobody else has to wait for the database. */
export const RETENTION_PAUSE_MS = 50;
