/** All timings and limits of the engine. Names in _MS are milliseconds. */

/** Timeout of a call that may be repeated, doubled on each try: a repeat brings the same task. */
export const REPEATABLE_REPLY_MS = 15_000;
/** Timeout of a call whose reply is a task's handle and that may not be repeated. */
export const HANDLE_REPLY_MS = 600_000;

/** How long an engine waits for another engine's open call. Each report that the call is open starts the time again. */
export const ELSEWHERE_MS = 60_000;

/**
 * Interval of a held lease's heartbeats; pg-boss expires it after 10 s without one (leases/lease-queue.ts).
 */
export const HEARTBEAT_MS = 3_000;
/** Connect timeout of the lease connections, unless the database URL sets one. */
export const LEASE_CONNECT_MS = 10_000;
/** Timeout of a statement about leases. */
export const LEASE_QUERY_MS = 8_000;
/** Maximum age of the last confirmed heartbeat when a call that changes something on a server begins. */
export const FRESH_HEARTBEAT_MS = 4_000;
/**
 * Deadline of a call that changes something: 4 + 5 s < 10 s, so the call ends before a takeover can begin.
 */
export const CALL_DEADLINE_MS = 5_000;
/** Deadline of ending the session of a recipe's calls when a watcher ends, which holds up its successor. */
export const LEAVE_DEADLINE_MS = 2_000;
/** Timeout of the reply to a call that a recipe's choice is; shorter than `CALL_DOUBT_MS` of lib/requests. */
export const CHOICE_REPLY_MS = 20_000;
/** How long the reply to a cancelled call is awaited that may be the handle of a task, which has to be cancelled. */
export const CANCELLED_REPLY_MS = 30_000;
/** After this a call without a stored outcome counts as unknown: the call deadline and a margin. */
export const ATTEMPT_DEADLINE_MS = 6_000;
/** Deadline of a poll, which changes nothing and may therefore take longer. */
export const POLL_DEADLINE_MS = 15_000;
/** Deadline for discovery, and for opening a session or subscription. */
export const OPEN_DEADLINE_MS = 10_000;

/**
 * Interval of counting leases, to expire those of dead engines, to take those that wait, and to even out; pg-boss
 * expires no more than once per second. Bounds how soon a killed engine's leases are taken over.
 */
export const COUNT_MS = 1_050;
/** The same for an engine that is alone and holds all leases; shorter than `UNSEEN_MS`. */
export const COUNT_CALM_MS = 3_000;
/** Interval of the lease queue's upkeep where nothing expires. */
export const SUPERVISE_EVERY_MS = 60_000;
/** An engine that could not check for this long may have missed a database outage. */
export const UNSEEN_MS = 5_000;
/** After an outage no lease expires for this long, so that every engine can send a heartbeat. */
export const BEATS_AFTER_OUTAGE_MS = 10_000;

/** Interval of touching the file of INTRAY_ALIVE_FILE; the health check fails once the file is 30 s old. */
export const ALIVE_MS = 5_000;

/** Interval of making leases for connections with open work, besides the wake-ups. */
export const LEASE_SCAN_MS = 10_000;
/** Shortest interval of storing an engine's metrics, several kilobytes each. */
export const SNAPSHOT_MS = 10_000;
/** Interval of looking at the database's timeline, besides each new connection. */
export const TIMELINE_MS = 15_000;
/**
 * If no engine ran on a database for longer, engines treat it as restored from a backup. Longer than a failover, shorter than a
 * restore.
 */
export const LATELY_MS = 120_000;
/** Interval of deleting the rows of engines that are gone. */
export const FORGET_ENGINES_MS = 600_000;
/**
 * An engine not seen for this long has no share; shorter than a lease, so that its leases come free later.
 */
export const NO_SHARE_AFTER_MS = 8_000;
/** A lease that has waited this long may be taken beyond an engine's share. */
export const OVERDUE_LEASE_MS = 5_000;
/** Leases released per rebalance. */
export const MOVED_A_TURN = 25;
/** Leases of one organization taken over per transaction. */
export const TAKEN_TOGETHER = 50;
/** Concurrent takeover transactions. */
export const TAKEN_AT_ONCE = 3;
/** Tasks of a connection loaded with those of others; a connection with more is loaded on its own. */
export const LOADED_TOGETHER = 100;
/** Concurrent watchers that store their last state on stopping. */
export const ENDED_AT_ONCE = 8;
/** Leases given back per transaction. */
export const GIVEN_TOGETHER = 100;
/** Concurrent transactions that give leases back. */
export const GIVEN_AT_ONCE = 2;
/** Interval of a watcher's scans for work whose wake-up was lost. */
export const SLOW_SCAN_MS = 10_000;
/** The same where nothing was told or found for `EMPTY_SCANS` scans; a multiple, so that scans meet. */
export const CALM_SCAN_MS = 30_000;
/** Scans without anything to do after which they grow apart. */
export const EMPTY_SCANS = 6;
/** Scans wait this long for others, to share a transaction. */
export const GATHER_SCANS_MS = 50;
/** Maximum number of connections scanned per transaction. */
export const SCANS_IN_A_GROUP = 500;
/** Interval of scans for everything that hints announce; a failing server's every scan covers it too. */
export const SCAN_ALL_MS = 60_000;
/** A lease of this age is given back and taken anew, well before pg-boss would expire it. */
export const LEASE_MAX_AGE_MS = 12 * 3600_000;
/** Maximum age of a lease whose release would end open calls or a command's tasks; nearly pg-boss's limit. */
export const LONG_LEASE_MAX_AGE_MS = 23 * 3600_000;
/** A watcher without open work gives its lease back after this. */
export const IDLE_LEASE_MS = 30_000;
/** Interval of publishing live-update hints whose wake-up was lost. */
export const PUMP_MS = 10_000;
/** Delay of publication after a commit of this engine, or a wake-up, to collect the hints of several commits. */
export const PUMP_AFTER_MS = 20;
/** Interval of storing the check times and statistics that polls left in memory. */
export const FLUSH_MS = 10_000;
/** Tasks whose state is flushed per transaction. */
export const FLUSHED_AT_ONCE = 500;

/** Poll interval if the server names none. */
export const DEFAULT_POLL_MS = 2_000;
/** Shortest poll interval, whatever the server says. */
export const MIN_POLL_MS = 250;
/** Average rate of reading one task's polls, in characters per ms: megabytes per poll would occupy a core. */
export const READ_CHARACTERS_PER_MS = 64;
/** Longest interval to which unchanged polls stretch. */
export const SLOW_POLL_MS = 30_000;
/** Longest interval to which unchanged polls of old tasks stretch. */
export const SLOWEST_POLL_MS = 300_000;
/** Age from which a task counts as old. */
export const OLD_TASK_MS = 24 * 3600_000;
/** An answer under a key that was last seen this long ago needs one more look before it is sent. */
export const SEEN_LATELY_MS = 1_000;
/** Pause before the first poll after an answer was accepted. */
export const AFTER_ANSWER_MS = 100;

/** Base of the backoff after failures: a random pause of a tenth to all of base × 2^(failures-1), up to the cap. */
export const BACKOFF_BASE_MS = 500;
/** Cap of the backoff after failures. */
export const BACKOFF_CAP_MS = 300_000;
/** Pause of a call that needs more rights than the connection has; a new sign-in ends it at once. */
export const SCOPE_RETRY_MS = 3600_000;
/** Pause before a server's word that the database could not store is written again. */
export const STORE_AGAIN_MS = 250;
/** Tries to store the server's word after the watcher has begun to stop. */
export const LAST_TRIES = 40;
/** Pause of a step that could not reach the database. */
export const DATABASE_RETRY_MS = 1_000;
/** Pause of a step whose task's content can't be opened; the key is tried again as often. */
export const CONTENT_RETRY_MS = 5_000;
/** A session counts as gone once the server has denied it this often in a row. */
export const SAID_GONE = 4;
/** Denials in a row for a session to count as gone, on a server that has answered after a denial before. */
export const SAID_GONE_WHERE_UNSURE = 20;
/** Pause after the server has denied a session, doubled on each denial up to the cap. */
export const SAID_GONE_MS = 250;
/** Longest pause after the server has denied a session. */
export const SAID_GONE_CAP_MS = 5_000;
/** Pause before a session that never answered is replaced, doubled on each one. */
export const REPLACED_MS = 10_000;
/** Interval at which other steps check whether the probe of a failing server is over. */
export const PROBE_WAIT_MS = 250;

/** How long a `tasks/result` stream is held for a question that the server announced. */
export const QUESTION_WAIT_MS = 10_000;
/**
 * Pause before the next `tasks/result` stream if no question came, stretched by half each time up to the cap.
 */
export const QUESTION_RETRY_MS = 30_000;
/** Longest pause between `tasks/result` streams. */
export const QUESTION_RETRY_CAP_MS = 300_000;
/** Requests of one connection's server for elicitation tasks that wait to be answered; further ones get no answer. */
export const TASK_REQUESTS = 200;
/** Of those, how many are answered at a time; as many are told at a time of a task of theirs that has changed. */
export const TASK_REQUESTS_AT_ONCE = 4;
/** Tasks of ours of which a server still is to be told something, read per transaction. */
export const UNATTENDED_TOGETHER = 200;
/** Dropped requests that are remembered until it is read who waits: a server may flood us with questions. */
export const MOST_DROPPED = 1_000;
/** `tasks/result` that may wait for one elicitation task at a time. */
export const WAITING_RESULTS = 20;
/** Tasks of ours per page of `tasks/list`. */
export const LISTED_TOGETHER = 50;
/** Pause before a server is told again of an elicitation task that it could not be told of. */
export const RETELL_MS = 10_000;
/** An answer is undeliverable once its question was requested this often in vain. */
export const UNASKED_LIMIT = 8;
/** The same at a server that is known to put no question again. */
export const UNASKED_LIMIT_WHERE_KNOWN = 2;
/** Interval of resuming a call of another process until its reply comes. */
export const RESUME_AGAIN_MS = 10_000;
/** Pause before a standalone stream that broke or was refused is opened again. */
export const STREAM_RETRY_MS = 30_000;
/** A task without news for this long gets no stream, on a server that reissues its questions. */
export const STREAM_QUIET_MS = 600_000;
/** Delay before a call with a question counts as open, because some questions come just before the handle. */
export const ASKED_GRACE_MS = 250;
/** Pause before the next try to open a session on a server that refused one for its limit. */
export const SESSIONS_FULL_MS = 600_000;
/** Interval at which a start checks for a free session. */
export const SESSION_WAIT_MS = 5_000;
/** Interval at which a start checks whether another call on its shared session is over. */
export const CALLER_WAIT_MS = 100;
/** A start that has not asked for its turn for this long loses its place in the line. */
export const CALLER_GONE_MS = 1_000;
/**
 * Longest wait for the standalone stream before a call: some servers send no headers before the first event.
 */
export const LISTEN_GRACE_MS = 500;
/** Stream messages stored per transaction. */
export const STORED_TOGETHER = 100;
/** Questions of a task that become requests per transaction. */
export const CAPTURED_TOGETHER = 20;
/** How long a stopping watcher waits for an unreachable database before it gives up storing. */
export const DRAIN_STREAMS_MS = 10_000;
/** Shortest interval between two writes of a task's progress. */
export const PROGRESS_MS = 1_000;
/** Shortest interval, and longest delay, of status messages that differ from the last by numbers only. */
export const MINOR_STATUS_MS = 5_000;
/** Delay of 2026-07-28 subscriptions, to collect several tasks. */
export const SUBSCRIBE_AFTER_MS = 1_000;
/** Pause before a server without subscriptions is asked for one again. */
export const RESUBSCRIBE_MS = 3600_000;
/** Pause after a subscription was refused, broke off early, or found all streams full. */
export const RESUBSCRIBE_AFTER_FAILURE_MS = 60_000;
/** How long a stream stays open after a question, for its retraction. */
export const RETRACTION_WAIT_MS = 75_000;

/** A task whose cancel the server accepted without following it becomes cancelled here after this. */
export const CANCEL_GRACE_MS = 15_000;
/** How long the server's state of a task cancelled here is still noted. */
export const WATCH_CANCELLED_MS = 3600_000;
/** How long a task that ended here without a result, and shared its session, counts among those that may ask in it. */
export const MAY_ASK_ON_MS = 10 * 60_000;
/** A task ends without its result once the server has failed this often to return it. */
export const MISSING_RESULTS = 5;
/** A repeatable call fails once the server has broken down over it this often. */
export const MAX_BROKEN_CALLS = 10;
/** An answer is undeliverable once the server has broken down over it this often. */
export const MAX_BROKEN_ANSWERS = 10;
/** A cancel counts as sent once the server has broken down over it this often. */
export const MAX_BROKEN_CANCELS = 5;
/** Unreadable replies in a row about a task that make the server count as failing. */
export const UNREADABLE_REPLIES = 3;
/** Time between two "not found" replies after which a task counts as lost. */
export const NOT_FOUND_CONFIRM_MS = 2_000;

/** Concurrent regular steps on one connection; starts and people's actions have lanes of their own. */
export const STEPS_AT_ONCE = 32;
/** Due tasks per concurrent step at the beginning of a burst. */
export const TASKS_FOR_ONE_STEP = 8;
/** Smallest limit of concurrent regular steps. */
export const FEWEST_STEPS_AT_ONCE = 2;
/** The limit of regular steps doubles whenever a due step has waited this long. */
export const GROW_AFTER_MS = 25;
/** Concurrent regular steps on a quick server: connections = rate × latency. */
export const MOST_STEPS_AT_ONCE = 256;
/** A server is quick if its quickest recent steps take less than this. */
export const QUICK_STEP_MS = 1_000;
/** A server is slow if the quickest of its last polls took this long. */
export const SLOW_ANSWER_MS = 1_000;
/** Number of last polls by which a server's latency is judged. */
export const POLLS_TO_JUDGE_BY = 4;
/** A slow server is reported once its tasks' poll intervals are longer than they should be by this factor. */
export const LATE_BY = 1.5;
/** Interval of judging a slow server. */
export const JUDGE_LATE_MS = 2_000;
/** The report of a slow server is updated once a figure has changed by this factor. */
export const NOTABLE_BY = 1.5;
/** Regular steps due within this time begin together, because sharing a turn of the event loop is cheaper. */
export const TURN_MS = 10;
/** Tasks loaded per transaction when a watcher takes them on. */
export const ADOPTED_AT_ONCE = 500;
/** Running tasks are first polled within this time, or within their poll interval if that is shorter. */
export const FIRST_LOOKS_WITHIN_MS = 5_000;
/** Extends FIRST_LOOKS_WITHIN_MS for thousands of tasks, to this much per task. */
export const FIRST_LOOKS_APART_MS = 1;
/** Concurrent urgent steps on one connection. */
export const URGENT_AT_ONCE = 8;
/** Concurrent starts on one connection. */
export const STARTS_AT_ONCE = 8;
/** Maximum number of leases per engine. */
export const CAPACITY = 5_000;
/** Concurrent transactions of one engine; fewer than its pool has connections (open-engine.ts). */
export const TRANSACTIONS_AT_ONCE = 8;
/** Concurrent group commits of one organization: some work while another commits. */
export const GROUPS_AT_ONCE = 4;
/** Maximum number of changes per group commit, which bounds how long others wait for its locks. */
export const CHANGES_IN_A_GROUP = 32;
/** How long a group waits for a lock before the change that needs it is carried out alone: longer than any commit. */
export const GROUP_LOCK_MS = 5_000;
/** Interval of background jobs' looks for work that nobody told of; bounds the delay of a lost wake-up. */
export const IDLE_LOOK_MS = 10_000;
/** Delay of a look after a wake-up, to see the work of several commits at once. */
export const LOOK_AFTER_MS = 20;
/** Shortest pause between looks for other organizations' work while a job serves some. */
export const LOOK_AGAIN_MS = 1_000;
/** Looks that are due within this time share a statement. */
export const LOOK_TOGETHER_MS = 200;
/** Shortest pause between looks for answers to questions of Intray's own: a held call of an agent waits for this. */
export const OWN_QUESTIONS_MS = 50;
/** Shortest pause between looks for requests that rules have still to be asked about. */
export const AUTOMATIC_ANSWERS_MS = 250;
/** Shortest interval of firing timers of requests. */
export const REQUEST_TIMERS_MS = 250;
/** Interval of cancelling the losers of decided races. */
export const SETTLE_RACES_MS = 500;
/** Interval of counting new history lines for the metrics. */
export const METRICS_EVERY_MS = 5_000;

/** How long call statistics are kept in steps of five minutes. */
export const CALLS_FIVE_MINUTES_MS = 2 * 24 * 3600_000;
/** How long call statistics are kept in steps of an hour. */
export const CALLS_HOURS_MS = 30 * 24 * 3600_000;
/** Interval of deleting old call statistics. */
export const CALLS_SWEEP_MS = 3600_000;

/**
 * Interval of making notices and webhook deliveries from new history lines, and of sending the deliveries.
 */
export const NOTIFY_EVERY_MS = 1_000;
/** History lines read per transaction for notices and webhooks. */
export const EVENTS_A_TURN = 200;
/** Interval of sending due mail. */
export const MAIL_EVERY_MS = 2_000;
/** Interval of looking for API keys whose end people have to be warned of, and for service accounts without an owner. */
export const KEY_WARNINGS_MS = 60_000;
/** Interval of looking for absences that begin or end, whose delegates are told. */
export const ABSENCES_MS = 15_000;
/** Interval of looking for requests that members had put off until now. */
export const SNOOZES_MS = 15_000;
/** Concurrent push messages of one engine. */
export const PUSH_SENDS = 32;
/** Members whom one engine tells in Slack at the same time. */
export const SLACK_SENDS = 32;
/** Members whom one engine tells in Teams at the same time. */
export const TEAMS_SENDS = 32;
/** Interval of looking for presses in Slack and Teams that were lost. */
export const LOST_PRESSES_MS = 15_000;
/** Concurrent webhook requests of one engine. */
export const WEBHOOK_SENDS = 64;
/** Concurrent requests of one engine to each webhook. */
export const WEBHOOK_SENDS_EACH = 4;
/** The part of a job's concurrent senders that one organization may have. */
export const SENDS_OF_ONE = 1 / 4;
/** Concurrent senders of one engine to audit streams. Each holds a batch in memory. */
export const AUDIT_STREAM_SENDS = 16;
/** Notices and mails are deleted after this. */
export const KEEP_NOTICES_MS = 90 * 24 * 3600_000;
/** Devices whose browser has not been here are deleted after this. */
export const KEEP_DEVICES_MS = 30 * 24 * 3600_000;
/** Webhook deliveries are deleted after this. */
export const KEEP_DELIVERIES_MS = 30 * 24 * 3600_000;
/** Interval of deleting old notices, mails and deliveries. */
export const FORGET_EVERY_MS = 3600_000;
/** Old notices, and old deliveries, deleted per transaction. */
export const FORGET_BATCH = 1_000;

/** Interval of checks for bulk operations. */
export const BULK_MS = 500;
/** Items of one organization processed before the next organization's turn, and the time after which no further one begins. */
export const BULK_BATCH = 5;
export const BULK_BATCH_MS = 2_000;
/** Organizations that a job of one engine serves side by side. */
export const JOB_LANES = 3;
/** Interval of adding new history lines to the figures. */
export const STATISTICS_MS = 2_000;
/** Interval of ending the acknowledgements of tasks that are no longer stuck. */
export const ACKNOWLEDGEMENTS_MS = 10_000;
/** Interval of counting the open tasks. */
export const TASK_SAMPLE_MS = 300_000;
/** Days for which hourly and six-hourly figures are kept: the screens show 24 hours and 30 days. */
export const FIGURES_KEPT_DAYS = { 1: 3, 6: 100 };

/** Interval of looking for proposals and deletions that are due. */
export const PROPOSALS_MS = 10_000;
/** Between looks for organizations whose content is to be sealed, or opened again. */
export const CONTENT_SEALING_MS = 5_000;

/** Interval of deleting data whose retention period is over. */
export const RETENTION_EVERY_MS = 10_000;
/** Pause after each deleted batch, so that others need not wait for the database. */
export const RETENTION_PAUSE_MS = 50;
